//! How long an answer is waited for, and what stretches that.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::router::RequestSign;
use crate::server_remark::ServerRemark;

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RequestPatience {
    /// So long without a sign of life, and never longer than the ceiling.
    Limited { timeout: Duration, ceiling: Duration },
    /// So long for the acknowledgement, and from then on for ever.
    UntilAcknowledged(Duration),
}

/// The time of one request. A moment too far away to be counted never comes.
pub(crate) struct RequestClock {
    patience: RequestPatience,
    started: Instant,
    /// From when the ceiling counts.
    counted_from: Instant,
    deadline: Option<Instant>,
}

impl RequestClock {
    pub(crate) fn start(patience: RequestPatience) -> Self {
        let started = Instant::now();
        let mut clock = Self { patience, started, counted_from: started, deadline: None };
        clock.deadline = match patience {
            RequestPatience::Limited { timeout, ceiling } => clock.limit(started, timeout, ceiling),
            RequestPatience::UntilAcknowledged(within) => started.checked_add(within),
        };
        clock
    }

    pub(crate) fn heard(&mut self, sign: &RequestSign) {
        match (self.patience, sign) {
            (
                RequestPatience::Limited { timeout, ceiling },
                RequestSign::Remark(ServerRemark::Progress(_)),
            ) => {
                self.deadline = self.limit(Instant::now(), timeout, ceiling);
            }
            (RequestPatience::UntilAcknowledged(_), RequestSign::Acknowledged) => {
                self.deadline = None;
            }
            (RequestPatience::Limited { .. }, _) | (RequestPatience::UntilAcknowledged(_), _) => {}
        }
    }

    /// Its server waits for an answer from this side: that is not the server's time.
    pub(crate) fn stand_still(&mut self) {
        if let RequestPatience::Limited { timeout, ceiling } = self.patience {
            let now = Instant::now();
            self.counted_from = now;
            self.deadline = self.limit(now, timeout, ceiling);
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn limit(&self, now: Instant, timeout: Duration, ceiling: Duration) -> Option<Instant> {
        let limits = [now.checked_add(timeout), self.counted_from.checked_add(ceiling)];
        limits.into_iter().flatten().min()
    }

    pub(crate) async fn run_out(&self) {
        match self.deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    }
}
