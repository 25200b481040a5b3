//! A list of definitions from a file, in any of the shapes that such lists have.
//!
//! - an array of definitions, or one definition a line, each with its `server`;
//! - an answer to `tools/list`, or an object with a server's name and its `tools`;
//! - an object of servers by name, each with its tools or with an answer to `tools/list`;
//! - arrays and objects of these, however deep.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::SearchedTool;

/// A tool that a file defines.
#[derive(Debug, Clone)]
pub struct CatalogTool {
    pub server: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub schema: Option<Box<RawValue>>,
}

/// Why a file is no list of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadCatalog {
    /// Neither it nor its lines are JSON; the line at fault.
    NoJson {
        line: usize,
    },
    NoTools,
}

impl std::fmt::Display for BadCatalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoJson { line } => write!(f, "line {line} is no JSON"),
            Self::NoTools => f.write_str("there is no tool in it"),
        }
    }
}

impl std::error::Error for BadCatalog {}

/// Deeper lists are nobody's.
const DEEPEST: usize = 8;

/// What a definition calls the schema of its arguments.
const SCHEMAS: [&str; 3] = ["inputSchema", "input_schema", "parameters"];

/// What names the server in whatever holds its tools, or in a tool.
const SERVERS: [&str; 4] = ["server", "server_name", "serverName", "server_id"];

impl CatalogTool {
    /// Every tool in a text, in its order.
    pub fn read_all(text: &str) -> Result<Vec<Self>, BadCatalog> {
        let mut tools = Vec::new();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => collect(&value, "", 0, &mut tools),
            Err(_) => {
                for (index, line) in text.lines().enumerate() {
                    if line.trim().is_empty() {
                        continue;
                    }
                    let value = serde_json::from_str::<Value>(line);
                    let value = value.map_err(|_| BadCatalog::NoJson { line: index + 1 })?;
                    collect(&value, "", 0, &mut tools);
                }
            }
        }
        if tools.is_empty() { Err(BadCatalog::NoTools) } else { Ok(tools) }
    }

    /// One tool as its server defines it, whatever it leaves out but its name.
    pub fn of_definition(server: &str, definition: &RawValue) -> Option<Self> {
        let value: Value = serde_json::from_str(definition.get()).ok()?;
        Some(named_tool(&value, server, value.get("name")?.as_str()?))
    }

    pub fn searched(&self) -> SearchedTool<'_> {
        SearchedTool {
            server: &self.server,
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            schema: self.schema.as_deref(),
        }
    }
}

fn collect(value: &Value, server: &str, depth: usize, tools: &mut Vec<CatalogTool>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Array(items) => {
            items.iter().for_each(|item| collect(item, server, depth + 1, tools));
        }
        Value::Object(members) => {
            let text = |key: &str| members.get(key).and_then(Value::as_str);
            let named = SERVERS.iter().find_map(|key| text(key));
            if let Some(tool) = definition(value, named.unwrap_or(server)) {
                return tools.push(tool);
            }
            let holds = members.get("tools").is_some_and(|tools| tools.is_array());
            let server = named.or_else(|| text("name").filter(|_| holds)).unwrap_or(server);
            for (key, member) in members {
                // What is called otherwise than a list is may be a server by its name.
                let is_list = ["tools", "result", "servers", "mcpServers"].contains(&key.as_str());
                let server = if is_list || !server.is_empty() { server } else { key.as_str() };
                let server = match member {
                    Value::Object(_) if !is_list => key.as_str(),
                    _ => server,
                };
                if member.is_array() || member.is_object() {
                    collect(member, server, depth + 1, tools);
                }
            }
        }
        _ => {}
    }
}

/// A tool, if it is one: it has a name, and says what it takes or what it is for; and it is no list of others.
fn definition(value: &Value, server: &str) -> Option<CatalogTool> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let takes = SCHEMAS.iter().any(|key| value.get(key).is_some_and(Value::is_object));
    let is_tool = (takes || text("description").is_some()) && value.get("tools").is_none();
    // What our own list prints has the public name beside it.
    let own = text("tool").filter(|_| value.get("inputSchema").is_none());
    match is_tool {
        true => Some(named_tool(value, server, own.or_else(|| text("name"))?)),
        false => None,
    }
}

fn named_tool(value: &Value, server: &str, name: &str) -> CatalogTool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let schema = SCHEMAS.iter().find_map(|key| value.get(key)).filter(|schema| schema.is_object());
    CatalogTool {
        server: server.to_owned(),
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        schema: schema.and_then(|schema| to_raw_value(schema).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let tools = CatalogTool::read_all(text).unwrap();
        tools.iter().map(|tool| format!("{}/{}", tool.server, tool.name)).collect()
    }

    #[test]
    fn every_shape_of_a_list_is_read() {
        let tool = r#"{"name":"read","description":"d","inputSchema":{"type":"object"}}"#;
        let own = r#"{"server":"files","name":"read","description":"d"}"#;
        for text in [
            format!("[{own}]"),
            format!("{own}\n\n"),
            format!(r#"{{"files":[{tool}]}}"#),
            format!(r#"{{"files":{{"tools":[{tool}]}}}}"#),
            format!(r#"{{"servers":{{"files":{{"tools":[{tool}]}}}}}}"#),
            format!(r#"[{{"name":"files","description":"d","tools":[{tool}]}}]"#),
            format!(r#"[{{"name":"Files!","tools":{{"files":{{"tools":[{tool}]}}}}}}]"#),
            format!(r#"{{"server":"files","tools":[{tool}],"nextCursor":"x"}}"#),
        ] {
            assert_eq!(read(&text), ["files/read"], "{text}");
        }
        assert_eq!(read(&format!(r#"{{"tools":[{tool}]}}"#)), ["/read"]);
        assert_eq!(read(&format!(r#"{{"result":{{"tools":[{tool}]}}}}"#)), ["/read"]);
    }

    #[test]
    fn what_is_no_list_is_an_error() {
        assert_eq!(CatalogTool::read_all("{}").unwrap_err(), BadCatalog::NoTools);
        let half =
            CatalogTool::read_all("{\"name\":\"a\",\"description\":\"\"}\n{\"na").unwrap_err();
        assert_eq!(half, BadCatalog::NoJson { line: 2 });
    }
}
