//! The server `repo`: reads, lists and searches one folder, and leaves it by no path.
//!
//! A call from Rust ([`Repo::call`]) and a call over MCP run the same code. It writes nothing,
//! starts nothing and connects to nothing; which callers see it is the host's matter.

mod bounds;
mod folder;
mod handler;
mod ignored;
mod list;
mod opening;
mod private;
mod read;
mod refusal;
mod rules;
mod search;
mod walk;

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::service::serve_server_with_ct;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use bounds::Bounds;
pub use list::{ListFiles, Listing};
pub use private::PrivatePlaces;
pub use read::{FileText, ReadFile};
pub use refusal::Refusal;
pub use search::{FileLines, Line, Search, SearchResults};

use crate::ending::Ending;
use crate::tool::Tool;
use bounds::Stop;
use folder::Folder;

/// The most that lies unread in the pipe.
const PIPE: usize = 64 * 1024;

/// How many calls of one folder work at the same time; each holds a thread and some descriptors.
const AT_ONCE: usize = 4;

/// A tool of this server: what it does, once its arguments are there.
pub(crate) trait Run: Tool {
    fn run(self, place: &Place, stop: &Stop) -> Result<Self::Output, Refusal>;
}

/// Where a call works, and how much it may give.
#[derive(Debug)]
pub(crate) struct Place {
    folder: Folder,
    bounds: Bounds,
}

/// One folder, readable.
#[derive(Debug, Clone)]
pub struct Repo {
    place: Arc<Place>,
    turns: Arc<Semaphore>,
}

impl Repo {
    pub fn new(root: PathBuf, private: PrivatePlaces) -> Self {
        Self::with_bounds(root, private, Bounds::default())
    }

    pub fn with_bounds(root: PathBuf, private: PrivatePlaces, bounds: Bounds) -> Self {
        let place = Place { folder: Folder::new(root, private), bounds };
        Self { place: Arc::new(place), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Runs a tool. Dropping the future stops the work soon.
    #[allow(private_bounds, reason = "the three tools are all there are")]
    pub async fn call<T: Run>(&self, tool: T) -> Result<T::Output, Refusal> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| Refusal::Stopped)?;
        let place = Arc::clone(&self.place);
        let dropped = CancellationToken::new();
        let _guard = dropped.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || {
            // Held by the work, not by who waits for it: a dropped call still uses its thread.
            let _turn = turn;
            let stop = Stop::new(dropped, place.bounds.time);
            tool.run(&place, &stop)
        });
        work.await.unwrap_or(Err(Refusal::Stopped))
    }

    /// Serves one connection until the other side closes it; calls under way stop then.
    pub async fn serve<S>(self, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (reader, writer) = tokio::io::split(stream);
        let over = CancellationToken::new();
        let reader = Ending { reader, over: over.clone() };
        // A peer that leaves during the handshake has lost nothing that anybody could tell it.
        if let Ok(running) = serve_server_with_ct(self, (reader, writer), over).await {
            let _ = running.waiting().await;
        }
    }
}

/// Serves a folder in process: each call is one more connection, on the runtime it is made in.
pub fn repo(
    root: PathBuf,
    private: PrivatePlaces,
) -> impl Fn() -> DuplexStream + Send + Sync + 'static {
    let repo = Repo::new(root, private);
    move || {
        let (ours, theirs) = duplex(PIPE);
        tokio::spawn(repo.clone().serve(theirs));
        ours
    }
}
