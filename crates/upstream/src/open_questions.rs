//! The questions of a server that are open about one operation: as long as one is, the operation's
//! time stands still, and when the operation is over, so are they.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Of one operation. Dropped with it, which takes its questions back.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    open: Arc<OpenCount>,
    over: CancellationToken,
}

#[derive(Debug, Default)]
struct OpenCount {
    count: AtomicUsize,
    /// Since when there is at least one.
    since: Mutex<Option<Instant>>,
    /// Others need the server, and nobody answers.
    gives_way: CancellationToken,
}

/// One open question.
#[derive(Debug)]
pub(crate) struct AskedMeanwhile {
    open: Arc<OpenCount>,
    /// The operation is over.
    pub(crate) over: CancellationToken,
}

/// Whether anything is open, for who waits for the operation.
#[derive(Debug, Clone)]
pub(crate) struct QuestionWatch(Arc<OpenCount>);

impl OpenQuestions {
    pub(crate) fn one_more(&self) -> AskedMeanwhile {
        let open = Arc::clone(&self.open);
        if open.count.fetch_add(1, Ordering::Relaxed) == 0 {
            *open.since.lock() = Some(Instant::now());
        }
        AskedMeanwhile { open, over: self.over.clone() }
    }

    pub(crate) fn watch(&self) -> QuestionWatch {
        QuestionWatch(Arc::clone(&self.open))
    }
}

impl QuestionWatch {
    pub(crate) fn is_open(&self) -> bool {
        self.0.count.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn open_since(&self) -> Option<Instant> {
        self.is_open().then(|| *self.0.since.lock()).flatten()
    }

    /// The operation is to end, for others who need its server.
    pub(crate) fn give_way(&self) {
        self.0.gives_way.cancel();
    }

    pub(crate) async fn gives_way(&self) {
        self.0.gives_way.cancelled().await;
    }
}

impl Drop for OpenQuestions {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Drop for AskedMeanwhile {
    fn drop(&mut self) {
        self.open.count.fetch_sub(1, Ordering::Relaxed);
    }
}
