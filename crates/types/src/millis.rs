//! A duration of whole milliseconds that is never zero: a time-out of nothing is a mistake.

use std::fmt;
use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A non-zero number of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milliseconds(NonZeroU64);

/// Zero was given where a duration must last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a duration must be at least 1 ms")]
pub struct ZeroMillis;

impl Milliseconds {
    pub fn new(millis: u64) -> Result<Self, ZeroMillis> {
        NonZeroU64::new(millis).map(Self).ok_or(ZeroMillis)
    }

    /// For constants in code; zero becomes one.
    pub const fn at_least_one(millis: u64) -> Self {
        match NonZeroU64::new(millis) {
            Some(millis) => Self(millis),
            None => Self(NonZeroU64::MIN),
        }
    }

    pub const fn get(self) -> u64 {
        self.0.get()
    }

    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0.get())
    }
}

/// A time as milliseconds since 1970, the way it is kept; one before that is 0.
pub fn since_1970(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}
