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
    /// From the first question on: most operations have none.
    asked: OnceLock<(Arc<OpenCount>, CancellationToken)>,
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

impl OpenQuestions {
    pub(crate) fn one_more(&self) -> AskedMeanwhile {
        let (open, over) = self.asked.get_or_init(Default::default);
        if open.count.fetch_add(1, Ordering::Relaxed) == 0 {
            *open.since.lock() = Some(Instant::now());
        }
        AskedMeanwhile { open: Arc::clone(open), over: over.clone() }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.count().is_some_and(|open| open.count.load(Ordering::Relaxed) > 0)
    }

    pub(crate) fn open_since(&self) -> Option<Instant> {
        self.count().filter(|_| self.is_open()).and_then(|open| *open.since.lock())
    }

    /// The operation is to end, for others who need its server; who waits for it has to be woken.
    pub(crate) fn give_way(&self) {
        if let Some(open) = self.count() {
            open.gives_way.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn gives_way(&self) -> bool {
        self.count().is_some_and(|open| open.gives_way.load(Ordering::Relaxed))
    }

    fn count(&self) -> Option<&OpenCount> {
        self.asked.get().map(|(open, _)| &**open)
    }
}

impl Drop for OpenQuestions {
    fn drop(&mut self) {
        if let Some((_, over)) = self.asked.get() {
            over.cancel();
        }
    }
}

impl Drop for AskedMeanwhile {
    fn drop(&mut self) {
        self.open.count.fetch_sub(1, Ordering::Relaxed);
    }
}
