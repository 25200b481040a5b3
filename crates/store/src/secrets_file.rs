//! The file of a person's secrets, which a configuration names as `${secret:NAME}`.
//!
//! It lies beside the state and not in its database: whoever copies that, to look at records, takes no
//! secret along. How it is kept for its owner alone is [`PrivateFile`]'s.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolgate_types::{NamedSecrets, Secret, SecretName, SecretSource, SecretsFailure};

use crate::private_file::{PrivateFile, PrivateFileFailure};

/// The form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// The secrets of whoever has this state folder.
#[derive(Debug, Clone)]
pub struct SecretsFile {
    file: PrivateFile,
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
        let remedy = "set the secrets again";
        Self { file: PrivateFile::within(state_folder, "secrets.json", remedy) }
    }

    pub fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    /// All of them; none where there is no file.
    pub fn list(&self) -> Result<BTreeMap<SecretName, KeptSecret>, SecretsFailure> {
        match self.file.read()? {
            Some(text) => Ok(self.parse(&text)?),
            None => Ok(BTreeMap::new()),
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
        let _lock = self.file.lock()?;
        let mut kept = self.list()?;
        let changed = edit(&mut kept);
        let written = |kept: &KeptSecret| WrittenSecret {
            value: kept.value.expose().to_owned(),
            set_at: kept.set_at,
        };
        let secrets = kept.iter().map(|(name, kept)| (name.to_string(), written(kept))).collect();
        let text = serde_json::to_string(&WrittenSecrets { version: VERSION, secrets })
            .map_err(|error| self.file.unusable(error.to_string()))?;
        // Wiped when it was written.
        self.file.write(&Secret::new(text))?;
        Ok(changed)
    }

    fn parse(&self, text: &Secret) -> Result<KeptSecrets, PrivateFileFailure> {
        let nonsense = |error: serde_json::Error| self.file.damaged(&error);
        #[derive(Deserialize)]
        struct VersionOnly {
            version: u32,
        }
        let VersionOnly { version } = serde_json::from_str(text.expose()).map_err(nonsense)?;
        if version != VERSION {
            let hint = "run the newer Toolgate; nothing was changed".to_owned();
            let newer = self.file.unusable("is of a newer Toolgate");
            return Err(PrivateFileFailure { hint, ..newer });
        }
        let written: WrittenSecrets = serde_json::from_str(text.expose()).map_err(nonsense)?;
        let kept = written.secrets.into_iter().map(|(name, WrittenSecret { value, set_at })| {
            let name = SecretName::parse(&name)
                .map_err(|_| self.file.unusable("holds a name that is none"))?;
            Ok((name, KeptSecret { value: Secret::new(value), set_at }))
        });
        kept.collect()
    }
}

impl SecretSource for SecretsFile {
    fn read(&self) -> Result<NamedSecrets, SecretsFailure> {
        let kept = self.list()?;
        Ok(kept.into_iter().map(|(name, kept)| (name, kept.value)).collect())
    }
}

impl From<PrivateFileFailure> for SecretsFailure {
    fn from(PrivateFileFailure { why, hint }: PrivateFileFailure) -> Self {
        Self { why, hint }
    }
}

#[cfg(test)]
mod tests;
