//! The questions of a server that are open about one operation: as long as one is, the operation's
//! time stands still, and when the operation is over, so are they.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Of one operation. Dropped with it, which takes its questions back.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    open: Arc<OpenCount>,
    /// From the first question on: most operations have none.
    over: OnceLock<CancellationToken>,
}

#[derive(Debug, Default)]
struct OpenCount {
    count: AtomicUsize,
    /// Since when there is at least one.
    since: Mutex<Option<Instant>>,
    /// Others need the server, and nobody answers.
    gives_way: AtomicBool,
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
        AskedMeanwhile { open, over: self.over.get_or_init(CancellationToken::new).clone() }
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

    /// The operation is to end, for others who need its server; who waits for it has to be woken.
    pub(crate) fn give_way(&self) {
        self.0.gives_way.store(true, Ordering::Relaxed);
    }

    pub(crate) fn gives_way(&self) -> bool {
        self.0.gives_way.load(Ordering::Relaxed)
    }
}

impl Drop for OpenQuestions {
    fn drop(&mut self) {
        if let Some(over) = self.over.get() {
            over.cancel();
        }
    }
}

impl Drop for AskedMeanwhile {
    fn drop(&mut self) {
        self.open.count.fetch_sub(1, Ordering::Relaxed);
    }
}
