//! One tool on a page: whose it is, what it says of itself, and what it takes and gives.
//!
//! A definition is somebody else's text: what cannot be laid out is left out here, and `--json` has all
//! of it.

use serde_json::Value;
use serde_json::value::RawValue;

/// What is shown of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolPage<'a> {
    /// Under which agents see it.
    pub name: Option<&'a str>,
    /// The tool that leads to it, where they do not.
    pub through: Option<&'a str>,
    pub server: Option<&'a str>,
    /// What the server calls it.
    pub tool: Option<&'a str>,
    pub description: Option<&'a str>,
    /// As the server sends it.
    pub definition: Option<&'a RawValue>,
}

/// What a server says of its tool, and how that reads.
const HINTS: [(&str, bool, &str); 5] = [
    ("readOnlyHint", true, "only reads"),
    ("readOnlyHint", false, "changes something"),
    ("destructiveHint", true, "may destroy something"),
    ("idempotentHint", true, "the same when done twice"),
    ("openWorldHint", true, "reaches outside"),
];

impl ToolPage<'_> {
    pub fn text(&self) -> String {
        let definition = self.definition.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let definition: Value = definition.unwrap_or_default();
        let mut page = Page::default();
        page.row("name", self.name.unwrap_or("-"));
        if let Some(through) = self.through {
            page.row("reached", &format!("through {through}: it is not listed itself"));
        }
        page.row("server", self.server.unwrap_or("- (Toolgate's own)"));
        page.row("tool", self.tool.unwrap_or("-"));
        let title = definition.get("title").or_else(|| definition.pointer("/annotations/title"));
        if let Some(title) = title.and_then(Value::as_str) {
            page.row("title", title);
        }
        let said = HINTS.iter().filter(|(key, value, _)| {
            let hint = definition.get("annotations").and_then(|hints| hints.get(key));
            hint.and_then(Value::as_bool) == Some(*value)
        });
        let said: Vec<&str> = said.map(|(_, _, words)| *words).collect();
        if !said.is_empty() {
            page.row("it says", &said.join(", "));
        }
        if let Some(description) = self.description.map(str::trim).filter(|text| !text.is_empty()) {
            page.paragraph("description", description);
        }
        page.schema("arguments", definition.get("inputSchema"));
        page.schema("gives", definition.get("outputSchema"));
        page.0
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn row(&mut self, title: &str, text: &str) {
        let mut lines = text.lines();
        self.0.push_str(&format!("{title:<9} {}\n", lines.next().unwrap_or_default()));
        for line in lines {
            self.0.push_str(&format!("{:<9} {line}\n", ""));
        }
    }

    fn paragraph(&mut self, title: &str, text: &str) {
        self.0.push_str(&format!("\n{title}\n"));
        for line in text.lines() {
            self.0.push_str(format!("  {line}").trim_end());
            self.0.push('\n');
        }
    }

    /// The properties of an object, one after another; nothing where there are none.
    fn schema(&mut self, title: &str, schema: Option<&Value>) {
        let Some(schema) = schema else { return };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |names| names.iter().filter_map(Value::as_str).collect());
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let mut text = String::new();
        for (name, property) in properties {
            let need = if required.contains(&name.as_str()) { ", required" } else { "" };
            let default = property.get("default").filter(|value| !value.is_null());
            let default = default.map_or_else(String::new, |value| format!(", default {value}"));
            text.push_str(&format!("{name}  {}{need}{default}\n", kind(property)));
            let description = property.get("description").and_then(Value::as_str);
            for line in description.unwrap_or_default().trim().lines() {
                text.push_str(&format!("    {}\n", line.trim()));
            }
        }
        if !text.is_empty() {
            self.paragraph(title, &text);
        }
    }
}

/// The type of a property, in a few words.
fn kind(property: &Value) -> String {
    let words = |value: &Value| match value {
        Value::String(word) => Some(word.clone()),
        Value::Array(several) => {
            let several: Vec<&str> = several.iter().filter_map(Value::as_str).collect();
            Some(several.join(" or ")).filter(|words| !words.is_empty())
        }
        _ => None,
    };
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        return format!("one of {}", values.join(", "));
    }
    let kind = property.get("type").and_then(words);
    let items = property.get("items").and_then(|items| items.get("type")).and_then(words);
    match (kind, items) {
        (Some(kind), Some(items)) if kind == "array" => format!("array of {items}"),
        (Some(kind), _) => kind,
        (None, _) => {
            let either = property.get("anyOf").or_else(|| property.get("oneOf"));
            let either = either
                .and_then(Value::as_array)
                .map(|several| several.iter().map(kind_of_choice).collect::<Vec<_>>().join(" or "));
            either.unwrap_or_else(|| "any value".to_owned())
        }
    }
}

fn kind_of_choice(choice: &Value) -> String {
    let word = choice.get("type").and_then(Value::as_str);
    word.map_or_else(|| "any value".to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_laid_out_with_everything_that_its_caller_needs() {
        let raw = r#"{"name":"read","title":"Read a file","annotations":{"readOnlyHint":true},
            "inputSchema":{"type":"object","required":["path"],"properties":{
                "path":{"type":"string","description":"Where it is.\nRelative."},
                "head":{"type":["integer","null"],"default":10},
                "how":{"enum":["text","bytes"]},
                "names":{"type":"array","items":{"type":"string"}},
                "odd":{"anyOf":[{"type":"string"},{"type":"null"}]},"any":{}}},
            "outputSchema":{"type":"object","properties":{"content":{"type":"string"}}}}"#;
        let definition = RawValue::from_string(raw.to_owned()).unwrap();
        let page = ToolPage {
            name: Some("files__read"),
            through: None,
            server: Some("files"),
            tool: Some("read"),
            description: Some("Reads a file.\n\nAll of it.\n"),
            definition: Some(&definition),
        };
        let text = "\
name      files__read
server    files
tool      read
title     Read a file
it says   only reads

description
  Reads a file.

  All of it.

arguments
  path  string, required
      Where it is.
      Relative.
  head  integer or null, default 10
  how  one of \"text\", \"bytes\"
  names  array of string
  odd  string or null
  any  any value

gives
  content  string
";
        assert_eq!(page.text(), text);
    }

    #[test]
    fn a_tool_that_says_nothing_of_itself_is_still_shown() {
        let page = ToolPage {
            name: None,
            through: Some("mcp_call_tool"),
            server: Some("files"),
            tool: Some("read"),
            description: None,
            definition: None,
        };
        let text = "name      -\nreached   through mcp_call_tool: it is not listed itself\n\
                    server    files\ntool      read\n";
        assert_eq!(page.text(), text);
    }
}
