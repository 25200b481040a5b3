//! The file of a person's secrets, which a configuration names as `${secret:NAME}`.
//!
//! It lies beside the state and not in its database: whoever copies that, to look at records, takes no
//! secret along. It is for its owner alone. One that others can read, that belongs to somebody else or
//! that is no plain file is refused as it is: what it holds may be known, or not be the person's word.
//! A write goes to a file beside it, under a lock, and takes its place whole.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolgate_types::{NamedSecrets, Secret, SecretName, SecretSource, SecretsFailure};

use crate::StoreError;
use crate::sqlite::{file, folder};

const NAME: &str = "secrets.json";
const NEW: &str = "secrets.json.new";
const LOCK: &str = "secrets.lock";

/// The form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// No longer file is read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The secrets of whoever has this state folder.
#[derive(Debug, Clone)]
pub struct SecretsFile {
    state_folder: PathBuf,
}

/// A secret as it is kept.
#[derive(Debug, Clone)]
pub struct KeptSecret {
    pub value: Secret,
    /// In milliseconds since 1970.
    pub set_at: u64,
}

#[derive(Serialize, Deserialize)]
struct WrittenSecrets {
    version: u32,
    secrets: BTreeMap<String, WrittenSecret>,
}

#[derive(Serialize, Deserialize)]
struct WrittenSecret {
    value: String,
    set_at: u64,
}

/// All that is kept, by name.
type KeptSecrets = BTreeMap<SecretName, KeptSecret>;

impl SecretsFile {
    pub fn of_state_folder(state_folder: &Path) -> Self {
        Self { state_folder: state_folder.to_owned() }
    }

    pub fn path(&self) -> PathBuf {
        self.state_folder.join(NAME)
    }

    /// All of them; none where there is no file.
    pub fn list(&self) -> Result<BTreeMap<SecretName, KeptSecret>, SecretsFailure> {
        let path = self.path();
        match self.open() {
            Ok(Some(file)) => parse(&path, file),
            Ok(None) => Ok(BTreeMap::new()),
            Err(failure) => Err(failure),
        }
    }

    /// Keeps one; whether it took the place of another.
    pub fn set(
        &self,
        name: &SecretName,
        value: Secret,
        set_at: u64,
    ) -> Result<bool, SecretsFailure> {
        self.change(|kept| kept.insert(name.clone(), KeptSecret { value, set_at }).is_some())
    }

    /// Forgets one; `false` if there was none.
    pub fn remove(&self, name: &SecretName) -> Result<bool, SecretsFailure> {
        self.change(|kept| kept.remove(name).is_some())
    }

    fn change(&self, edit: impl FnOnce(&mut KeptSecrets) -> bool) -> Result<bool, SecretsFailure> {
        let kept_in = &self.state_folder;
        folder::make(kept_in).and_then(|()| folder::check(kept_in)).map_err(of_store)?;
        let _lock = self.lock().map_err(of_store)?;
        let mut kept = self.list()?;
        let changed = edit(&mut kept);
        self.write(&kept).map_err(|error| unusable(&self.path(), error.to_string()))?;
        Ok(changed)
    }

    fn lock(&self) -> Result<File, StoreError> {
        let path = self.state_folder.join(LOCK);
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(&path).map_err(|error| StoreError::io(&path, &error))?;
        file::wait_for(&path, || lock.try_lock())?;
        Ok(lock)
    }

    /// The file, once it is certain that it is ours alone.
    fn open(&self) -> Result<Option<File>, SecretsFailure> {
        let path = self.path();
        let failed = |error: io::Error| unusable(&path, error.to_string());
        let named = match fs::symlink_metadata(&path) {
            Ok(named) => named,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // Looked at before it is opened: opening a pipe would wait for ever.
        if !named.is_file() {
            let hint = format!("move {} away, and set the secrets again", path.display());
            let why = if named.is_symlink() { "is a link" } else { "is not a plain file" };
            return Err(SecretsFailure { hint, ..unusable(&path, why) });
        }
        let file = File::open(&path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if (found.dev(), found.ino()) != (named.dev(), named.ino()) {
            return Err(unusable(&path, "was replaced while it was opened"));
        }
        let us = folder::own_uid().map_err(failed)?;
        if found.uid() != us {
            let why = format!("belongs to user {}, and this is user {us}", found.uid());
            let hint = format!("move {} away, and set the secrets again", path.display());
            return Err(SecretsFailure { hint, ..unusable(&path, why) });
        }
        if found.mode() & 0o177 != 0 {
            let why = format!("is open to others (mode {:03o})", found.mode() & 0o777);
            let hint = format!(
                "close it with `chmod 600 {}`; whoever could read it may know what it holds",
                path.display()
            );
            return Err(SecretsFailure { hint, ..unusable(&path, why) });
        }
        Ok(Some(file))
    }

    fn write(&self, kept: &KeptSecrets) -> io::Result<()> {
        let written = |kept: &KeptSecret| WrittenSecret {
            value: kept.value.expose().to_owned(),
            set_at: kept.set_at,
        };
        let secrets = kept.iter().map(|(name, kept)| (name.to_string(), written(kept))).collect();
        let text = serde_json::to_string(&WrittenSecrets { version: VERSION, secrets })?;
        // Wiped when it was written.
        let text = Secret::new(text);
        let new = self.state_folder.join(NEW);
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
        if let Ok(folder) = File::open(&self.state_folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl SecretSource for SecretsFile {
    fn read(&self) -> Result<NamedSecrets, SecretsFailure> {
        let kept = self.list()?;
        Ok(kept.into_iter().map(|(name, kept)| (name, kept.value)).collect())
    }
}

fn parse(path: &Path, file: File) -> Result<KeptSecrets, SecretsFailure> {
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    let text = Secret::new(text);
    read.map_err(|error| unusable(path, error.to_string()))?;
    if text.expose().len() as u64 > LARGEST {
        return Err(unusable(path, "is too long"));
    }
    // What is wrong with it is told by its place: the words of an error may hold a secret.
    let nonsense = |error: serde_json::Error| {
        unusable(path, format!("is damaged (line {}, column {})", error.line(), error.column()))
    };
    #[derive(Deserialize)]
    struct VersionOnly {
        version: u32,
    }
    let VersionOnly { version } = serde_json::from_str(text.expose()).map_err(nonsense)?;
    if version != VERSION {
        let hint = "run the newer Toolgate; nothing was changed".to_owned();
        return Err(SecretsFailure { hint, ..unusable(path, "is of a newer Toolgate") });
    }
    let written: WrittenSecrets = serde_json::from_str(text.expose()).map_err(nonsense)?;
    let kept = written.secrets.into_iter().map(|(name, WrittenSecret { value, set_at })| {
        let name =
            SecretName::parse(&name).map_err(|_| unusable(path, "holds a name that is none"))?;
        Ok((name, KeptSecret { value: Secret::new(value), set_at }))
    });
    kept.collect()
}

fn unusable(path: &Path, why: impl Into<String>) -> SecretsFailure {
    let hint = format!("look at {}, or move it away and set the secrets again", path.display());
    SecretsFailure { why: format!("{} {}", path.display(), why.into()), hint }
}

fn of_store(error: StoreError) -> SecretsFailure {
    let hint = error.hint().unwrap_or("try again").to_owned();
    SecretsFailure { why: error.to_string(), hint }
}

#[cfg(test)]
mod tests;
