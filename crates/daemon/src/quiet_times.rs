//! When this process has nothing to do, and what it then gives back.
//!
//! Most of a daemon that waits is pages of its program that were needed once, at the start. It is quiet when it
//! has used next to no processor for some seconds: that counts whatever it did, and costs a call nothing. What
//! is given back, and how, is `sandbox`'s.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike as _};
use toolgate_sandbox::give_back_quiet_memory;

/// For how long next to nothing was done.
const LOOKED_AT: Duration = Duration::from_secs(3);

/// From one time to the earliest next one.
const APART: Duration = Duration::from_secs(60);

/// The processor's time that a quiet process may use while it is looked at; a call needs about a tenth.
const NEXT_TO_NOTHING: Duration = Duration::from_millis(1);

/// From how much on it has come to need again what was given back.
const WORTH_IT: Duration = Duration::from_millis(10);

/// Gives back what is not needed, whenever there is a quiet time.
pub(crate) async fn use_quiet_times() {
    let Some(mut watch) = used().map(QuietTimes::new) else { return };
    loop {
        tokio::time::sleep(watch.wait()).await;
        let Some(now) = used() else { return };
        if watch.is_quiet(now) {
            give_back_quiet_memory();
            // What that took is nobody's work.
            watch.gave_back(used().unwrap_or(now));
        }
    }
}

/// The processor's time of all threads so far.
fn used() -> Option<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    Some(as_duration(usage.user_time()) + as_duration(usage.system_time()))
}

fn as_duration(time: TimeVal) -> Duration {
    Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0))
}

/// Looks for quiet times by how much was used.
#[derive(Debug)]
struct QuietTimes {
    /// At the last look.
    before: Duration,
    /// When something was given back last, and nothing was done since that would make it worth it again.
    at_rest: Option<Duration>,
}

impl QuietTimes {
    fn new(used: Duration) -> Self {
        Self { before: used, at_rest: None }
    }

    fn wait(&self) -> Duration {
        if self.at_rest.is_some() { APART } else { LOOKED_AT }
    }

    /// Looks once more; whether this is the time to give something back.
    fn is_quiet(&mut self, used: Duration) -> bool {
        let since = |past| used.saturating_sub(past);
        match self.at_rest {
            Some(rest) if since(rest) < WORTH_IT => false,
            // It was looked at for too long to tell whether it is quiet now.
            Some(_) => {
                (self.at_rest, self.before) = (None, used);
                false
            }
            None => since(std::mem::replace(&mut self.before, used)) <= NEXT_TO_NOTHING,
        }
    }

    fn gave_back(&mut self, used: Duration) {
        self.at_rest = Some(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn what_works_is_left_alone_until_it_has_done_nothing_for_some_seconds() {
        let mut watch = QuietTimes::new(ms(30));
        assert_eq!(watch.wait(), LOOKED_AT);
        assert!(!watch.is_quiet(ms(80)));
        assert!(!watch.is_quiet(ms(82)));
        assert!(watch.is_quiet(ms(83)));
    }

    #[test]
    fn it_is_not_done_again_before_a_minute_has_passed_and_something_was_done() {
        let mut watch = QuietTimes::new(ms(30));
        assert!(watch.is_quiet(ms(30)));
        watch.gave_back(ms(31));
        assert_eq!(watch.wait(), APART);
        assert!(!watch.is_quiet(ms(40)));
        assert_eq!(watch.wait(), APART);
        // Now there was; whether it is over is seen next.
        assert!(!watch.is_quiet(ms(41)));
        assert_eq!(watch.wait(), LOOKED_AT);
        assert!(!watch.is_quiet(ms(43)));
        assert!(watch.is_quiet(ms(44)));
    }

    #[test]
    fn the_systems_account_is_read_and_rises() {
        let before = used().unwrap();
        let until = before + ms(20);
        while used().unwrap() < until {
            std::hint::spin_loop();
        }
        assert!(before > Duration::ZERO);
    }
}
