//! A configuration text as a tree that knows where each value stands.
//!
//! TOML and JSONC become the same tree; what the keys mean is not known here.

mod de;
mod jsonc;
mod toml;
mod yaml;

use std::ops::Range;
use std::sync::Arc;

use toolgate_types::ConfigSource;

pub use de::{PathStep, ReadError};
pub(crate) use de::{RAW_JSON, ReadErrorKind, is_spelling, snake_case};

use crate::problem::{Problem, Severity};

/// The syntaxes a configuration is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    Toml,
    Json,
    /// Other clients' files only.
    Yaml,
}

/// A value and its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigNode {
    pub value: ConfigValue,
    pub span: Range<usize>,
}

/// What a value is. Numbers keep their decimal spelling.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<ConfigNode>),
    Table(Vec<ConfigMember>),
}

/// One key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigMember {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: ConfigNode,
}

/// A parsed text with its name.
#[derive(Debug, Clone)]
pub struct ConfigDocument {
    pub source: Arc<ConfigSource>,
    pub format: ConfigFormat,
    pub root: ConfigNode,
    line_starts: Vec<usize>,
}

impl ConfigDocument {
    /// Parses a text; every syntax error and every duplicate key is reported.
    pub fn parse(
        source: Arc<ConfigSource>,
        format: ConfigFormat,
        text: &str,
    ) -> Result<Self, Vec<Problem>> {
        let mut faults = Vec::new();
        let root = match format {
            ConfigFormat::Toml => toml::parse(text, &mut faults),
            ConfigFormat::Json => jsonc::parse(text, &mut faults),
            ConfigFormat::Yaml => yaml::parse(text, &mut faults),
        };
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let document = Self {
            source,
            format,
            root: root.unwrap_or(ConfigNode { value: ConfigValue::Null, span: 0..0 }),
            line_starts: starts.collect(),
        };
        if faults.is_empty() {
            return Ok(document);
        }
        Err(faults.into_iter().map(|fault| document.problem(fault)).collect())
    }

    /// The 1-based line of a byte offset.
    pub fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    fn problem(&self, fault: SyntaxFault) -> Problem {
        Problem {
            severity: Severity::Error,
            rule: fault.rule,
            source: Arc::clone(&self.source),
            key: fault.key,
            line: self.line(fault.at),
            message: fault.message,
            help: fault.help.map(str::to_owned),
        }
    }
}

/// A syntax error before there is a document to hang it on.
pub(crate) struct SyntaxFault {
    rule: &'static str,
    at: usize,
    key: String,
    message: String,
    help: Option<&'static str>,
}

impl SyntaxFault {
    fn duplicate(at: usize, key: String) -> Self {
        let message = "this key stands twice in one table".to_owned();
        let help = Some("keep one of the two; neither is taken by itself");
        Self { rule: "duplicate-key", at, key, message, help }
    }
}

impl ConfigNode {
    pub fn table(&self) -> Option<&[ConfigMember]> {
        match &self.value {
            ConfigValue::Table(members) => Some(members),
            _ => None,
        }
    }

    pub fn get(&self, key: &str) -> Option<&ConfigNode> {
        self.table()?.iter().find(|member| member.key == key).map(|member| &member.value)
    }

    pub fn string(&self) -> Option<&str> {
        match &self.value {
            ConfigValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The word for this kind of value in an error.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            ConfigValue::Null => "null",
            ConfigValue::Bool(_) => "a boolean",
            ConfigValue::Number(_) => "a number",
            ConfigValue::String(_) => "a string",
            ConfigValue::Array(_) => "an array",
            ConfigValue::Table(_) => "a table",
        }
    }

    /// Takes away what stands at `path`, so that reading can go on past an error.
    /// An array goes as a whole: its items have no names to be left out by.
    pub(crate) fn remove(&mut self, path: &[PathStep]) -> bool {
        match path {
            [PathStep::Key(key), rest @ ..] => {
                let ConfigValue::Table(members) = &mut self.value else { return false };
                let Some(at) = members.iter().position(|member| &member.key == key) else {
                    return false;
                };
                let inner = matches!(rest.first(), Some(PathStep::Key(_)));
                if !(inner && members[at].value.remove(rest)) {
                    members.remove(at);
                }
                true
            }
            _ => false,
        }
    }

    /// JSON text of this value: key order as written, or sorted for hashing.
    pub fn to_json(&self, sorted: bool) -> String {
        let mut out = String::new();
        self.write_json(&mut out, sorted);
        out
    }

    fn write_json(&self, out: &mut String, sorted: bool) {
        match &self.value {
            ConfigValue::Null => out.push_str("null"),
            ConfigValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            ConfigValue::Number(text) => out.push_str(text),
            ConfigValue::String(text) => write_string(out, text),
            ConfigValue::Array(items) => {
                let write = |out: &mut String, item: &ConfigNode| item.write_json(out, sorted);
                separated(out, '[', items.iter(), write, ']');
            }
            ConfigValue::Table(members) => {
                let mut members: Vec<&ConfigMember> = members.iter().collect();
                if sorted {
                    members.sort_by(|a, b| a.key.cmp(&b.key));
                }
                let write = |out: &mut String, member: &ConfigMember| {
                    write_string(out, &member.key);
                    out.push(':');
                    member.value.write_json(out, sorted);
                };
                separated(out, '{', members.into_iter(), write, '}');
            }
        }
    }
}

fn separated<T>(
    out: &mut String,
    open: char,
    items: impl Iterator<Item = T>,
    write: impl Fn(&mut String, T),
    close: char,
) {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

fn write_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests;
