//! What makes one client's file different from another's, as a value.
//!
//! Each client's own file says it.

use super::draft::ServerDraft;
use super::scene::ImportScene;
use super::variables::VariableForm;
use crate::place::DocumentPlace;

/// How a client writes its servers down.
pub(super) struct ClientDialect {
    /// The spellings of variables it understands.
    pub(super) forms: &'static [VariableForm],
    /// The key that a file with servers has, for the note about one that has none.
    pub(super) key: &'static str,
    /// The tables of servers in a file; an entry of a later one stands in for an earlier one's.
    pub(super) tables: for<'a> fn(&ImportScene<'a>) -> Vec<DocumentPlace<'a>>,
    /// Takes one key of a server; `false` for a key that has no counterpart.
    pub(super) take: fn(&mut ServerDraft<'_>, &str, &DocumentPlace<'_>) -> bool,
    /// Why a server is off although its own entry does not say so.
    pub(super) off: fn(&ImportScene<'_>, &str) -> Option<&'static str>,
}

/// For clients where only the entry itself says whether it is on.
pub(super) fn never_off(_: &ImportScene<'_>, _: &str) -> Option<&'static str> {
    None
}
