//! The system's keyring, as far as it is needed: one secret by a name.

use toolgate_types::Secret;

/// Keeps secrets by name, encrypted for the person while they are away.
///
/// A keyring that would have to ask somebody first is one that does not answer: what uses it may run where
/// nobody looks.
pub trait Keyring: Send + Sync {
    /// Whether something could be kept there now.
    fn answers(&self) -> Result<(), KeyringAway>;

    fn get(&self, name: &str) -> Result<Option<Secret>, KeyringAway>;

    /// What was there under the name is replaced. The label is for the person who looks at their keyring.
    fn put(&self, name: &str, label: &str, secret: &Secret) -> Result<(), KeyringAway>;

    /// `false` if there was none.
    fn remove(&self, name: &str) -> Result<bool, KeyringAway>;
}

/// It does not answer, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyringAway(pub String);

/// Where there is none.
#[derive(Debug, Clone, Copy)]
pub struct NoKeyring;

impl NoKeyring {
    fn away<T>() -> Result<T, KeyringAway> {
        Err(KeyringAway("there is none that can be reached from here".to_owned()))
    }
}

impl Keyring for NoKeyring {
    fn answers(&self) -> Result<(), KeyringAway> {
        Self::away()
    }

    fn get(&self, _: &str) -> Result<Option<Secret>, KeyringAway> {
        Self::away()
    }

    fn put(&self, _: &str, _: &str, _: &Secret) -> Result<(), KeyringAway> {
        Self::away()
    }

    fn remove(&self, _: &str) -> Result<bool, KeyringAway> {
        Self::away()
    }
}
