//! How long a list waits for a server whose answer is not known yet.

use std::time::Duration;

use tokio::time::Instant;

/// How long one list waits, all of its servers together.
///
/// A server is waited for only so long from when it was first asked for anything, so that lists that
/// come one after another do not each wait for it. Whoever lists only once may wait longer, for servers
/// that are *making progress*: since they were started, wrote a line to their standard error, computed
/// before their first word, answered a step of the handshake or finished it, no longer than the ordinary
/// wait has passed. One that says nothing and computes nothing is not waited for; that it runs is no
/// sign.
#[derive(Debug, Clone, Copy)]
pub struct ListWait {
    began: Instant,
    ordinary: Duration,
    /// Until when those that are making progress are waited for, where that is longer.
    for_progress: Option<Instant>,
}

impl ListWait {
    /// So long and no longer, counted from now.
    pub fn at_most(ordinary: Duration) -> Self {
        Self { began: Instant::now(), ordinary, for_progress: None }
    }

    /// And until then for servers that are making progress.
    #[must_use]
    pub fn for_progress_until(self, until: Instant) -> Self {
        Self { for_progress: Some(until), ..self }
    }

    /// When a server is not waited for any more, that was asked then and gave its last sign of life then.
    pub(crate) fn over_at(&self, asked: Instant, last_sign: Instant) -> Instant {
        let ordinary = asked.min(self.began) + self.ordinary;
        match self.for_progress {
            Some(until) => ordinary.max(until.min(last_sign + self.ordinary)),
            None => ordinary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_millis(500);

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_asked_before_is_waited_for_no_longer_than_then() {
        let wait = ListWait::at_most(WAIT);
        let now = Instant::now();
        assert_eq!(wait.over_at(now, now), now + WAIT);
        assert_eq!(wait.over_at(now + millis(10), now), now + WAIT, "one wait for all servers");
        tokio::time::advance(millis(400)).await;
        let later = ListWait::at_most(WAIT);
        assert_eq!(later.over_at(now, now + millis(399)), now + WAIT, "a sign changes nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn progress_stretches_it_up_to_the_clients_patience_and_silence_does_not() {
        let now = Instant::now();
        let wait = ListWait::at_most(WAIT).for_progress_until(now + millis(900));
        assert_eq!(wait.over_at(now, now), now + WAIT, "it hangs");
        assert_eq!(wait.over_at(now, now + millis(100)), now + millis(600));
        assert_eq!(wait.over_at(now, now + millis(450)), now + millis(900));
        let impatient = ListWait::at_most(WAIT).for_progress_until(now + millis(20));
        assert_eq!(impatient.over_at(now, now + millis(450)), now + WAIT, "never shorter");
    }
}
