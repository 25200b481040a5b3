//! What a process wrote to its standard error, for whoever gave it up: what belonged to it is gone then.

use std::sync::Arc;

use super::complaints::ComplaintListener;
use super::tail::StderrTail;

/// The last lines of a process, whether it is still there or not.
#[derive(Debug, Default, Clone)]
pub(crate) struct LastWords(Arc<StderrTail>);

impl LastWords {
    /// Hears what is said to a listener, or would be.
    pub(crate) fn overheard(hear: Option<ComplaintListener>) -> (Self, ComplaintListener) {
        let words = Self::default();
        let kept = words.clone();
        let listener = move |line: &str| {
            kept.0.feed(line.as_bytes());
            kept.0.feed(b"\n");
            if let Some(hear) = &hear {
                hear(line);
            }
        };
        (words, Arc::new(listener))
    }

    /// Nothing where there were none.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.text()
    }
}
