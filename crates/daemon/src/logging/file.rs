//! The log file: lines appended by any number of processes at once, in files of bounded size.
//!
//! Each line is one write in append mode, so lines never mix. Processes take turns by a lock, which
//! keeps the size; one that was stopped in its turn is waited for only shortly, and then the line is
//! written all the same, into a file that may grow too long. What a line says, and that it holds no
//! secret, is for others.

use parking_lot::Mutex;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The file that is written to; those that were put aside have a number after it.
pub const NAME: &str = "toolgate.log";

/// A file that would grow beyond this is put aside first.
const MOST_BYTES: u64 = 5 * 1024 * 1024;

/// How many are kept beside the one that is written to.
pub const KEPT: u32 = 4;

/// How long another process may take for its turn, which is microseconds if it runs at all.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often a line is written again that went into a file already thrown away.
const TRIES: usize = 3;

#[derive(Debug)]
pub(super) struct LogFile {
    folder: PathBuf,
    most_bytes: u64,
    patience: Duration,
    open: Mutex<(WriteTurn, OpenLogFile)>,
    lost: AtomicUsize,
}

#[derive(Debug)]
struct OpenLogFile {
    file: File,
    /// The last write stopped within a line, so the next one begins with a line's end.
    is_torn: bool,
}

/// Our place among the processes that write.
#[derive(Debug)]
struct WriteTurn {
    lock: File,
    /// Somebody kept us waiting too long; until there is a turn again nobody is waited for.
    gave_up: bool,
}

impl LogFile {
    /// Opens the log in this folder; both are made where they are missing, for their owner only.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, MOST_BYTES, PATIENCE)
    }

    fn open_with(folder: &Path, most_bytes: u64, patience: Duration) -> Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        close_to_others(folder, 0o700)?;
        let lock = open_append(&folder.join(format!("{NAME}.lock")))?;
        let file = open_append(&folder.join(NAME))?;
        let open = (WriteTurn { lock, gave_up: false }, OpenLogFile { file, is_torn: false });
        let (folder, lost) = (folder.to_owned(), AtomicUsize::new(0));
        Ok(Self { folder, most_bytes, patience, open: Mutex::new(open), lost })
    }

    /// Appends a line, its end included.
    pub(super) fn append(&self, line: &[u8]) {
        let mut open = self.open.lock();
        let (turn, open) = &mut *open;
        let is_ours = turn.wait(self.patience);
        if self.try_append(open, line, is_ours).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        if is_ours {
            turn.end();
        }
    }

    /// How many lines could not be written.
    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    fn try_append(&self, open: &mut OpenLogFile, line: &[u8], may_rotate: bool) -> Result<()> {
        for _ in 0..TRIES {
            let size = self.follow(open)?;
            let is_full = size > 0 && size.saturating_add(line.len() as u64) > self.most_bytes;
            if is_full && may_rotate {
                // Where it cannot be put aside, a file that is too long is better than no line.
                let _ = self.rotate();
                self.follow(open)?;
            }
            open.write(line)?;
            // Others may have rotated it away for good in between.
            if open.file.metadata()?.nlink() > 0 {
                return Ok(());
            }
        }
        Err(Error::other("the file is gone each time"))
    }

    /// Makes sure that what is open is what bears the name, and tells its size.
    fn follow(&self, open: &mut OpenLogFile) -> Result<u64> {
        let path = self.folder.join(NAME);
        let ours = open.file.metadata()?;
        match fs::symlink_metadata(&path) {
            Ok(named) if (named.dev(), named.ino()) == (ours.dev(), ours.ino()) => Ok(named.len()),
            _ => {
                *open = OpenLogFile { file: open_append(&path)?, is_torn: false };
                Ok(open.file.metadata()?.len())
            }
        }
    }

    fn rotate(&self) -> Result<()> {
        let aside = |number: u32| self.folder.join(format!("{NAME}.{number}"));
        for number in (1..KEPT).rev() {
            match fs::rename(aside(number), aside(number + 1)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(self.folder.join(NAME), aside(1))
    }
}

impl WriteTurn {
    /// Whether it is our turn now.
    fn wait(&mut self, patience: Duration) -> bool {
        let began = Instant::now();
        loop {
            match self.lock.try_lock() {
                Err(TryLockError::WouldBlock) if self.gave_up || began.elapsed() >= patience => {
                    self.gave_up = true;
                    return false;
                }
                // Waiting for a lock has no end of its own, so it is asked for.
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(50)),
                // Where there are no locks, everybody has the turn.
                Ok(()) | Err(TryLockError::Error(_)) => {
                    self.gave_up = false;
                    return true;
                }
            }
        }
    }

    fn end(&self) {
        let _ = self.lock.unlock();
    }
}

impl OpenLogFile {
    /// One write, so that lines of two processes never mix.
    fn write(&mut self, line: &[u8]) -> Result<()> {
        let mended;
        let bytes = match self.is_torn {
            true => {
                mended = [b"\n", line].concat();
                &mended
            }
            false => line,
        };
        let written = loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.is_torn = written < bytes.len() && (written > 0 || self.is_torn);
        if written < bytes.len() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

fn open_append(path: &Path) -> Result<File> {
    // Opening a pipe would wait for its reader, and a link leads who knows where.
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            return Err(Error::other(format!("{} is no file", path.display())));
        }
        _ => {}
    }
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    close_to_others(path, 0o600)?;
    Ok(file)
}

fn close_to_others(path: &Path, mode: u32) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.mode() & 0o077 != 0 => {
            fs::set_permissions(path, Permissions::from_mode(mode))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        // Gone again: another process put it aside.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
