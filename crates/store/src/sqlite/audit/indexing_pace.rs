//! When rows are made of what was appended: in the next lull, or where that does not come for too long.

use std::time::{Duration, Instant};

/// So many entries from one look to the next are a load that is given way to.
const BUSY: u64 = 100;

/// How far behind the rows stay at most, in time and in entries.
const PATIENCE: Duration = Duration::from_secs(60);
const MOST_BEHIND: u64 = 1_000_000;

/// How many entries this process appended, as far as is known here, and how many of them are rows. It is kept while
/// the thread sleeps: who counts from nothing again takes every burst for a long one.
#[derive(Debug)]
pub(super) struct IndexingPace {
    seen: u64,
    made: u64,
    behind_since: Instant,
}

impl IndexingPace {
    pub(super) fn begin(now: Instant) -> Self {
        Self { seen: 0, made: 0, behind_since: now }
    }

    /// Something was appended after everything before it had become rows.
    pub(super) fn wake(&mut self, now: Instant) {
        self.behind_since = now;
    }

    /// Whether rows are to be made now, by how many entries there are.
    pub(super) fn is_due(&mut self, appended: u64, now: Instant) -> bool {
        let since_last = appended - std::mem::replace(&mut self.seen, appended);
        since_last <= BUSY
            || now - self.behind_since > PATIENCE
            || appended - self.made > MOST_BEHIND
    }

    /// How many entries are rows. Others' journals count as well: it is no more than a measure, until all there
    /// was is made.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    pub(super) fn make(&mut self, entries: u64) {
        self.made += entries;
    }

    /// What there was at the last look is made.
    pub(super) fn catch_up(&mut self, appended: u64, now: Instant) {
        (self.made, self.behind_since) = (appended, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(500);

    #[test]
    fn a_lull_is_waited_for() {
        let begin = Instant::now();
        let mut pace = IndexingPace::begin(begin);
        assert!(!pace.is_due(50_000, begin + TICK));
        assert!(pace.is_due(50_100, begin + 2 * TICK));
    }

    #[test]
    fn it_is_waited_for_a_minute_at_most() {
        let begin = Instant::now();
        let mut pace = IndexingPace::begin(begin);
        assert!(!pace.is_due(1000, begin + PATIENCE));
        let late = begin + PATIENCE + TICK;
        assert!(pace.is_due(2000, late));
        pace.catch_up(2000, late);
        assert!(!pace.is_due(3000, late + PATIENCE), "the minute begins anew");
        pace.wake(late + 2 * PATIENCE);
        assert!(!pace.is_due(4000, late + 2 * PATIENCE + TICK), "and so after a sleep");
    }

    #[test]
    fn a_million_entries_that_are_no_rows_yet_are_the_most_and_not_a_million_ever() {
        let begin = Instant::now();
        let mut pace = IndexingPace::begin(begin);
        assert!(!pace.is_due(MOST_BEHIND, begin));
        assert!(pace.is_due(MOST_BEHIND + 200, begin));
        pace.catch_up(MOST_BEHIND + 200, begin);
        assert!(!pace.is_due(2 * MOST_BEHIND, begin), "half of that has become rows");
        // It slept, and wakes to a burst.
        pace.wake(begin + TICK);
        assert!(!pace.is_due(2 * MOST_BEHIND + 150, begin + 2 * TICK));
    }
}
