//! Trust: who believes a server, and whether a person accepted what a project brings.
//!
//! Two separate things. *Standing* says whether an entry may be started or reached at all; *trust*
//! says how far an accepted server is believed. Nothing here reads or writes: acceptances are
//! recorded by `toolgate-store`, outside the project.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::LayerGrade;

/// How far an accepted server is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    Trusted,
    Untrusted,
}

impl Trust {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }
}

/// What kind of entry an acceptance is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    Server,
    Tool,
    Bundle,
    Role,
    Workflow,
}

impl EntryKind {
    pub const ALL: [Self; 5] = [Self::Server, Self::Tool, Self::Bundle, Self::Role, Self::Workflow];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Tool => "tool",
            Self::Bundle => "bundle",
            Self::Role => "role",
            Self::Workflow => "workflow",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// Every byte as two digits: each call's record has three digests, twice.
const HEX_PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 0xf]];
        byte += 1;
    }
    pairs
};

/// A digest as people read it.
#[derive(Clone, Copy)]
pub struct HexDigest([u8; 64]);

impl HexDigest {
    pub fn as_str(&self) -> &str {
        // Digits and letters are text.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for HexDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Digest {
    pub fn to_hex(self) -> String {
        self.hex().as_str().to_owned()
    }

    /// The same where it stands, for what is written and forgotten.
    pub fn hex(self) -> HexDigest {
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = HEX_PAIRS[usize::from(byte)];
        }
        HexDigest(text)
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut digest = [0; 32];
        for (slot, pair) in digest.iter_mut().zip(bytes.chunks_exact(2)) {
            *slot = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(digest))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// What exactly was, or would be, accepted: the entry as written, and each workspace file it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub entry: Digest,
    /// Path as the entry names it → hash of the file's content.
    pub files: BTreeMap<String, Digest>,
}

/// One acceptance a person gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedEntry {
    pub kind: EntryKind,
    pub id: String,
    pub fingerprint: Fingerprint,
    pub trust: Trust,
    /// Milliseconds since 1970.
    pub accepted_at: u64,
}

/// Why an entry is pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingReason {
    /// Never accepted at this place.
    New,
    /// Accepted once, and the entry has changed since.
    EntryChanged,
    /// Accepted once, and a workspace file that it names has changed since.
    FileChanged(String),
}

impl fmt::Display for PendingReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("never accepted here"),
            Self::EntryChanged => f.write_str("changed since it was accepted"),
            Self::FileChanged(path) => write!(f, "{path} changed since it was accepted"),
        }
    }
}

/// Whether an entry may be used at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryStanding {
    Accepted(Trust),
    /// Listed, started by nothing, reached by nobody.
    Pending(PendingReason),
}

impl EntryStanding {
    /// In a word, for a person.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Accepted(trust) => trust.as_str(),
            Self::Pending(_) => "pending",
        }
    }
}

/// Something a person accepted: the only form in which an entry can be started or dialled.
#[derive(Debug, Clone, Copy)]
pub struct Accepted<'a, T> {
    value: &'a T,
    trust: Trust,
}

impl<'a, T> Accepted<'a, T> {
    /// The proof, where the standing gives it.
    pub fn new(value: &'a T, standing: &EntryStanding) -> Result<Self, PendingReason> {
        match standing {
            EntryStanding::Accepted(trust) => Ok(Self { value, trust: *trust }),
            EntryStanding::Pending(reason) => Err(reason.clone()),
        }
    }

    pub fn value(&self) -> &'a T {
        self.value
    }

    pub fn trust(&self) -> Trust {
        self.trust
    }
}

/// Every acceptance recorded for one project root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptances(Vec<AcceptedEntry>);

impl Acceptances {
    pub fn new(entries: Vec<AcceptedEntry>) -> Self {
        Self(entries)
    }

    pub fn entries(&self) -> &[AcceptedEntry] {
        &self.0
    }

    /// The standing of an entry: a person's own word stands; a project's only if it was accepted
    /// exactly as it is now.
    pub fn standing(
        &self,
        grade: LayerGrade,
        kind: EntryKind,
        id: &str,
        fingerprint: &Fingerprint,
        declared: Option<Trust>,
    ) -> EntryStanding {
        if grade == LayerGrade::Person {
            return EntryStanding::Accepted(declared.unwrap_or(Trust::Trusted));
        }
        let Some(accepted) = self.0.iter().find(|entry| entry.kind == kind && entry.id == id)
        else {
            return EntryStanding::Pending(PendingReason::New);
        };
        if accepted.fingerprint.entry != fingerprint.entry {
            return EntryStanding::Pending(PendingReason::EntryChanged);
        }
        match changed_file(&accepted.fingerprint, fingerprint) {
            Some(path) => EntryStanding::Pending(PendingReason::FileChanged(path)),
            None => EntryStanding::Accepted(accepted.trust),
        }
    }
}

fn changed_file(accepted: &Fingerprint, now: &Fingerprint) -> Option<String> {
    let paths = accepted.files.keys().chain(now.files.keys());
    paths.into_iter().find(|path| accepted.files.get(*path) != now.files.get(*path)).cloned()
}

#[cfg(test)]
mod tests;
