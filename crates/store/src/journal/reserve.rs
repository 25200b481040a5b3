//! Room on the disk behind the end of a journal, taken before it is needed: on a disk that is full by now, calls
//! that began can end and others can be refused, each with its record.
//!
//! Where the system or the file system cannot take room ahead there is none, and nothing is refused for that.

use std::fs::File;
use std::io;

/// Less than this ahead, and no call begins: about a hundred and fifty ends.
const LEAST: u64 = 128 << 10;

/// How much is taken at once, so that it costs one in a few hundred calls something.
const AT_ONCE: u64 = 512 << 10;

#[derive(Debug)]
pub(super) struct ReservedRoom {
    /// Up to where room is taken.
    to: u64,
    can_reserve: bool,
}

impl ReservedRoom {
    pub(super) fn none() -> Self {
        Self { to: 0, can_reserve: true }
    }

    /// What was behind the end is given back.
    pub(super) fn cut(&mut self, end: u64) {
        self.to = self.to.min(end);
    }

    /// Sees to it that there is room behind what is to be written up to here; an error where the disk is full.
    pub(super) fn renew(&mut self, file: &File, end: u64) -> io::Result<()> {
        if !self.can_reserve || self.to >= end.saturating_add(LEAST) {
            return Ok(());
        }
        let much = reserve(file, end, LEAST + AT_ONCE).map(|()| LEAST + AT_ONCE);
        match much.or_else(|_| reserve(file, end, LEAST).map(|()| LEAST)) {
            Ok(taken) => {
                self.to = end.saturating_add(taken);
                Ok(())
            }
            Err(error) if is_full(&error) => Err(error),
            Err(_) => {
                self.can_reserve = false;
                Ok(())
            }
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Room on the disk that the length of the file does not count.
#[cfg(target_os = "linux")]
fn reserve(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes)?)
}

#[cfg(not(target_os = "linux"))]
fn reserve(_file: &File, _from: u64, _bytes: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
