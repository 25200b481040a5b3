//! What was fixed of a server's packages: every version with its hash, where they came from, and which
//! program of them is started.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::registry_places::RegistryPlaces;

/// The packages of one server, fixed. It is kept as text, and read back as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedPackages {
    /// Where they are fetched from.
    pub(super) places: RegistryPlaces,
    /// The program that is started, below the place where code is seen.
    pub(super) program: String,
    /// The packages that the entry names, with their versions; for a person's eyes.
    pub(super) named: Vec<String>,
    /// How many more came with them.
    pub(super) others: usize,
    /// Whether they bring scripts that run when they are installed.
    pub(super) has_scripts: bool,
    /// The files by which a package manager fetches exactly these, by name.
    pub(super) files: BTreeMap<String, String>,
}

impl FixedPackages {
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn text(&self) -> String {
        // Texts and numbers alone can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The name of exactly these packages.
    pub(super) fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        for (name, text) in &self.files {
            for part in [name, text] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        Digest(hash.finalize().into())
    }

    /// The packages that the entry names, each with its version.
    pub fn versions(&self) -> &[String] {
        &self.named
    }

    /// How many packages came with them.
    pub fn others(&self) -> usize {
        self.others
    }

    pub fn has_scripts(&self) -> bool {
        self.has_scripts
    }
}
