//! The server `repo`: reads, lists and searches one folder, and leaves it by no path.
//!
//! A call from Rust ([`RepoServer::call`]) and a call of one of its [tools](RepoServer::tools) run the same code. It writes nothing,
//! starts nothing and connects to nothing; which callers see it is the host's matter.

mod bounds;
mod folder;
mod ignored;
mod list;
mod open_beneath;
mod private;
mod read;
mod refusal;
mod rules;
mod search;
mod served_tool;
mod walk;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use bounds::RepoBounds;
pub use list::{FolderListing, ListFiles};
pub use private::PrivatePlaces;
pub use read::{FileText, ReadFile};
pub use refusal::RepoRefusal;
pub use search::{FileLines, FoundLine, Search, SearchResults};

use crate::tool::BuiltinTool;
use bounds::StopSignal;
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

/// One folder, readable.
#[derive(Debug, Clone)]
pub struct RepoServer {
    place: Arc<ServedRepo>,
    turns: Arc<Semaphore>,
}

impl RepoServer {
    pub fn new(root: PathBuf, private: PrivatePlaces) -> Self {
        Self::with_bounds(root, private, RepoBounds::default())
    }

    pub fn with_bounds(root: PathBuf, private: PrivatePlaces, bounds: RepoBounds) -> Self {
        let place = ServedRepo { folder: ServedFolder::new(root, private), bounds };
        Self { place: Arc::new(place), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Runs a tool. Dropping the future stops the work soon.
    #[allow(private_bounds, reason = "the three tools are all there are")]
    pub async fn call<T: RepoToolRun>(&self, tool: T) -> Result<T::Output, RepoRefusal> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| RepoRefusal::Stopped)?;
        let place = Arc::clone(&self.place);
        let dropped = CancellationToken::new();
        let _guard = dropped.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || {
            // Held by the work, not by who waits for it: a dropped call still uses its thread.
            let _turn = turn;
            let stop = StopSignal::new(dropped, place.bounds.time);
            tool.run(&place, &stop)
        });
        work.await.unwrap_or(Err(RepoRefusal::Stopped))
    }
}
