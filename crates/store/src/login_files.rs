//! The files of logins: `mcp-auth.json`, which other programs read too, for the person's own entries, and
//! one of the same form beside it for everybody else's and for projects' servers.
//!
//! Whatever another program wrote there stays: records that are not bound to a URL, which are never used,
//! and fields that are not known.

mod written_login;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolgate_types::{Digest, Secret};

use crate::login_vault::{LoginVault, RenewalLock};
use crate::private_file::{PrivateFile, PrivateFileFailure};
use crate::{KeptLogin, LoginHolder, LoginKey};
use written_login::{key_of, login_of, written};

type Object = Map<String, Value>;

const VERSION: u64 = 1;

/// The logins of whoever has this state folder, in files.
#[derive(Debug, Clone)]
pub struct LoginFiles {
    owners: PrivateFile,
    others: PrivateFile,
}

impl LoginFiles {
    pub fn of_state_folder(state_folder: &Path) -> Self {
        let file = |name| PrivateFile::within(state_folder, name, "log in again");
        Self { owners: file("mcp-auth.json"), others: file("mcp-auth-others.json") }
    }

    fn file_of(&self, holder: &LoginHolder) -> &PrivateFile {
        match holder {
            LoginHolder::Owner => &self.owners,
            LoginHolder::Other { .. } => &self.others,
        }
    }

    fn change<T>(
        &self,
        key: &LoginKey,
        edit: impl FnOnce(&mut Object, String) -> T,
    ) -> Result<T, PrivateFileFailure> {
        let file = self.file_of(&key.holder);
        let _lock = file.lock()?;
        let mut whole = document(file)?;
        let servers = whole.entry("servers").or_insert_with(|| json!({}));
        let Some(servers) = servers.as_object_mut() else {
            return Err(file.unusable("holds no table of servers"));
        };
        let done = edit(servers, name_of(key));
        let text = serde_json::to_string_pretty(&whole);
        // Wiped when it was written.
        let text = Secret::new(text.map_err(|error| file.unusable(error.to_string()))?);
        file.write(&text)?;
        Ok(done)
    }
}

impl LoginVault for LoginFiles {
    fn login(&self, key: &LoginKey) -> Result<Option<KeptLogin>, PrivateFileFailure> {
        let file = self.file_of(&key.holder);
        let whole = document(file)?;
        let found = whole.get("servers").and_then(|servers| servers.get(name_of(key)));
        Ok(found.and_then(Value::as_object).and_then(login_of))
    }

    fn keep(&self, key: &LoginKey, login: &KeptLogin) -> Result<(), PrivateFileFailure> {
        self.change(key, |servers, name| {
            servers.insert(name, Value::Object(written(key, login)));
        })
    }

    fn forget(&self, key: &LoginKey) -> Result<bool, PrivateFileFailure> {
        self.change(key, |servers, name| servers.shift_remove(&name).is_some())
    }

    fn all(&self) -> Result<Vec<(LoginKey, KeptLogin)>, PrivateFileFailure> {
        let mut found = Vec::new();
        for file in [&self.owners, &self.others] {
            let whole = document(file)?;
            let servers = whole.get("servers").and_then(Value::as_object);
            found.extend(servers.into_iter().flatten().filter_map(|(name, record)| {
                let record = record.as_object()?;
                Some((key_of(name, record)?, login_of(record)?))
            }));
        }
        Ok(found)
    }

    fn state(&self, holder: &LoginHolder) -> u128 {
        let Ok(found) = fs::metadata(self.file_of(holder).path()) else { return 0 };
        let changed = found.mtime().wrapping_mul(1_000_000_000) + found.mtime_nsec();
        u128::from(found.ino()) << 64 | u128::from(changed.unsigned_abs() ^ found.size())
    }

    fn try_renewal_lock(&self, key: &LoginKey) -> Result<Option<RenewalLock>, PrivateFileFailure> {
        let file = self.file_of(&key.holder);
        // The folder is made where there is none yet.
        drop(file.lock()?);
        let digest = Digest(Sha256::digest(name_of(key)).into()).to_hex();
        let name = format!("renewal-{}.lock", digest.get(..16).unwrap_or_default());
        let failed = |error: std::io::Error| file.unusable(error.to_string());
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let held = options.open(file.folder.join(name)).map_err(failed)?;
        match held.try_lock() {
            Ok(()) => Ok(Some(RenewalLock::holding(held))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

/// The name of a record in its file.
pub(crate) fn name_of(key: &LoginKey) -> String {
    key.owners_name().unwrap_or_else(|| {
        let LoginKey { url, holder, account, .. } = key;
        let principal = match holder {
            LoginHolder::Owner => "",
            LoginHolder::Other { principal } => principal,
        };
        let parts = [principal, url, account.as_deref().unwrap_or_default()];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Digest(hash.finalize().into()).to_hex()
    })
}

fn document(file: &PrivateFile) -> Result<Object, PrivateFileFailure> {
    let Some(text) = file.read()? else {
        return Ok(Object::from_iter([("version".to_owned(), VERSION.into())]));
    };
    let whole: Value = serde_json::from_str(text.expose()).map_err(|error| file.damaged(&error))?;
    let Value::Object(whole) = whole else { return Err(file.unusable("holds no table")) };
    match whole.get("version").map(Value::as_u64) {
        None | Some(Some(VERSION)) => Ok(whole),
        Some(_) => {
            let hint = "run the newer program; nothing was changed".to_owned();
            Err(PrivateFileFailure { hint, ..file.unusable("is of another version") })
        }
    }
}

#[cfg(test)]
mod tests;
