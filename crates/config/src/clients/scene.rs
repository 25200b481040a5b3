//! One file being imported: its tree, its dialect, and what its words stand for.

use std::sync::Arc;

use super::dialect::{self, Dialect};
use super::import::ImportRequest;
use super::inputs::{self, Input};
use super::note::{Note, NoteKind};
use crate::place::Place;
use crate::problem::{Problem, Severity};
use crate::tree::Document;

pub(super) struct Scene<'a> {
    pub(super) request: &'a ImportRequest<'a>,
    pub(super) document: &'a Document,
    pub(super) dialect: &'static Dialect,
    pub(super) inputs: Vec<Input>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(request: &'a ImportRequest<'a>, document: &'a Document) -> Self {
        let dialect = dialect::of(request.client);
        Self { request, document, dialect, inputs: inputs::declared(&document.root) }
    }

    /// What stands at a path of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<Place<'a>> {
        let root = Place::root(self.document);
        keys.iter().try_fold(root, |place, key| child(&place, key))
    }

    pub(super) fn note(&self, kind: NoteKind, at: &Place<'_>, message: String) -> Note {
        Note::new(kind, &at.path, self.document.line(at.offset), message)
    }

    pub(super) fn not_a_table(&self, at: &Place<'_>) -> Problem {
        Problem {
            severity: Severity::Error,
            rule: "not-a-table",
            source: Arc::clone(&self.document.source),
            key: at.path.clone(),
            line: self.document.line(at.offset),
            message: format!("expected a table of servers, found {}", at.node.kind()),
            help: Some(format!("is this a file of {}?", self.request.client.title())),
        }
    }
}

/// The value of a key, exactly as it is spelt.
pub(super) fn child<'a>(place: &Place<'a>, key: &str) -> Option<Place<'a>> {
    place.members().find(|(name, _)| *name == key).map(|(_, place)| place)
}
