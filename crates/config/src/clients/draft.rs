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

pub(super) use measures::Unit;

use serde_json::{Map, Value};

use super::claude;
use super::import::{ImportedServer, Outcome};
use super::note::{Note, NoteKind, printable};
use super::scene::{Scene, child};
use super::verify;
use crate::place::Place;
use crate::tree;

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
pub(super) enum Kind {
    Stdio,
    /// Streamable HTTP, falling back to SSE.
    Auto,
    Http,
    Sse,
}

pub(super) struct Draft<'a> {
    scene: &'a Scene<'a>,
    at: Place<'a>,
    entry: Map<String, Value>,
    mapped: Vec<(String, String)>,
    notes: Vec<Note>,
    refusals: Vec<String>,
    /// Variables that stand for something a person has to give.
    to_be_given: Vec<String>,
    /// What the client's `type` says.
    kind: Option<Kind>,
    /// What the key of the address says.
    address_kind: Option<Kind>,
}

impl<'a> Draft<'a> {
    pub(super) fn of(scene: &'a Scene<'a>, name: &str, at: &Place<'a>) -> Self {
        let mut draft = Self {
            scene,
            at: at.clone(),
            entry: Map::new(),
            mapped: Vec::new(),
            notes: Vec::new(),
            refusals: Vec::new(),
            to_be_given: Vec::new(),
            kind: None,
            address_kind: None,
        };
        if at.node.table().is_none() {
            draft.refuse(format!("the entry is {} instead of a table", at.node.kind()));
            return draft;
        }
        for (key, value) in at.members() {
            let is_null = matches!(value.node.value, tree::Value::Null);
            if !is_null && !(scene.dialect.take)(&mut draft, key, &value) {
                draft.not_mapped(&value);
            }
        }
        if let Some(reason) = (scene.dialect.off)(scene, name) {
            draft.entry.insert("enabled".to_owned(), Value::Bool(false));
            draft.note(NoteKind::Normalised, at, reason.to_owned());
        }
        draft.settle_transport();
        draft
    }

    pub(super) fn entry(&self) -> &Map<String, Value> {
        &self.entry
    }

    /// Whether the client's entry has this key.
    pub(super) fn has(&self, key: &str) -> bool {
        child(&self.at, key).is_some()
    }

    pub(super) fn note(&mut self, kind: NoteKind, at: &Place<'_>, message: String) {
        let note = self.scene.note(kind, at, message);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn not_mapped(&mut self, at: &Place<'_>) {
        let message = format!("`{}` has no counterpart here", self.key_of(at));
        self.note(NoteKind::NotMapped, at, message);
    }

    /// Two keys say the same thing, and the client listens to the other one.
    pub(super) fn superseded(&mut self, at: &Place<'_>, by: &str) {
        let message = format!("`{by}` is taken instead, as the client does");
        self.note(NoteKind::NotMapped, at, message);
    }

    /// The other client would not ask; here a person decides anew.
    pub(super) fn ignore_trust(&mut self, at: &Place<'_>) {
        let is_given = match &at.node.value {
            tree::Value::Bool(given) => *given,
            tree::Value::Array(items) => !items.is_empty(),
            tree::Value::Table(members) => !members.is_empty(),
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

    pub(super) fn refuse_at(&mut self, at: &Place<'_>, reason: &str) {
        let key = self.key_of(at);
        self.refuse(format!("`{key}`: {reason}"));
    }

    pub(super) fn put(&mut self, from: &Place<'_>, to: &str, value: impl Into<Value>) {
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

    pub(super) fn map(&mut self, from: &Place<'_>, to: &str) {
        let pair = (self.key_of(from), to.to_owned());
        if !self.mapped.contains(&pair) {
            self.mapped.push(pair);
        }
    }

    /// The path of a value inside this entry.
    fn key_of(&self, at: &Place<'_>) -> String {
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
            true => Outcome::Ready,
            false => Outcome::Refused(printable(self.refusals.join("; "))),
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
            is_of_project: claude::is_of_project(&self.at),
        }
    }
}
