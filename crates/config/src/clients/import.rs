//! Reads another client's file into entries of our own.
//!
//! One bad server is refused by itself; only a file that cannot be read at all is an error. What
//! comes back is neither written nor accepted: that is for the caller and for a person.

use std::sync::Arc;

use super::dialect::ClientDialect;
use super::dialects::dialect_of;
use super::draft::ServerDraft;
use super::imported::{ImportRequest, ImportedFile};
use super::note::{ImportNote, NoteKind};
use super::scene::ImportScene;
use super::{id, own};
use crate::place::DocumentPlace;
use crate::problem::Problem;
use crate::tree::{ConfigDocument, ConfigValue};

/// Every server of a file, or why the file as a whole cannot be read.
pub fn import(request: &ImportRequest<'_>) -> Result<ImportedFile, Vec<Problem>> {
    // A mark that editors on other systems put in front.
    let text = request.text.strip_prefix('\u{feff}').unwrap_or(request.text);
    let source = Arc::clone(&request.source);
    let document = ConfigDocument::parse(source, request.client.format(), text)?;
    let dialect = dialect_of(request.client);
    let scene = ImportScene::new(request, &document, dialect.forms);
    let root = DocumentPlace::root(&document);
    if document.root.table().is_none() {
        return Err(vec![scene.not_a_table(&root)]);
    }
    let tables = (dialect.tables)(&scene);
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
        let key = dialect.key;
        let message = format!("there is no `{key}`, where {title} keeps its servers");
        notes.push(scene.note(NoteKind::NoServers, &root, message));
    }
    let mut drafts = Vec::new();
    for (name, place) in named(&scene, &tables, &mut notes) {
        let draft = drafted(&scene, dialect, name, &place);
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
    Ok(ImportedFile { servers: servers.collect(), notes })
}

/// The entries of all tables by name; a later one takes the place of an earlier one.
fn named<'a>(
    scene: &ImportScene<'a>,
    tables: &[DocumentPlace<'a>],
    notes: &mut Vec<ImportNote>,
) -> Vec<(&'a str, DocumentPlace<'a>)> {
    let mut entries: Vec<(&str, DocumentPlace<'_>)> = Vec::new();
    for (name, place) in tables.iter().flat_map(DocumentPlace::members) {
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

/// One entry, key by key as its client writes them.
fn drafted<'a>(
    scene: &'a ImportScene<'a>,
    dialect: &ClientDialect,
    name: &str,
    at: &DocumentPlace<'a>,
) -> ServerDraft<'a> {
    let mut draft = ServerDraft::blank(scene, at);
    if at.node.table().is_none() {
        draft.refuse(format!("the entry is {} instead of a table", at.node.kind()));
        return draft;
    }
    for (key, value) in at.members() {
        let is_null = matches!(value.node.value, ConfigValue::Null);
        if !is_null && !(dialect.take)(&mut draft, key, &value) {
            draft.not_mapped(&value);
        }
    }
    let is_off_elsewhere = scene.request.switched_off.iter().any(|off| off == name);
    let elsewhere = is_off_elsewhere.then_some("off, because the client's settings switch it off");
    if let Some(reason) = (dialect.off)(scene, name).or(elsewhere) {
        draft.switch_off(at, reason);
    }
    draft.settle_transport();
    draft
}
