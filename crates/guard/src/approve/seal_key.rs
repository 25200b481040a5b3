//! What keeps sealed notes from being forged.

use toolgate_store::{InstallationKey, KeyedHash};

/// What keeps notes from being forged.
pub(super) struct SealKey([u8; 32]);

impl SealKey {
    /// One of its own, so that nothing else that is keyed can be taken for a seal.
    pub(super) fn derived(installation: &InstallationKey) -> Self {
        Self(KeyedHash::new(installation.as_bytes()).with(b"toolgate request state").digest().0)
    }

    /// One that nobody can guess, or none at all.
    pub(super) fn random() -> Result<Self, NoRandomness> {
        Self::filled_by(|key| getrandom::fill(key).map_err(|_| NoRandomness))
    }

    fn filled_by(
        fill: impl FnOnce(&mut [u8]) -> Result<(), NoRandomness>,
    ) -> Result<Self, NoRandomness> {
        let mut key = [0; 32];
        fill(&mut key)?;
        Ok(Self(key))
    }

    pub(super) fn hash(&self, body: &str) -> KeyedHash {
        KeyedHash::new(&self.0).with(body.as_bytes())
    }
}

/// The system gives no randomness: nothing can be sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoRandomness;

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_randomness_there_is_no_key_that_could_be_guessed() {
        assert!(matches!(SealKey::filled_by(|_| Err(NoRandomness)), Err(NoRandomness)));
        let (one, other) = (SealKey::random().unwrap(), SealKey::random().unwrap());
        assert_ne!(one.0, other.0);
    }
}
