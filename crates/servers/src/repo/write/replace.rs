//! Puts a new file in the place of one, in one step: whoever reads sees the old or the new, and a call
//! that fails leaves the old.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::{UnlinkatFlags, linkat, unlinkat};

use super::file_place::{FileBefore, FilePlace, failed};
use crate::repo::RepoRefusal;
use crate::repo::bounds::StopSignal;

const MOST_TRIES: usize = 20;

/// Each call of this process writes to a name of its own.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl FilePlace {
    /// Writes if the file is still what it was, and there is none where there was none.
    pub(super) fn replace(
        &self,
        before: Option<&FileBefore>,
        bytes: &[u8],
        stop: &StopSignal,
    ) -> Result<(), RepoRefusal> {
        if before.is_some_and(|before| before.bytes == bytes) {
            return Ok(());
        }
        let (name, file) = self.make_beside()?;
        let done = self.fill(file, before, bytes).and_then(|()| self.settle(&name, before, stop));
        if done.is_err() || before.is_none() {
            let _ = unlinkat(&self.folder, &*name, UnlinkatFlags::NoRemoveDir);
        }
        done
    }

    fn make_beside(&self) -> Result<(OsString, File), RepoRefusal> {
        let flags =
            OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mut last = Errno::EEXIST;
        for _ in 0..MOST_TRIES {
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".toolgate-{}-{next}.tmp", std::process::id()));
            match openat(&self.folder, &*name, flags, Mode::from_bits_truncate(0o666)) {
                Ok(file) => return Ok((name, File::from(file))),
                Err(Errno::EEXIST) => {}
                Err(error) => {
                    last = error;
                    break;
                }
            }
        }
        Err(failed(&self.asked, last))
    }

    fn fill(
        &self,
        mut file: File,
        before: Option<&FileBefore>,
        bytes: &[u8],
    ) -> Result<(), RepoRefusal> {
        if let Some(before) = before {
            // The bits that let a program run as somebody else are not carried over.
            let mode = Mode::from_bits_truncate(before.stat.st_mode & 0o777);
            fchmod(&file, mode).map_err(|error| failed(&self.asked, error))?;
        }
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|error| {
            let why = error.kind().to_string();
            RepoRefusal::Unwritten { path: self.asked.clone(), why }
        })
    }

    /// The last look, and the one step.
    fn settle(
        &self,
        name: &OsString,
        before: Option<&FileBefore>,
        stop: &StopSignal,
    ) -> Result<(), RepoRefusal> {
        // Nobody waits for it any more.
        stop.is_due()?;
        let Some(before) = before else {
            // Unlike a rename, this fails where something came meanwhile.
            let linked = linkat(&self.folder, &**name, &self.folder, &*self.name, AtFlags::empty());
            return linked.map_err(|error| match error {
                Errno::EEXIST => RepoRefusal::Changed(self.asked.clone()),
                error => failed(&self.asked, error),
            });
        };
        let now = self.read()?.ok_or_else(|| RepoRefusal::Changed(self.asked.clone()))?;
        let is_same = (now.stat.st_dev, now.stat.st_ino)
            == (before.stat.st_dev, before.stat.st_ino)
            && now.bytes == before.bytes;
        if !is_same {
            return Err(RepoRefusal::Changed(self.asked.clone()));
        }
        renameat(&self.folder, &**name, &self.folder, &*self.name)
            .map_err(|error| failed(&self.asked, error))
    }
}

#[cfg(test)]
mod tests;
