//! In which state a server is, and when it may be tried again.
//!
//! Bookkeeping only: no I/O, the clock passed in. A failure is never final; it makes the next try
//! wait, longer each time and never longer than a minute. A server that ends soon after it was
//! reached has failed too: otherwise one that crashes at every call would be started at every call. One
//! that served well may be started again at once, once in a minute.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use toolgate_types::ServerState;

/// The wait after a first failure; it doubles. With one start per try and two at the first, when
/// the era is not known, no server is started more than six times in a minute.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A connection that lasted so long was a good one.
const GOOD: Duration = Duration::from_secs(60);

/// So was one on which so many operations were answered.
pub(super) const GOOD_ANSWERS: u64 = 100;

/// A good one that was lost is replaced at once no more often than this.
const AT_ONCE_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct InstanceLifecycle {
    phase: LifecyclePhase,
    failures: u32,
    not_before: Option<Instant>,
    /// When it was last let be tried at once after it was lost.
    at_once: Option<Instant>,
    last_error: Option<String>,
    last_connected_at: Option<SystemTime>,
}

#[derive(Debug, Default)]
enum LifecyclePhase {
    #[default]
    Idle,
    Connecting,
    Ready {
        since: Instant,
    },
    LoginNeeded,
    RegistrationNeeded,
    Failed,
}

impl InstanceLifecycle {
    pub(crate) fn state(&self) -> ServerState {
        match self.phase {
            LifecyclePhase::Idle => ServerState::Idle,
            LifecyclePhase::Connecting => ServerState::Connecting,
            LifecyclePhase::Ready { .. } => ServerState::Ready,
            LifecyclePhase::LoginNeeded => ServerState::AuthRequired,
            LifecyclePhase::RegistrationNeeded => ServerState::RegistrationRequired,
            LifecyclePhase::Failed => ServerState::Error,
        }
    }

    /// How long nothing may be tried.
    pub(crate) fn retry_in(&self, now: Instant) -> Option<Duration> {
        let wait = self.not_before?.checked_duration_since(now)?;
        (!wait.is_zero()).then_some(wait)
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    pub(crate) fn last_connected_at(&self) -> Option<SystemTime> {
        self.last_connected_at
    }

    pub(crate) fn connecting(&mut self) {
        self.phase = LifecyclePhase::Connecting;
    }

    pub(crate) fn connected(&mut self, now: Instant, at: SystemTime) {
        self.phase = LifecyclePhase::Ready { since: now };
        self.last_connected_at = Some(at);
        self.not_before = None;
    }

    pub(crate) fn failed(&mut self, now: Instant, error: String) {
        self.failures = self.failures.saturating_add(1);
        self.not_before = Some(now + wait_after(self.failures));
        self.last_error = Some(error);
        self.phase = LifecyclePhase::Failed;
    }

    /// Something else kept it from being tried: it may be tried again at once.
    pub(crate) fn not_tried(&mut self, error: String) {
        self.last_error = Some(error);
        self.phase = LifecyclePhase::Idle;
    }

    pub(crate) fn login_needed(&mut self, now: Instant, error: String) {
        self.failed(now, error);
        self.phase = LifecyclePhase::LoginNeeded;
    }

    pub(crate) fn registration_needed(&mut self, now: Instant, error: String) {
        self.failed(now, error);
        self.phase = LifecyclePhase::RegistrationNeeded;
    }

    /// Whether it answers only after a login.
    pub(crate) fn wants_login(&self) -> bool {
        matches!(self.phase, LifecyclePhase::LoginNeeded | LifecyclePhase::RegistrationNeeded)
    }

    /// The connection was lost on which so many operations were answered. After a good one it may be
    /// tried at once, and earlier failures are forgotten.
    pub(crate) fn lost(&mut self, now: Instant, reason: String, answered: u64) {
        let was_good = match self.phase {
            LifecyclePhase::Ready { since } => now >= since + GOOD || answered >= GOOD_ANSWERS,
            _ => false,
        };
        let may_be_at_once = self.at_once.is_none_or(|last| now >= last + AT_ONCE_EVERY);
        if was_good {
            self.failures = 0;
        }
        if was_good && may_be_at_once {
            self.at_once = Some(now);
            self.last_error = Some(reason);
            self.phase = LifecyclePhase::Failed;
        } else {
            self.failed(now, reason);
        }
    }

    /// Ended by us: nothing is wrong. What failed before still counts, unless this one was good.
    pub(crate) fn stopped(&mut self, now: Instant) {
        if matches!(self.phase, LifecyclePhase::Ready { since } if now >= since + GOOD) {
            self.failures = 0;
        }
        self.phase = LifecyclePhase::Idle;
    }

    /// A person wants it tried now.
    pub(crate) fn forgive(&mut self) {
        self.not_before = None;
    }
}

fn wait_after(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(10);
    (FIRST_WAIT * (1 << doublings)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests;
