//! What an import starts from, and what comes of it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_types::{ConfigSource, Variables};

use super::KnownClient;
use super::note::ImportNote;

/// What an import starts from. Nothing else is looked at.
#[derive(Clone)]
pub struct ImportRequest<'a> {
    pub client: KnownClient,
    /// The name of the text in problems.
    pub source: Arc<ConfigSource>,
    pub text: &'a str,
    /// What `${workspaceFolder}` stands for.
    pub workspace: &'a Path,
    /// What `${userHome}` stands for.
    pub home: &'a Path,
    /// The variables that count as set.
    pub variables: &'a Variables,
    /// Under which names `~/.claude.json` may know the workspace: its path as given and as resolved.
    pub project_keys: &'a [String],
    /// The servers that the client has switched off in another file than this.
    pub switched_off: &'a [String],
}

/// What a file held.
#[derive(Debug, Clone, Default)]
pub struct ImportedFile {
    pub servers: Vec<ImportedServer>,
    /// Notes about the file and about entries that were left out.
    pub notes: Vec<ImportNote>,
}

/// One server in our own keys.
#[derive(Clone)]
pub struct ImportedServer {
    /// A valid server id, different from all others of this import.
    pub id: String,
    pub original_name: String,
    /// 1-based line of the entry in the other client's file.
    pub line: usize,
    /// Native keys in a fixed order. May hold literal secrets; variables are `${V}`, a literal
    /// `${` is `$${`, as in a TOML file.
    pub entry: Map<String, Value>,
    /// Which key became which.
    pub mapped: Vec<(String, String)>,
    pub notes: Vec<ImportNote>,
    pub outcome: ImportOutcome,
    /// Whether a person's own file keeps it for this workspace alone.
    pub is_of_project: bool,
}

/// Whether an entry can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    Ready,
    /// With the reason; the entry is incomplete and must not be written.
    Refused(String),
}

impl ImportedServer {
    pub fn is_ready(&self) -> bool {
        self.outcome == ImportOutcome::Ready
    }

    /// Whether the entry means what it says only where `${V}` is expanded: in TOML, or in JSON
    /// with `expand_env`.
    pub fn needs_expansion(&self) -> bool {
        fn mentions(value: &Value) -> bool {
            match value {
                Value::String(text) => text.contains("${"),
                Value::Array(items) => items.iter().any(mentions),
                Value::Object(members) => members.values().any(mentions),
                _ => false,
            }
        }
        // A description is for people and stays as it is in either.
        self.entry.iter().any(|(key, value)| key != "description" && mentions(value))
    }
}

impl fmt::Debug for ImportRequest<'_> {
    /// Without the text and the values of variables, which hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportRequest")
            .field("client", &self.client)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ImportedServer {
    /// Without the values of the entry, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportedServer")
            .field("id", &self.id)
            .field("original_name", &self.original_name)
            .field("keys", &self.entry.keys().collect::<Vec<_>>())
            .field("notes", &self.notes)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
