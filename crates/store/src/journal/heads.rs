//! Which journal, and how far.

use std::fmt;

use toolgate_types::Digest;

use crate::{StoreError, random};

/// The name of a journal, which no other ever has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JournalId(String);

impl JournalId {
    const LENGTH: usize = 16;

    pub(crate) fn random() -> Result<Self, StoreError> {
        let bytes: [u8; Self::LENGTH / 2] = random::bytes()?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Nothing but what was made here, so that it is always the name of a file in its folder.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = text.len() == Self::LENGTH && text.bytes().all(is_digit);
        is_id.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JournalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The end of a journal at some time: the number of its last entry, and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalHead {
    pub journal: JournalId,
    pub entry: u64,
    pub hash: Digest,
}
