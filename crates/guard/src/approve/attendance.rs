//! Whether a person can be reached at the queue: somebody watches it, or used a command lately.
//! Bookkeeping only; who is a person is found out by whoever notes them here.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// So long after a word of theirs a person is taken to be near.
const NEAR: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Default)]
pub(super) struct Attendance(Mutex<AttendanceBook>);

#[derive(Debug, Default)]
struct AttendanceBook {
    watchers: usize,
    last_word: Option<Instant>,
}

impl Attendance {
    pub(super) fn note_word(&self, now: Instant) {
        self.0.lock().last_word = Some(now);
    }

    pub(super) fn is_attended(&self, now: Instant) -> bool {
        let book = self.0.lock();
        let is_near = |word: Instant| now.saturating_duration_since(word) < NEAR;
        book.watchers > 0 || book.last_word.is_some_and(is_near)
    }

    pub(super) fn watch(self: &Arc<Self>) -> WatchedQueue {
        self.0.lock().watchers += 1;
        WatchedQueue(Arc::clone(self))
    }
}

/// Somebody looks at the queue for as long as this is there, and was near until then.
#[derive(Debug)]
pub struct WatchedQueue(Arc<Attendance>);

impl Drop for WatchedQueue {
    fn drop(&mut self) {
        let mut book = self.0.0.lock();
        book.watchers -= 1;
        book.last_word = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_person_is_near_while_they_watch_and_for_five_minutes_after_a_word() {
        let attendance = Arc::new(Attendance::default());
        let is_attended = || attendance.is_attended(Instant::now());
        assert!(!is_attended());
        let watched = [attendance.watch(), attendance.watch()];
        tokio::time::advance(NEAR * 2).await;
        assert!(is_attended());
        drop(watched);
        tokio::time::advance(NEAR - Duration::from_millis(1)).await;
        assert!(is_attended());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!is_attended());
        attendance.note_word(Instant::now());
        assert!(is_attended());
    }
}
