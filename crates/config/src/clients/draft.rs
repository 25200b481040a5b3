//! One server on its way from another client's keys to ours.
//!
//! A draft collects what was mapped, what is to be told, and why the entry must be refused; it
//! goes on after a refusal, so that all reasons are known at once.

mod lists;
mod measures;
mod oauth;
mod process;
mod remote;
mod text;

pub(super) use measures::TimeUnit;

use serde_json::{Map, Value};

use super::imported::{ImportOutcome, ImportedServer};
use super::note::{ImportNote, NoteKind, printable};
use super::scene::{ImportScene, child};
use super::verify;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

/// The keys of an entry in the order they are written.
const ORDER: [&str; 21] = [
    "transport",
    "url",
    "headers",
    "env_headers",
    "bearer_token_env",
    "oauth",
    "command",
    "args",
    "cwd",
    "env",
    "env_vars",
    "description",
    "enabled",
    "required",
    "startup_timeout_ms",
    "request_timeout_ms",
    "tool_timeout_ms",
    "enabled_tools",
    "disabled_tools",
    "approval",
    "tools",
];

/// How a server is reached, as far as its client says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftTransport {
    Stdio,
    /// Streamable HTTP, falling back to SSE.
    Auto,
    Http,
    Sse,
}

pub(super) struct ServerDraft<'a> {
    scene: &'a ImportScene<'a>,
    at: DocumentPlace<'a>,
    entry: Map<String, Value>,
    mapped: Vec<(String, String)>,
    notes: Vec<ImportNote>,
    refusals: Vec<String>,
    /// Variables that stand for something a person has to give.
    to_be_given: Vec<String>,
    /// What the client's `type` says.
    kind: Option<DraftTransport>,
    /// What the key of the address says.
    address_kind: Option<DraftTransport>,
}

impl<'a> ServerDraft<'a> {
    /// One that has taken nothing yet.
    pub(super) fn blank(scene: &'a ImportScene<'a>, at: &DocumentPlace<'a>) -> Self {
        Self {
            scene,
            at: at.clone(),
            entry: Map::new(),
            mapped: Vec::new(),
            notes: Vec::new(),
            refusals: Vec::new(),
            to_be_given: Vec::new(),
            kind: None,
            address_kind: None,
        }
    }

    /// The client has it, and does not use it.
    pub(super) fn switch_off(&mut self, at: &DocumentPlace<'_>, reason: &str) {
        self.entry.insert("enabled".to_owned(), Value::Bool(false));
        self.note(NoteKind::Normalised, at, reason.to_owned());
    }

    pub(super) fn entry(&self) -> &Map<String, Value> {
        &self.entry
    }

    /// Whether the client's entry has this key.
    pub(super) fn has(&self, key: &str) -> bool {
        child(&self.at, key).is_some()
    }

    pub(super) fn note(&mut self, kind: NoteKind, at: &DocumentPlace<'_>, message: String) {
        let note = self.scene.note(kind, at, message);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn not_mapped(&mut self, at: &DocumentPlace<'_>) {
        let message = format!("`{}` has no counterpart here", self.key_of(at));
        self.note(NoteKind::NotMapped, at, message);
    }

    /// Two keys say the same thing, and the client listens to the other one.
    pub(super) fn superseded(&mut self, at: &DocumentPlace<'_>, by: &str) {
        let message = format!("`{by}` is taken instead, as the client does");
        self.note(NoteKind::NotMapped, at, message);
    }

    /// The other client would not ask; here a person decides anew.
    pub(super) fn ignore_trust(&mut self, at: &DocumentPlace<'_>) {
        let is_given = match &at.node.value {
            ConfigValue::Bool(given) => *given,
            ConfigValue::Array(items) => !items.is_empty(),
            ConfigValue::Table(members) => !members.is_empty(),
            _ => true,
        };
        if is_given {
            let key = self.key_of(at);
            let message = format!("`{key}` is ignored: what may run unasked is decided here anew");
            self.note(NoteKind::TrustIgnored, at, message);
        }
    }

    pub(super) fn refuse(&mut self, reason: String) {
        if !self.refusals.contains(&reason) {
            self.refusals.push(reason);
        }
    }

    pub(super) fn refuse_at(&mut self, at: &DocumentPlace<'_>, reason: &str) {
        let key = self.key_of(at);
        self.refuse(format!("`{key}`: {reason}"));
    }

    pub(super) fn put(&mut self, from: &DocumentPlace<'_>, to: &str, value: impl Into<Value>) {
        self.entry.insert(to.to_owned(), value.into());
        self.map(from, to);
    }

    /// Puts a value into a table of the entry.
    pub(super) fn put_in(&mut self, table: &str, key: &str, value: impl Into<Value>) {
        let inner = self.entry.entry(table).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(inner) = inner {
            inner.insert(key.to_owned(), value.into());
        }
    }

    pub(super) fn map(&mut self, from: &DocumentPlace<'_>, to: &str) {
        let pair = (self.key_of(from), to.to_owned());
        if !self.mapped.contains(&pair) {
            self.mapped.push(pair);
        }
    }

    /// The path of a value inside this entry.
    fn key_of(&self, at: &DocumentPlace<'_>) -> String {
        let inner = at.path.strip_prefix(self.at.path.as_str());
        inner.and_then(|path| path.strip_prefix('.')).unwrap_or(&at.path).to_owned()
    }

    pub(super) fn finish(mut self, name: &str, id: String) -> ImportedServer {
        if id != name {
            let message = format!("`{name}` is called `{id}` here");
            self.note(NoteKind::Renamed, &self.at.clone(), message);
        }
        if self.refusals.is_empty() {
            self.refusals = verify::complaints(self.scene, &self.entry, &self.to_be_given);
        }
        let outcome = match self.refusals.is_empty() {
            true => ImportOutcome::Ready,
            false => ImportOutcome::Refused(printable(self.refusals.join("; "))),
        };
        let position = |key: &str| ORDER.iter().position(|known| *known == key);
        let mut members: Vec<(String, Value)> = self.entry.into_iter().collect();
        members.sort_by_key(|(key, _)| position(key));
        ImportedServer {
            id,
            original_name: name.to_owned(),
            line: self.scene.document.line(self.at.offset),
            entry: members.into_iter().collect(),
            mapped: self.mapped,
            notes: self.notes,
            outcome,
            is_of_project: is_of_project(&self.at),
        }
    }
}

/// Claude Code alone keeps entries of projects in a person's own file.
fn is_of_project(entry: &DocumentPlace<'_>) -> bool {
    entry.path.starts_with("projects.")
}
