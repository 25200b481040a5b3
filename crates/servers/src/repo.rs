//! The server `repo`: reads, lists and searches one folder and what Git knows of it, and leaves it by no
//! path.
//!
//! A call from Rust ([`RepoServer::call`]) and a call of one of its [tools](RepoServer::tools) run the same code. It starts
//! nothing and connects to nothing, and writes only by the two tools that are apart from the others
//! ([`RepoServer::writing_tools`]); which callers see it is the host's matter.

pub(crate) mod bounds;
mod file_resources;
pub(crate) mod folder;
mod git;
mod ignored;
mod list;
pub(crate) mod open_beneath;
#[cfg(feature = "outline")]
mod outline;
mod private;
mod prompts;
mod read;
mod refusal;
mod rules;
mod search;
mod served_tool;
mod unified_diff;
pub(crate) mod walk;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

use toolgate_types::{Prompt, ResourceProvider};

pub use bounds::RepoBounds;
pub use git::{
    BlamedLines, ChangeKind, ChangedFile, GitBlame, GitBlamed, GitDiff, GitDiffed, GitHistory,
    GitLog, GitShow, GitShown, GitState, GitStatus, ShownCommit, StatusPath,
};
pub use list::{FolderListing, ListFiles};
#[cfg(feature = "outline")]
pub use outline::{FileOutline, Outline, OutlineItem};
pub use private::PrivatePlaces;
pub use read::{FileText, ReadFile};
pub use refusal::RepoRefusal;
pub use search::{FileLines, FoundLine, Search, SearchResults};
pub use write::{EditFile, FileWritten, WriteFile};

use crate::tool::BuiltinTool;
use crate::work_turns::WorkTurns;
use bounds::StopSignal;
use file_resources::FileResources;
use folder::ServedFolder;

/// How many calls of one folder work at the same time; each holds a thread and some descriptors.
const AT_ONCE: usize = 4;

/// A tool of this server: what it does, once its arguments are there.
pub(crate) trait RepoToolRun: BuiltinTool {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<Self::Output, RepoRefusal>;
}

/// Where a call works, and how much it may give.
#[derive(Debug)]
pub(crate) struct ServedRepo {
    folder: ServedFolder,
    bounds: RepoBounds,
}

/// One folder.
#[derive(Debug, Clone)]
pub struct RepoServer {
    place: Arc<ServedRepo>,
    turns: WorkTurns,
}

impl RepoServer {
    pub fn new(root: PathBuf, private: PrivatePlaces) -> Self {
        Self::with_bounds(root, private, RepoBounds::default())
    }

    pub fn with_bounds(root: PathBuf, private: PrivatePlaces, bounds: RepoBounds) -> Self {
        let place = ServedRepo { folder: ServedFolder::new(root, private), bounds };
        Self { place: Arc::new(place), turns: WorkTurns::new(AT_ONCE) }
    }

    /// Every file, by a template.
    pub fn resources(&self) -> Arc<dyn ResourceProvider> {
        Arc::new(FileResources(self.clone()))
    }

    /// What a person may have an agent begin with here.
    pub fn prompts(&self) -> Vec<Arc<dyn Prompt>> {
        prompts::prompts()
    }

    /// Runs a tool. Dropping the future stops the work soon.
    #[allow(private_bounds, reason = "the tools here are all there are")]
    pub async fn call<T: RepoToolRun>(&self, tool: T) -> Result<T::Output, RepoRefusal> {
        let (place, time) = (Arc::clone(&self.place), self.place.bounds.time);
        self.turns.run(time, move |stop| tool.run(&place, stop)).await?
    }
}
