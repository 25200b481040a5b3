//! What the suite offers: servers, their tools, and what is recommended for each.
//!
//! Recommendations are data. Nothing here grants anything; the host reads them as the lowest layer
//! of the configuration, and every layer above may say otherwise.

use toolgate_types::Trust;
use toolgate_types::config::ApprovalMode;

use crate::repo::{ListFiles, ReadFile, Search};
use crate::tool::Tool;

/// A first-party server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manifest {
    pub name: &'static str,
    pub description: &'static str,
    pub trust: Trust,
    pub tools: &'static [Offer],
}

/// A tool of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// Whether a call of it needs a person.
    pub approval: ApprovalMode,
    /// Whether it is on the server's allow list when nobody writes one.
    pub exposed: bool,
    /// The roles it suits, by the names people usually give them.
    pub roles: &'static [&'static str],
}

/// Everything that Toolgate brings.
pub fn manifest() -> &'static [Manifest] {
    &[Manifest {
        name: "repo",
        description: "Reads, lists and searches the files of one folder. It never writes, and \
                      serves neither Git's own files nor files that usually hold secrets.",
        trust: Trust::Trusted,
        tools: &[ReadFile::OFFER, ListFiles::OFFER, Search::OFFER],
    }]
}
