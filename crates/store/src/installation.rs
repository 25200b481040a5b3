//! The one secret of this installation: random bytes that every process on a state folder shares.
//!
//! Made once and never changed. What it is used for is the caller's; where it is kept is the
//! store's.

use std::fmt;

use crate::{StoreError, random};

/// Cannot be printed, compared or serialised; whoever needs the bytes says so.
#[derive(Clone)]
pub struct InstallationKey([u8; 32]);

impl InstallationKey {
    /// The bytes themselves; for the place that uses them, never for one that shows them.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn random() -> Result<Self, StoreError> {
        Ok(Self(random::bytes()?))
    }

    /// A key that was made earlier.
    pub(crate) fn recorded(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for InstallationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallationKey(***)")
    }
}

#[cfg(test)]
mod tests;
