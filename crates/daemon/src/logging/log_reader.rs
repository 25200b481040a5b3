//! The log as one stream of lines, over all its files and over their rotation.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Result};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{LOG_FILE, LOGS_KEPT};

/// Where reading is.
#[derive(Debug)]
pub struct LogFileReader {
    folder: PathBuf,
    open: Option<File>,
    /// The beginning of a line whose end has not been written yet.
    begun: Vec<u8>,
    /// Files that are older than the open one, and not read yet; the oldest last.
    older: Vec<File>,
}

impl LogFileReader {
    /// From the very beginning. A folder that is not there yet has no lines.
    pub fn open(folder: &Path) -> Result<Self> {
        let mut older = Vec::new();
        for number in 1..=LOGS_KEPT {
            older.extend(opened(&named(folder, number))?);
        }
        let open = opened(&named(folder, 0))?;
        Ok(Self { folder: folder.to_owned(), open, begun: Vec::new(), older })
    }

    /// The lines that were written since.
    pub fn more(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(mut older) = self.older.pop() {
            self.read(&mut older, &mut lines);
        }
        if let Some(mut open) = self.open.take() {
            self.read(&mut open, &mut lines);
            let ours = identity(&open);
            let is_ours = |path: &Path| identity_at(path) == ours;
            if is_ours(&named(&self.folder, 0)) {
                self.open = Some(open);
                return lines;
            }
            // It was put aside. What was written to it until then comes before all the others.
            self.read(&mut open, &mut lines);
            let place = (1..=LOGS_KEPT).find(|number| is_ours(&named(&self.folder, *number)));
            for number in (1..place.unwrap_or(LOGS_KEPT + 1)).rev() {
                if let Ok(Some(mut newer)) = opened(&named(&self.folder, number)) {
                    self.read(&mut newer, &mut lines);
                }
            }
        }
        if let Ok(Some(mut newest)) = opened(&named(&self.folder, 0)) {
            self.read(&mut newest, &mut lines);
            self.open = Some(newest);
        }
        lines
    }

    fn read(&mut self, file: &mut File, lines: &mut Vec<String>) {
        let _ = file.read_to_end(&mut self.begun);
        let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') else { return };
        let rest = self.begun.split_off(end + 1);
        let whole = std::mem::replace(&mut self.begun, rest);
        lines.extend(String::from_utf8_lossy(&whole).lines().map(str::to_owned));
    }
}

fn named(folder: &Path, number: u32) -> PathBuf {
    match number {
        0 => folder.join(LOG_FILE),
        _ => folder.join(format!("{LOG_FILE}.{number}")),
    }
}

fn opened(path: &Path) -> Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn identity(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|found| (found.dev(), found.ino()))
}

fn identity_at(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests;
