//! Reading a journal from a place on: entries that follow one another, up to the end or to what is none.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use toolgate_types::Digest;

use super::JournalContent;
use super::frame::{self, NoFrame};

/// How much is read at once; a longer entry is read whole.
const PORTION: usize = 1 << 20;

/// A place between two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalPlace {
    /// In the file.
    pub(crate) offset: u64,
    /// How many entries are before it.
    pub(crate) entries: u64,
    /// Of the last of them.
    pub(crate) hash: Digest,
}

impl JournalPlace {
    pub(crate) const START: Self = Self { offset: 0, entries: 0, hash: Digest([0; 32]) };
}

/// An entry where it was found.
pub(crate) struct ReadFrame<'a> {
    /// The first of a journal is 1.
    pub(crate) number: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) content: JournalContent<'a>,
    /// Of the one before it.
    pub(crate) previous: Digest,
    pub(crate) hash: Digest,
}

/// How a journal ends behind its last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JournalEnd {
    /// With it.
    Whole,
    /// As many were read as were wanted; more may follow.
    More,
    /// So many bytes are no whole entry: it is being written, or never was.
    Torn { bytes: u64 },
    /// What follows was never written so.
    Damaged { why: &'static str },
}

/// Visits the entries from a place on, as many as were written together at a time and no more than about
/// `most` of them; answers where the last one ends and what comes behind it.
pub(crate) fn read_journal(
    file: &File,
    from: JournalPlace,
    most: u64,
    mut visit: impl FnMut(ReadFrame<'_>),
) -> io::Result<(JournalPlace, JournalEnd)> {
    let (mut place, mut wanted) = (from, PORTION);
    let mut bytes = Vec::new();
    loop {
        if place.entries - from.entries >= most {
            return Ok((place, JournalEnd::More));
        }
        let is_all = read_at(file, place.offset, wanted, &mut bytes)?;
        let (next, stopped) = read_portion(&bytes, place, &mut visit);
        let went_on = next != place;
        let rest = &bytes[usize::try_from(next.offset - place.offset).unwrap_or(usize::MAX)..];
        place = next;
        match stopped {
            NoFrame::Short { .. } if is_all && rest.is_empty() => {
                return Ok((place, JournalEnd::Whole));
            }
            // An entry that follows was written after this one was whole.
            NoFrame::Short { .. } if is_all && frame::is_followed(rest) => {
                return Ok((
                    place,
                    JournalEnd::Damaged { why: "its length is not what was written" },
                ));
            }
            NoFrame::Short { .. } if is_all => {
                return Ok((place, JournalEnd::Torn { bytes: rest.len() as u64 }));
            }
            NoFrame::Short { needs } => {
                wanted = if went_on { PORTION } else { wanted.saturating_mul(2) }.max(needs);
            }
            // What comes behind may be nothing but zeros: it is known when all is there.
            NoFrame::Other { .. } if !is_all => wanted = wanted.saturating_mul(2),
            NoFrame::Other { needs, .. } if is_torn(rest, needs) => {
                return Ok((place, JournalEnd::Torn { bytes: rest.len() as u64 }));
            }
            NoFrame::Other { why, .. } => return Ok((place, JournalEnd::Damaged { why })),
        }
    }
}

/// Whether nothing but zeros is where an entry of this length should go on, as a power cut leaves room that was
/// never written. Whatever stands behind it was written after it was whole.
fn is_torn(rest: &[u8], needs: usize) -> bool {
    let written = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    written < needs.min(rest.len())
}

/// Fills the buffer from a place in the file; whether that is all there is.
fn read_at(file: &File, offset: u64, wanted: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.resize(wanted, 0);
    let mut filled = 0;
    while filled < wanted {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => {
                bytes.truncate(filled);
                return Ok(true);
            }
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Only entries that were written together are visited together: where the last of them is missing, none of
/// them counts.
fn read_portion(
    bytes: &[u8],
    from: JournalPlace,
    visit: &mut impl FnMut(ReadFrame<'_>),
) -> (JournalPlace, NoFrame) {
    let (mut counted, mut place) = (from, from);
    let mut together = Vec::new();
    loop {
        let rest = usize::try_from(place.offset - from.offset).ok();
        let rest = rest.and_then(|start| bytes.get(start..)).unwrap_or_default();
        let frame = match frame::first_of(rest, place.hash) {
            Ok(frame) => frame,
            // What must follow is missing: more than is here is needed.
            Err(NoFrame::Short { needs }) => {
                let held = usize::try_from(place.offset - counted.offset).unwrap_or(0);
                return (counted, NoFrame::Short { needs: needs.saturating_add(held) });
            }
            // Of those that were written together, the first are there.
            Err(NoFrame::Other { why, needs }) => {
                let held = usize::try_from(place.offset - counted.offset).unwrap_or(0);
                return (counted, NoFrame::Other { why, needs: needs.saturating_add(held) });
            }
        };
        let previous = place.hash;
        place = JournalPlace {
            offset: place.offset + frame.bytes.len() as u64,
            entries: place.entries + 1,
            hash: frame.hash,
        };
        together.push(ReadFrame {
            number: place.entries,
            bytes: frame.bytes,
            content: frame.content,
            previous,
            hash: frame.hash,
        });
        if !frame.goes_on {
            together.drain(..).for_each(&mut *visit);
            counted = place;
        }
    }
}
