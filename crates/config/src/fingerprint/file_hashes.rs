//! The digest of a file's content, computed once for each state that a file is in.
//!
//! A state is known by device, inode, size and the time of its last change, which the system sets
//! and nobody else can; the time of modification is anybody's to set and says nothing. What changed
//! within the last two seconds is read each time somebody looks: a second change could bear the same
//! time. Which files are looked at is for others to say.

use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::real_paths::RealPaths;

/// How long ago a file must have changed for its digest to be kept.
const SETTLED: Duration = Duration::from_secs(2);

/// How many digests are kept; then all are computed anew.
const MOST_KEPT: usize = 8192;

static KEPT: LazyLock<Mutex<HashMap<FileState, Digest>>> = LazyLock::new(Mutex::default);

/// One content of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl FileState {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// For a file that is not read: any change of it is another state.
    pub(super) fn digest(self) -> Digest {
        let mut hash = Sha256::new();
        hash.update(b"last change");
        for number in [self.device, self.inode, self.size] {
            hash.update(number.to_le_bytes());
        }
        for number in [self.changed.0, self.changed.1] {
            hash.update(number.to_le_bytes());
        }
        Digest(hash.finalize().into())
    }

    fn is_settled(self, now: SystemTime) -> bool {
        let (Ok(seconds), Ok(nanoseconds)) =
            (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        now.duration_since(changed).is_ok_and(|ago| ago >= SETTLED)
    }
}

/// The files of one look at a configuration, each read once.
#[derive(Debug, Default)]
pub(crate) struct FileHashes {
    seen: RefCell<HashMap<FileState, Digest>>,
    real: RealPaths,
    #[cfg(test)]
    reads: std::cell::Cell<usize>,
}

impl FileHashes {
    /// Where a path leads.
    pub(super) fn real(&self, path: &Path) -> Option<PathBuf> {
        self.real.of(path)
    }

    pub(super) fn content(&self, real: &Path, now: SystemTime) -> io::Result<Digest> {
        let state = FileState::of(&real.metadata()?);
        if let Some(digest) = self.seen.borrow().get(&state) {
            return Ok(*digest);
        }
        // A panic elsewhere left whole entries: they are put in at once.
        let kept = || KEPT.lock();
        if let Some(digest) = kept().get(&state) {
            return Ok(*digest);
        }
        let (digest, is_whole) = self.read(real, state)?;
        if is_whole {
            self.seen.borrow_mut().insert(state, digest);
        }
        if is_whole && state.is_settled(now) {
            let mut kept = kept();
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            kept.insert(state, digest);
        }
        Ok(digest)
    }

    /// The digest of what is there now, and whether it was in this state from begin to end.
    fn read(&self, real: &Path, state: FileState) -> io::Result<(Digest, bool)> {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        let mut file = File::open(real)?;
        let mut hash = Sha256::new();
        let mut chunk = vec![0; 64 << 10];
        // One that grows meanwhile is not read for ever.
        let mut left = state.size.saturating_add(1);
        while left > 0 {
            let length = (&mut file).take(left).read(&mut chunk)?;
            if length == 0 {
                break;
            }
            hash.update(&chunk[..length]);
            left -= length as u64;
        }
        let is_whole = FileState::of(&file.metadata()?) == state;
        Ok((Digest(hash.finalize().into()), is_whole))
    }
}

#[cfg(test)]
mod tests;
