//! What the suite offers: servers, their tools, and what is recommended for each.
//!
//! Recommendations are data. Nothing here grants anything; the host reads them as the lowest layer
//! of the configuration, and every layer above may say otherwise.

use toolgate_types::Trust;

use crate::docs::{ReadDoc, SearchDocs};
use crate::repo::{
    EditFile, GitBlame, GitDiff, GitLog, GitShow, GitStatus, ListFiles, ReadFile, Search, WriteFile,
};
use crate::tool::{BuiltinTool, OfferedTool};
use crate::workflow::{
    ArtifactQuery, ArtifactRead, ArtifactSearch, NoteAdd, NotesList, PlanGet, PlanSet,
};

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
    &[REPO, DOCS, WORKFLOW]
}

const REPO: FirstPartyServer = FirstPartyServer {
    name: "repo",
    description: "Reads, lists and searches the files of one folder, and what Git knows of \
                      them. It writes only where an entry names `write_file` or `edit_file`, and \
                      then asks each time. It serves neither Git's own files nor files that \
                      usually hold secrets.",
    program: "toolgate-repo",
    instructions: "Reads one folder, and its Git repository. Paths are relative to it. Files that `.gitignore` names are \
                       left out of lists and searches; Git's own files and files that usually hold \
                       secrets are not served at all.",
    trust: Trust::Trusted,
    tools: &[
        ReadFile::OFFER,
        ListFiles::OFFER,
        Search::OFFER,
        #[cfg(feature = "outline")]
        crate::repo::Outline::OFFER,
        GitStatus::OFFER,
        GitLog::OFFER,
        GitDiff::OFFER,
        GitShow::OFFER,
        GitBlame::OFFER,
        WriteFile::OFFER,
        EditFile::OFFER,
    ],
};

const DOCS: FirstPartyServer = FirstPartyServer {
    name: "docs",
    description: "Finds and reads what is written in one folder: Markdown, doc comments in Rust, \
                  plain text. It never writes.",
    program: "toolgate-docs",
    instructions: "Search before you read: a hit names page, heading and line for `read_doc`.",
    trust: Trust::Trusted,
    tools: &[SearchDocs::OFFER, ReadDoc::OFFER],
};

const WORKFLOW: FirstPartyServer = FirstPartyServer {
    name: "workflow",
    description: "Keeps a plan and notes for the work in one folder, and reads results that were \
                  too long to pass on.",
    program: "toolgate-workflow",
    instructions: "A plan and notes outlive the session. A result that was too long is kept as an \
                   artifact for some days: read, search or query the part that matters.",
    trust: Trust::Trusted,
    tools: &[
        PlanGet::OFFER,
        PlanSet::OFFER,
        NoteAdd::OFFER,
        NotesList::OFFER,
        ArtifactRead::OFFER,
        ArtifactSearch::OFFER,
        ArtifactQuery::OFFER,
    ],
};
