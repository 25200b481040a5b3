//! The questions of a server that are open about one operation: as long as one is, the operation's
//! time stands still, and when the operation is over, so are they.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

/// Of one operation. Dropped with it, which takes its questions back.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    count: Arc<AtomicUsize>,
    over: CancellationToken,
}

/// One open question.
#[derive(Debug)]
pub(crate) struct AskedMeanwhile {
    count: Arc<AtomicUsize>,
    /// The operation is over.
    pub(crate) over: CancellationToken,
}

/// Whether anything is open, for who waits for the operation.
#[derive(Debug, Clone)]
pub(crate) struct QuestionWatch(Arc<AtomicUsize>);

impl OpenQuestions {
    pub(crate) fn one_more(&self) -> AskedMeanwhile {
        self.count.fetch_add(1, Ordering::Relaxed);
        AskedMeanwhile { count: Arc::clone(&self.count), over: self.over.clone() }
    }

    pub(crate) fn watch(&self) -> QuestionWatch {
        QuestionWatch(Arc::clone(&self.count))
    }
}

impl QuestionWatch {
    pub(crate) fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for OpenQuestions {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Drop for AskedMeanwhile {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
