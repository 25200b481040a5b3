//! The server `docs`: finds and reads what is written in one folder, and in those that its entry names
//! besides: Markdown, doc comments in Rust, plain text.
//!
//! It leaves these folders by no path and shows nothing that `repo` would not: the way to a file is the same.
//! Nothing is read before somebody asks, and the index goes when nobody asked for a while. It writes
//! nothing, starts nothing and connects to nothing.

mod docs_places;
mod kept_index;
mod page_index;
mod page_resources;
mod page_walk;
mod read_doc;
mod search_docs;
mod sections;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use toolgate_types::{Principal, ResourceProvider, Tool};

pub use docs_places::FurtherFolder;
pub use read_doc::{DocSection, ReadDoc};
pub use search_docs::{DocHit, DocHits, SearchDocs};

use crate::repo::bounds::{RepoBounds, StopSignal};
use crate::repo::{PrivatePlaces, RepoRefusal};
use crate::served_tool::{RunsTool, served_tool};
use crate::tool::BuiltinTool;
use crate::work_turns::WorkTurns;
use docs_places::DocsPlaces;
use kept_index::KeptIndex;
use page_resources::PageResources;

/// How many calls of one folder work at the same time.
const AT_ONCE: usize = 4;

/// What is read and kept at most.
#[derive(Debug, Clone)]
pub struct DocsBounds {
    /// Pages that are indexed.
    pub pages: usize,
    /// Bytes of one page; what is longer is left out.
    pub page_bytes: u64,
    /// Bytes of all pages together.
    pub all_bytes: u64,
    /// How long it is believed that no page changed.
    pub believed: Duration,
    /// After so long without a question the index goes.
    pub idle: Duration,
    /// How long a call works; the first one makes the index.
    pub time: Duration,
}

impl Default for DocsBounds {
    fn default() -> Self {
        Self {
            pages: 20_000,
            page_bytes: 1 << 20,
            all_bytes: 128 << 20,
            believed: Duration::from_secs(2),
            idle: Duration::from_secs(600),
            time: Duration::from_secs(30),
        }
    }
}

/// Where a call works.
#[derive(Debug)]
pub(crate) struct ServedDocs {
    places: DocsPlaces,
    walk: RepoBounds,
    bounds: DocsBounds,
    index: Mutex<Option<KeptIndex>>,
}

/// A tool of this server: what it does, once its arguments are there.
pub(crate) trait DocsToolRun: BuiltinTool {
    fn run(self, place: &ServedDocs, stop: &StopSignal) -> Result<Self::Output, RepoRefusal>;
}

/// What is written in some folders.
#[derive(Debug, Clone)]
pub struct DocsServer {
    place: Arc<ServedDocs>,
    turns: WorkTurns,
}

impl DocsServer {
    pub fn new(root: PathBuf, private: PrivatePlaces) -> Self {
        Self::with_bounds(root, Vec::new(), private, DocsBounds::default())
    }

    /// The pages of more than one folder.
    pub fn of_folders(root: PathBuf, further: Vec<FurtherFolder>, private: PrivatePlaces) -> Self {
        Self::with_bounds(root, further, private, DocsBounds::default())
    }

    pub fn with_bounds(
        root: PathBuf,
        further: Vec<FurtherFolder>,
        private: PrivatePlaces,
        bounds: DocsBounds,
    ) -> Self {
        let walk = RepoBounds { time: bounds.time, ..RepoBounds::default() };
        let places = DocsPlaces::new(root, further, &private);
        let place = ServedDocs { places, walk, bounds, index: Mutex::default() };
        Self { place: Arc::new(place), turns: WorkTurns::new(AT_ONCE) }
    }

    /// Every tool of this folder.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        [served_tool::<SearchDocs, _>(self), served_tool::<ReadDoc, _>(self)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Every page.
    pub fn resources(&self) -> Arc<dyn ResourceProvider> {
        Arc::new(PageResources(self.clone()))
    }

    /// Runs a tool. Dropping the future stops the work soon.
    #[allow(private_bounds, reason = "the tools of this crate are all there are")]
    pub async fn call<T: DocsToolRun>(&self, tool: T) -> Result<T::Output, RepoRefusal> {
        self.work(move |place, stop| tool.run(place, stop)).await
    }

    /// Whether an index is held now.
    pub fn is_indexed(&self) -> bool {
        self.place.index.lock().is_some()
    }

    async fn work<O: Send + 'static>(
        &self,
        work: impl FnOnce(&ServedDocs, &StopSignal) -> Result<O, RepoRefusal> + Send + 'static,
    ) -> Result<O, RepoRefusal> {
        let (place, time) = (Arc::clone(&self.place), self.place.bounds.time);
        let done = self.turns.run(time, move |stop| work(&place, stop)).await?;
        kept_index::let_go_when_idle(&self.place);
        done
    }
}

#[async_trait]
impl<T: DocsToolRun> RunsTool<T> for DocsServer {
    type Refusal = RepoRefusal;

    /// A folder is the same for everybody who may see it.
    async fn run_for(&self, _: &Principal, tool: T) -> Result<T::Output, RepoRefusal> {
        self.call(tool).await
    }
}
