//! The frames that are about one call, as a row of the index keeps them: exactly as they were written, each
//! behind its number and the hash of the frame before it in its journal, so that each can be held against its
//! own hash wherever that other one is.

use ring::digest::{Context, SHA256};
use toolgate_types::Digest;

use super::frame::{AROUND, BEFORE, HASH, hash};
use super::{JournalId, ReadFrame};
use crate::audit::entry_bytes::{EntryBytes, WrittenEntry, write_number};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeptFrames {
    bytes: Vec<u8>,
    frames: Vec<KeptFrame>,
}

/// Where one of them is, and which it was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeptFrame {
    number: u64,
    previous: Digest,
    hash: Digest,
    start: usize,
    end: usize,
}

impl KeptFrames {
    /// Those that a row has; none where these bytes are no frames.
    pub(crate) fn read(bytes: Vec<u8>) -> Option<Self> {
        let mut rest = EntryBytes(&bytes);
        let mut frames = Vec::with_capacity(2);
        while !rest.0.is_empty() {
            let number = rest.number()?;
            let previous = Digest(rest.take(HASH as u64)?.try_into().ok()?);
            let start = bytes.len() - rest.0.len();
            let (length, _) = rest.0.split_first_chunk::<4>()?;
            let length = u64::from(u32::from_le_bytes(*length));
            let frame = rest.take(length.checked_add(AROUND as u64)?)?;
            let (_, hash) = frame.split_last_chunk::<HASH>()?;
            let end = start + frame.len();
            frames.push(KeptFrame { number, previous, hash: Digest(*hash), start, end });
        }
        Some(Self { bytes, frames })
    }

    /// The bytes of the last entry of those that a row has: what the row says.
    pub(crate) fn last_entry(kept: &[u8]) -> Option<&[u8]> {
        let (mut rest, mut last) = (EntryBytes(kept), None);
        while !rest.0.is_empty() {
            rest.number()?;
            rest.take(HASH as u64)?;
            let (length, _) = rest.0.split_first_chunk::<4>()?;
            let length = u64::from(u32::from_le_bytes(*length));
            let frame = rest.take(length.checked_add(AROUND as u64)?)?;
            last = frame.get(BEFORE..frame.len().checked_sub(HASH)?);
        }
        last
    }

    /// Room for the frames of another row.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
    }

    pub(crate) fn push(&mut self, frame: &ReadFrame<'_>) {
        let ReadFrame { number, previous, hash, bytes, .. } = *frame;
        write_number(number, &mut self.bytes);
        self.bytes.extend_from_slice(&previous.0);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len();
        self.frames.push(KeptFrame { number, previous, hash, start, end });
    }

    /// Behind those that are there already.
    pub(crate) fn append(&mut self, others: &Self) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&others.bytes);
        let moved = |frame: &KeptFrame| KeptFrame {
            start: frame.start + before,
            end: frame.end + before,
            ..*frame
        };
        self.frames.extend(others.frames.iter().map(moved));
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What each says; none where one of them says nothing.
    pub(crate) fn entries(&self) -> Option<Vec<WrittenEntry<'_>>> {
        let entry = |frame: &KeptFrame| {
            let said = self.bytes.get(frame.start + BEFORE..frame.end - HASH)?;
            WrittenEntry::read(said)
        };
        self.frames.iter().map(entry).collect()
    }

    /// Which entries of their journal they are.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (u64, Digest)> {
        self.frames.iter().map(|frame| (frame.number, frame.hash))
    }

    /// Whether each has the hash that it should.
    pub(crate) fn are_as_written(&self) -> bool {
        self.frames.iter().all(|frame| {
            let sealed = self.bytes.get(frame.start..frame.end - HASH);
            sealed.is_some_and(|sealed| hash(frame.previous, sealed) == frame.hash)
        })
    }

    /// The hash of a row that has them: over those that they have themselves, and not over all bytes again.
    pub(crate) fn link(&self, journal: &JournalId, previous: Digest, sequence: u64) -> Digest {
        let mut hash = Context::new(&SHA256);
        hash.update(&previous.0);
        hash.update(&sequence.to_be_bytes());
        hash.update(&(journal.as_str().len() as u64).to_be_bytes());
        hash.update(journal.as_str().as_bytes());
        for frame in &self.frames {
            hash.update(&frame.number.to_be_bytes());
            hash.update(&frame.hash.0);
        }
        let mut digest = Digest([0; HASH]);
        digest.0.copy_from_slice(hash.finish().as_ref());
        digest
    }
}
