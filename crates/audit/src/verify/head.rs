//! The end of the log as somebody keeps it elsewhere: written as one word, and read again.
//!
//! Besides the row and its hash it says how old the first and the last row were. What was too young
//! to go when the head was kept cannot have gone by age soon after, whatever the log says then.

use std::fmt;

use toolgate_store::{AuditHead, JournalHead, JournalId, LogHead};
use toolgate_types::Digest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHead {
    /// The last row; the number is 0 where there was none yet.
    pub place: AuditHead,
    /// None in heads that were kept before there were times in them, and where there was no row yet.
    pub times: Option<HeadTimes>,
    /// The ends of journals that went on from there.
    pub journals: Vec<JournalHead>,
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

/// `SEQ:HASH:TIME:FIRST:TIME`, and `,JOURNAL:ENTRY:HASH` for each journal.
impl fmt::Display for KeptHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sequence, hash) = self.place;
        write!(f, "{sequence}:{}", hash.to_hex())?;
        if let Some(HeadTimes { at, first, first_at }) = self.times {
            write!(f, ":{at}:{first}:{first_at}")?;
        }
        for JournalHead { journal, entry, hash } in &self.journals {
            write!(f, ",{journal}:{entry}:{}", hash.to_hex())?;
        }
        Ok(())
    }
}

impl KeptHead {
    /// The same word read; also its first two parts alone, as they were written once.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(',');
        let parts: Vec<&str> = words.next()?.split(':').collect();
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
        let journals = words.map(journal_head).collect::<Option<_>>()?;
        Some(Self { place, times, journals })
    }

    /// For the store, which compares it.
    pub(super) fn expected(self) -> LogHead {
        let row = Some(self.place).filter(|(sequence, _)| *sequence > 0);
        LogHead { row, journals: self.journals }
    }
}

fn journal_head(text: &str) -> Option<JournalHead> {
    let (journal, rest) = text.split_once(':')?;
    let (entry, hash) = rest.split_once(':')?;
    let (journal, hash) = (JournalId::parse(journal)?, Digest::from_hex(hash)?);
    Some(JournalHead { journal, entry: entry.parse().ok()?, hash })
}
