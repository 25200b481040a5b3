//! When nothing has passed for a while, so that a shim that only waits can be small.
//!
//! Whoever passes something on leaves a mark and is told, once, that somebody waits for the first one after a
//! lull. What is done in a lull is for others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long nothing has passed in a lull.
const LULL: Duration = Duration::from_secs(2);

/// From the end of one lull to where the next may be found.
const APART: Duration = Duration::from_secs(60);

/// The marks of those who pass something on. Nothing depends on their order, and nothing else is told by them.
#[derive(Debug, Default)]
pub(crate) struct PassedMarks {
    has_passed: AtomicBool,
    is_awaited: AtomicBool,
}

impl PassedMarks {
    /// Something passes; whether it is what is waited for, which one of them is.
    pub(crate) fn leave(&self) -> bool {
        self.has_passed.store(true, Ordering::Relaxed);
        // Looked at first: nearly always nobody waits, and a swap is not free.
        self.is_awaited.load(Ordering::Relaxed) && self.is_awaited.swap(false, Ordering::Relaxed)
    }

    /// Whether something passed since this was asked last.
    pub(crate) fn take(&self) -> bool {
        self.has_passed.swap(false, Ordering::Relaxed)
    }

    /// The next one is waited for.
    pub(crate) fn await_next(&self) {
        self.is_awaited.store(true, Ordering::Relaxed);
    }
}

/// Looks for lulls.
#[derive(Debug)]
pub(crate) struct LullWatch {
    /// When to look next; in a lull nothing has to be looked for.
    wait: Option<Duration>,
}

impl LullWatch {
    pub(crate) fn new() -> Self {
        Self { wait: Some(LULL) }
    }

    pub(crate) fn wait(&self) -> Option<Duration> {
        self.wait
    }

    /// The wait is over; whether this is a lull.
    pub(crate) fn looks(&mut self, has_passed: bool) -> bool {
        self.wait = has_passed.then_some(LULL);
        !has_passed
    }

    /// Something passes again.
    pub(crate) fn resumes(&mut self) {
        self.wait = Some(APART);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lull_is_found_where_nothing_passed_and_not_looked_for_again_before_something_does() {
        let mut watch = LullWatch::new();
        assert_eq!(watch.wait(), Some(LULL));
        assert!(!watch.looks(true));
        assert_eq!(watch.wait(), Some(LULL));
        assert!(watch.looks(false));
        assert_eq!(watch.wait(), None);
        watch.resumes();
        assert_eq!(watch.wait(), Some(APART));
        assert!(!watch.looks(true));
        assert_eq!(watch.wait(), Some(LULL));
    }

    #[test]
    fn only_the_first_after_a_lull_is_told_that_somebody_waits() {
        let marks = PassedMarks::default();
        assert!(!marks.take());
        assert!(!marks.leave() && !marks.leave());
        assert!(marks.take() && !marks.take());
        marks.await_next();
        assert!(marks.leave() && !marks.leave());
    }
}
