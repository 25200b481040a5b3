//! A result that is too long to hold, for who can pass it on from where it is.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::value::RawValue;

use crate::CutMark;

/// What is held of it, and where the rest is.
#[derive(Debug, Clone)]
pub struct LongResult {
    /// The tool says that it failed.
    pub is_error: bool,
    /// The whole result, but for the rests of long strings: in place of each is its mark. Members can be
    /// taken out of it and put in.
    pub held: Box<RawValue>,
    /// Those.
    pub rests: StringRests,
    /// How long it is uncut.
    pub bytes: u64,
}

/// The rests of strings that were cut, as they are written: known to be JSON.
#[derive(Debug, Clone)]
pub struct StringRests {
    /// It has no name, and goes with whoever holds it last.
    pub file: Arc<File>,
    /// What is in their place.
    pub mark: CutMark,
    /// Where they are in the file, by the numbers that their marks tell.
    pub places: Arc<[Range<u64>]>,
    /// What the file takes of the disk, as long as it is there.
    pub share: Arc<DiskShare>,
}

/// A part of what all such files together may take.
#[derive(Debug)]
pub struct DiskShare {
    taken: Arc<AtomicU64>,
    bytes: u64,
}

impl DiskShare {
    /// So many bytes of those that may be taken; nothing where that would be more than there are.
    pub fn take(taken: &Arc<AtomicU64>, bytes: u64, most: u64) -> Option<Self> {
        let more = |taken: u64| taken.checked_add(bytes).filter(|all| *all <= most);
        let fits = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        fits.then(|| Self { taken: Arc::clone(taken), bytes })
    }
}

impl Drop for DiskShare {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
