//! One entry of a journal as bytes: how long it is, whether what was written with it goes on, what it
//! says, and the hash over that and the hash before it, which is its checksum as well.

use ring::digest::{Context, SHA256};
use toolgate_types::Digest;

use super::JournalId;
use crate::AuditHead;
use crate::audit::entry_bytes::{EntryBytes, FORM, WrittenEntry, write_number};

/// The length of what it says, in four bytes, and the mark.
pub(super) const BEFORE: usize = 5;
pub(super) const HASH: usize = 32;

/// What it costs beside what it says.
pub(super) const AROUND: usize = BEFORE + HASH;

/// More than any entry has; a longer one is no entry.
pub(super) const LONGEST: usize = 1 << 30;

/// What a first entry says, before the name of the journal.
const FIRST: u8 = 0;

/// What an entry says.
#[derive(Debug)]
pub(crate) enum JournalContent<'a> {
    First(FirstEntry),
    Record(WrittenEntry<'a>),
}

/// Which journal it is, and the end of the index when it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstEntry {
    pub(crate) journal: JournalId,
    pub(crate) follows: AuditHead,
}

/// Begins a frame; what it says is written behind it, then [`seal`] makes it whole.
pub(super) fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; BEFORE]);
    start
}

/// Ends the frame that began at this place; `goes_on` where another must follow for either to count.
pub(super) fn seal(out: &mut Vec<u8>, start: usize, goes_on: bool, previous: Digest) -> Digest {
    let length = u32::try_from(out.len() - start - BEFORE).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4] = u8::from(goes_on);
    let hash = hash(previous, &out[start..]);
    out.extend_from_slice(&hash.0);
    hash
}

/// SHA-256, by the library that is fast without help from the processor too: this is on the path of a call.
pub(super) fn hash(previous: Digest, sealed: &[u8]) -> Digest {
    let mut hash = Context::new(&SHA256);
    hash.update(&previous.0);
    hash.update(sealed);
    let mut digest = Digest([0; 32]);
    digest.0.copy_from_slice(hash.finish().as_ref());
    digest
}

impl FirstEntry {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Self { journal, follows: (sequence, hash) } = self;
        out.push(FIRST);
        out.extend_from_slice(journal.as_str().as_bytes());
        out.extend_from_slice(&hash.0);
        write_number(*sequence, out);
    }
}

impl<'a> JournalContent<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let Some((&FIRST, first)) = bytes.split_first() else {
            return WrittenEntry::read(bytes).map(Self::Record);
        };
        let mut first = EntryBytes(first);
        let journal = JournalId::parse(str::from_utf8(first.take(16)?).ok()?)?;
        let hash = Digest(first.take(32)?.try_into().ok()?);
        let follows = (first.number()?, hash);
        first.0.is_empty().then_some(Self::First(FirstEntry { journal, follows }))
    }
}

/// A frame that is there from its beginning to its end.
pub(super) struct WholeFrame<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) goes_on: bool,
    pub(super) content: JournalContent<'a>,
    pub(super) hash: Digest,
}

/// Why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoFrame {
    /// There are fewer bytes than it has; how many it has, as far as that is known.
    Short { needs: usize },
    /// It is not what was written behind the one before it; how many bytes it says that it has.
    Other { why: &'static str, needs: usize },
}

/// The frame that these bytes begin with, if it follows the one with this hash.
pub(super) fn first_of(bytes: &[u8], previous: Digest) -> Result<WholeFrame<'_>, NoFrame> {
    let Some((length, _)) = bytes.split_first_chunk::<4>() else {
        return Err(NoFrame::Short { needs: BEFORE });
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length == 0 || length > LONGEST {
        let why = "it has no length that an entry can have";
        return Err(NoFrame::Other { why, needs: BEFORE });
    }
    let needs = length + AROUND;
    let other = |why| NoFrame::Other { why, needs };
    let Some(bytes) = bytes.get(..needs) else { return Err(NoFrame::Short { needs }) };
    let (sealed, stored) = bytes.split_at(needs - HASH);
    let goes_on = match sealed[4] {
        0 => false,
        1 => true,
        _ => return Err(other("its mark is none")),
    };
    let hash = hash(previous, sealed);
    if hash.0 != *stored {
        return Err(other("it, or the one before it, is not what was written"));
    }
    let content = JournalContent::read(&sealed[BEFORE..]);
    let content = content.ok_or(other("what it says is no record"))?;
    Ok(WholeFrame { bytes, goes_on, content, hash })
}

/// Whether somewhere behind the beginning of these bytes there is a whole entry: each stands behind the hash of the
/// one before it.
pub(super) fn is_followed(bytes: &[u8]) -> bool {
    bytes.windows(HASH + BEFORE + 1).enumerate().skip(1).any(|(place, window)| {
        // Most places are ruled out by the length and the mark alone.
        let Some((previous, rest)) = window.split_first_chunk::<HASH>() else { return false };
        rest[4] <= 1
            && rest[5] == FORM
            && first_of(&bytes[place + HASH..], Digest(*previous)).is_ok()
    })
}
