//! A small file for its owner alone, read whole and written whole.
//!
//! One that others can read, that belongs to somebody else or that is no plain file is refused as it is:
//! what it holds may be known, or not be the person's word. A write goes to a file beside it, under a
//! lock, and takes its place whole. What the file says is not known here.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use toolgate_types::Secret;

use crate::StoreError;
use crate::sqlite::{file, folder};

/// No longer file is read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// How often it is looked at anew where others write it meanwhile.
const LOOKS: usize = 100;

/// Where such a file is.
#[derive(Debug, Clone)]
pub(crate) struct PrivateFile {
    pub(crate) folder: PathBuf,
    path: PathBuf,
    /// What a person does once the file was moved away: "set the secrets again".
    remedy: &'static str,
}

/// Why it cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct PrivateFileFailure {
    pub why: String,
    pub hint: String,
}

impl PrivateFile {
    pub(crate) fn within(folder: &Path, name: &str, remedy: &'static str) -> Self {
        Self { folder: folder.to_owned(), path: folder.join(name), remedy }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its text; none where there is no file.
    pub(crate) fn read(&self) -> Result<Option<Secret>, PrivateFileFailure> {
        let Some(file) = self.open()? else { return Ok(None) };
        let mut text = String::new();
        let read = file.take(LARGEST + 1).read_to_string(&mut text);
        let text = Secret::new(text);
        read.map_err(|error| self.unusable(error.to_string()))?;
        match text.expose().len() as u64 > LARGEST {
            true => Err(self.unusable("is too long")),
            false => Ok(Some(text)),
        }
    }

    /// Held, nobody else changes it. It makes the folder where there is none.
    pub(crate) fn lock(&self) -> Result<File, PrivateFileFailure> {
        self.locked().map_err(of_store)
    }

    fn locked(&self) -> Result<File, StoreError> {
        folder::make(&self.folder)?;
        folder::check(&self.folder)?;
        let path = self.path().with_extension("lock");
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(&path).map_err(|error| StoreError::io(&path, &error))?;
        file::wait_for(&path, || lock.try_lock())?;
        Ok(lock)
    }

    /// Takes the place of what is there. Only under the lock.
    pub(crate) fn write(&self, text: &Secret) -> Result<(), PrivateFileFailure> {
        self.replace(text).map_err(|error| self.unusable(error.to_string()))
    }

    fn replace(&self, text: &Secret) -> io::Result<()> {
        let new = self.path.with_added_extension("new");
        // One that a killed process left; only under the lock.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.expose().as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, self.path())?;
        // It stands already; that the folder is slow to remember it is no failure.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// The file that stands there, if it is a plain one.
    fn open_plain(&self) -> Result<Option<(File, Metadata)>, PrivateFileFailure> {
        let path = self.path();
        let failed = |error: io::Error| self.unusable(error.to_string());
        // Another process may write it whole at any time, so a file that is new is looked at again.
        for _ in 0..LOOKS {
            let named = match fs::symlink_metadata(path) {
                Ok(named) => named,
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            // Looked at before it is opened: opening a pipe would wait for ever.
            if !named.is_file() {
                let why = if named.is_symlink() { "is a link" } else { "is not a plain file" };
                return Err(PrivateFileFailure { hint: self.moved(), ..self.unusable(why) });
            }
            let file = File::open(path).map_err(failed)?;
            let found = file.metadata().map_err(failed)?;
            if (found.dev(), found.ino()) == (named.dev(), named.ino()) {
                return Ok(Some((file, found)));
            }
        }
        Err(self.unusable("is replaced again and again while it is opened"))
    }

    fn moved(&self) -> String {
        format!("move {} away, and {}", self.path().display(), self.remedy)
    }

    /// The file, once it is certain that it is ours alone.
    fn open(&self) -> Result<Option<File>, PrivateFileFailure> {
        let (path, moved) = (self.path(), || self.moved());
        let failed = |error: io::Error| self.unusable(error.to_string());
        let Some((file, found)) = self.open_plain()? else { return Ok(None) };
        let us = folder::own_uid().map_err(failed)?;
        if found.uid() != us {
            let why = format!("belongs to user {}, and this is user {us}", found.uid());
            return Err(PrivateFileFailure { hint: moved(), ..self.unusable(why) });
        }
        if found.mode() & 0o177 != 0 {
            let why = format!("is open to others (mode {:03o})", found.mode() & 0o777);
            let hint = format!(
                "close it with `chmod 600 {}`; whoever could read it may know what it holds",
                path.display()
            );
            return Err(PrivateFileFailure { hint, ..self.unusable(why) });
        }
        Ok(Some(file))
    }

    pub(crate) fn unusable(&self, why: impl Into<String>) -> PrivateFileFailure {
        let path = self.path();
        let hint = format!("look at {}, or move it away and {}", path.display(), self.remedy);
        PrivateFileFailure { why: format!("{} {}", path.display(), why.into()), hint }
    }

    /// What is wrong with it is told by its place: the words of an error may hold a secret.
    pub(crate) fn damaged(&self, error: &serde_json::Error) -> PrivateFileFailure {
        self.unusable(format!("is damaged (line {}, column {})", error.line(), error.column()))
    }
}

fn of_store(error: StoreError) -> PrivateFileFailure {
    let hint = error.hint().unwrap_or("try again").to_owned();
    PrivateFileFailure { why: error.to_string(), hint }
}
