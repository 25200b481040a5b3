//! Reads another client's file into entries of our own.
//!
//! One bad server is refused by itself; only a file that cannot be read at all is an error. What
//! comes back is neither written nor accepted: that is for the caller and for a person.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_types::Source;

use super::draft::Draft;
use super::note::{Note, NoteKind};
use super::scene::Scene;
use super::{Client, id, own};
use crate::place::Place;
use crate::problem::Problem;
use crate::tree::Document;
use toolgate_types::Variables;

/// What an import starts from. Nothing else is looked at.
#[derive(Clone)]
pub struct ImportRequest<'a> {
    pub client: Client,
    /// The name of the text in problems.
    pub source: Arc<Source>,
    pub text: &'a str,
    /// What `${workspaceFolder}` stands for.
    pub workspace: &'a Path,
    /// What `${userHome}` stands for.
    pub home: &'a Path,
    /// The variables that count as set.
    pub variables: &'a Variables,
    /// Under which names `~/.claude.json` may know the workspace: its path as given and as resolved.
    pub project_keys: &'a [String],
}

/// What a file held.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    pub servers: Vec<ImportedServer>,
    /// Notes about the file and about entries that were left out.
    pub notes: Vec<Note>,
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
    pub notes: Vec<Note>,
    pub outcome: Outcome,
    /// Whether a person's own file keeps it for this workspace alone.
    pub is_of_project: bool,
}

/// Whether an entry can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Ready,
    /// With the reason; the entry is incomplete and must not be written.
    Refused(String),
}

impl ImportedServer {
    pub fn is_ready(&self) -> bool {
        self.outcome == Outcome::Ready
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

/// Every server of a file, or why the file as a whole cannot be read.
pub fn import(request: &ImportRequest<'_>) -> Result<Imported, Vec<Problem>> {
    // A mark that editors on other systems put in front.
    let text = request.text.strip_prefix('\u{feff}').unwrap_or(request.text);
    let source = Arc::clone(&request.source);
    let document = Document::parse(source, request.client.format(), text)?;
    let scene = Scene::new(request, &document);
    let root = Place::root(&document);
    if document.root.table().is_none() {
        return Err(vec![scene.not_a_table(&root)]);
    }
    let tables = (scene.dialect.tables)(&scene);
    let wrong: Vec<Problem> = tables
        .iter()
        .filter(|table| table.node.table().is_none())
        .map(|table| scene.not_a_table(table))
        .collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut notes = Vec::new();
    if tables.is_empty() {
        let title = request.client.title();
        let key = scene.dialect.key;
        let message = format!("there is no `{key}`, where {title} keeps its servers");
        notes.push(scene.note(NoteKind::NoServers, &root, message));
    }
    let mut drafts = Vec::new();
    for (name, place) in named(&scene, &tables, &mut notes) {
        let draft = Draft::of(&scene, name, &place);
        if own::is_own_entry(name, draft.entry()) {
            let message = format!("`{name}` is Toolgate itself and is left out");
            notes.push(scene.note(NoteKind::OwnEntry, &place, message));
        } else {
            drafts.push((name, draft));
        }
    }
    let names: Vec<&str> = drafts.iter().map(|(name, _)| *name).collect();
    let ids = id::assign(&names);
    let servers = drafts.into_iter().zip(ids).map(|((name, draft), id)| draft.finish(name, id));
    Ok(Imported { servers: servers.collect(), notes })
}

/// The entries of all tables by name; a later one takes the place of an earlier one.
fn named<'a>(
    scene: &Scene<'a>,
    tables: &[Place<'a>],
    notes: &mut Vec<Note>,
) -> Vec<(&'a str, Place<'a>)> {
    let mut entries: Vec<(&str, Place<'_>)> = Vec::new();
    for (name, place) in tables.iter().flat_map(Place::members) {
        match entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, earlier)) => {
                let message = format!("the entry of this project (`{}`) is taken", place.path);
                notes.push(scene.note(NoteKind::Overridden, earlier, message));
                *earlier = place;
            }
            None => entries.push((name, place)),
        }
    }
    entries
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
