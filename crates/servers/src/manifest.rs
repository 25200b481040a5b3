//! What the suite offers: servers, their tools, and what is recommended for each.
//!
//! Recommendations are data. Nothing here grants anything; the host reads them as the lowest layer
//! of the configuration, and every layer above may say otherwise.

use toolgate_types::Trust;

use crate::repo::{ListFiles, ReadFile, Search};
use crate::tool::{BuiltinTool, OfferedTool};

/// A first-party server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstPartyServer {
    pub name: &'static str,
    pub description: &'static str,
    /// What it calls itself when it is connected to.
    pub program: &'static str,
    /// What a model should know before it uses the tools.
    pub instructions: &'static str,
    pub trust: Trust,
    pub tools: &'static [OfferedTool],
}

/// Everything that Toolgate brings.
pub fn manifest() -> &'static [FirstPartyServer] {
    &[FirstPartyServer {
        name: "repo",
        description: "Reads, lists and searches the files of one folder. It never writes, and \
                      serves neither Git's own files nor files that usually hold secrets.",
        program: "toolgate-repo",
        instructions: "Reads one folder. Paths are relative to it. Files that `.gitignore` names are \
                       left out of lists and searches; Git's own files and files that usually hold \
                       secrets are not served at all.",
        trust: Trust::Trusted,
        tools: &[ReadFile::OFFER, ListFiles::OFFER, Search::OFFER],
    }]
}
