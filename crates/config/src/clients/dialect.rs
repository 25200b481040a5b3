//! What makes one client's file different from another's, as a value.
//!
//! Each client's own file says it; this one only holds the choices together.

use super::draft::Draft;
use super::scene::Scene;
use super::variables::Form;
use super::{Client, claude, codex, cursor, gemini, opencode, vscode, windsurf, zed};
use crate::place::Place;

/// How a client writes its servers down.
pub(super) struct Dialect {
    /// The spellings of variables it understands.
    pub(super) forms: &'static [Form],
    /// The key that a file with servers has, for the note about one that has none.
    pub(super) key: &'static str,
    /// The tables of servers in a file; an entry of a later one stands in for an earlier one's.
    pub(super) tables: for<'a> fn(&Scene<'a>) -> Vec<Place<'a>>,
    /// Takes one key of a server; `false` for a key that has no counterpart.
    pub(super) take: fn(&mut Draft<'_>, &str, &Place<'_>) -> bool,
    /// Why a server is off although its own entry does not say so.
    pub(super) off: fn(&Scene<'_>, &str) -> Option<&'static str>,
}

pub(super) fn of(client: Client) -> &'static Dialect {
    match client {
        Client::ClaudeCode => &claude::CODE,
        Client::ClaudeDesktop => &claude::DESKTOP,
        Client::Cursor => &cursor::DIALECT,
        Client::VsCode => &vscode::DIALECT,
        Client::Codex => &codex::DIALECT,
        Client::Opencode => &opencode::DIALECT,
        Client::Gemini => &gemini::DIALECT,
        Client::Windsurf => &windsurf::DIALECT,
        Client::Zed => &zed::DIALECT,
    }
}

/// For clients where only the entry itself says whether it is on.
pub(super) fn never_off(_: &Scene<'_>, _: &str) -> Option<&'static str> {
    None
}
