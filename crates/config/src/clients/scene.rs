//! One file being imported: its tree, its spellings of variables, and what its words stand for.

use std::sync::Arc;

use super::imported::ImportRequest;
use super::inputs::{self, DeclaredInput};
use super::note::{ImportNote, NoteKind};
use super::variables::VariableForm;
use crate::place::DocumentPlace;
use crate::problem::{Problem, Severity};
use crate::tree::ConfigDocument;

pub(super) struct ImportScene<'a> {
    pub(super) request: &'a ImportRequest<'a>,
    pub(super) document: &'a ConfigDocument,
    pub(super) forms: &'static [VariableForm],
    pub(super) inputs: Vec<DeclaredInput>,
}

impl<'a> ImportScene<'a> {
    pub(super) fn new(
        request: &'a ImportRequest<'a>,
        document: &'a ConfigDocument,
        forms: &'static [VariableForm],
    ) -> Self {
        Self { request, document, forms, inputs: inputs::declared(&document.root) }
    }

    /// What stands at a path of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<DocumentPlace<'a>> {
        let root = DocumentPlace::root(self.document);
        keys.iter().try_fold(root, |place, key| child(&place, key))
    }

    pub(super) fn note(
        &self,
        kind: NoteKind,
        at: &DocumentPlace<'_>,
        message: String,
    ) -> ImportNote {
        ImportNote::new(kind, &at.path, self.document.line(at.offset), message)
    }

    pub(super) fn not_a_table(&self, at: &DocumentPlace<'_>) -> Problem {
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
pub(super) fn child<'a>(place: &DocumentPlace<'a>, key: &str) -> Option<DocumentPlace<'a>> {
    place.members().find(|(name, _)| *name == key).map(|(_, place)| place)
}
