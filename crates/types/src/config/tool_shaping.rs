//! How a tool is shown and called otherwise than its server defines it. The server's own definition
//! stays what is pinned, and its own name what policies mean.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::value::RawValue;

use crate::{visible, visible_json};

/// What the entry of a server says of how one of its tools is shown and called.
#[derive(Debug, Clone, Default)]
pub struct ToolShaping {
    /// The name that takes the place of the server's own.
    pub rename: Option<ShownToolName>,
    /// What is said of it instead of the server's words.
    pub description: Option<String>,
    /// Parameters that callers are not shown and may not give.
    pub hidden: BTreeSet<String>,
    /// Values for parameters that a caller leaves out, as JSON.
    pub defaults: IndexMap<String, Box<RawValue>>,
}

impl ToolShaping {
    /// None where nothing is shaped.
    pub fn shared(self) -> Option<Arc<Self>> {
        let Self { rename, description, hidden, defaults } = &self;
        let is_any =
            rename.is_some() || description.is_some() || !hidden.is_empty() || !defaults.is_empty();
        is_any.then(|| Arc::new(self))
    }
}

impl fmt::Display for ToolShaping {
    /// For whoever wrote it, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rename, description, hidden, defaults } = self;
        let mut parts = Vec::new();
        parts.extend(rename.as_ref().map(|name| format!("named `{name}`")));
        parts.extend(description.as_ref().map(|_| "described in other words".to_owned()));
        let names = hidden.iter().map(|name| format!("`{}`", visible(name))).collect::<Vec<_>>();
        parts.extend((!names.is_empty()).then(|| format!("without {}", names.join(", "))));
        parts.extend(defaults.iter().map(|(name, value)| {
            format!("`{}` is {} where it is left out", visible(name), visible_json(value.get()))
        }));
        f.write_str(&parts.join("; "))
    }
}

/// A name for a tool that is chosen in a file: letters, digits, `_`, `-` and `.`, at most 64.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShownToolName(String);

/// Why a text is no name for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tool's name has 1 to 64 letters, digits, `_`, `-` and `.`")]
pub struct BadShownToolName;

impl ShownToolName {
    const LONGEST: usize = 64;

    pub fn parse(text: &str) -> Result<Self, BadShownToolName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let is_name = (1..=Self::LONGEST).contains(&text.len()) && text.bytes().all(allowed);
        is_name.then(|| Self(text.to_owned())).ok_or(BadShownToolName)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ShownToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
