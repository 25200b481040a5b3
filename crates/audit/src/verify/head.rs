//! The end of the log as somebody keeps it elsewhere: written as one word, and read again.
//!
//! Besides the row and its hash it says how old the first and the last row were. What was too young
//! to go when the head was kept cannot have gone by age soon after, whatever the log says then.

use std::fmt;

use toolgate_store::AuditHead;
use toolgate_types::Digest;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptHead {
    pub place: AuditHead,
    /// None in heads that were kept before there were times in them.
    pub times: Option<HeadTimes>,
}

/// In milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadTimes {
    /// Of the row itself.
    pub at: u64,
    /// The first row that was there, and its time.
    pub first: u64,
    pub first_at: u64,
}

/// `SEQ:HASH:TIME:FIRST:TIME`.
impl fmt::Display for KeptHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sequence, hash) = self.place;
        write!(f, "{sequence}:{}", hash.to_hex())?;
        match self.times {
            Some(HeadTimes { at, first, first_at }) => write!(f, ":{at}:{first}:{first_at}"),
            None => Ok(()),
        }
    }
}

impl KeptHead {
    /// The same word read; also its first two parts alone, as they were written once.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let number = |text: &&str| text.parse::<u64>().ok();
        let (place, times) = match &parts[..] {
            [sequence, hash] => ((sequence, hash), None),
            [sequence, hash, at, first, first_at] => {
                let (at, first, first_at) = (number(at)?, number(first)?, number(first_at)?);
                ((sequence, hash), Some(HeadTimes { at, first, first_at }))
            }
            _ => return None,
        };
        let place = (number(place.0)?, Digest::from_hex(place.1)?);
        Some(Self { place, times })
    }
}
