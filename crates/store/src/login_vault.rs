//! Where logins are kept, by what it means and not by how.

use std::fs::File;

use toolgate_types::config::CredentialStorage;

use crate::kept_login::{KeptLogin, LoginHolder, LoginKey};
use crate::private_file::PrivateFileFailure;

/// Keeps logins. All of it is quick and done where it is asked for: a login is looked up from memory, and
/// here only when [`LoginVault::state`] says that something changed.
pub trait LoginVault: Send + Sync {
    /// None where there is none, or one that is bound to nothing.
    fn login(&self, key: &LoginKey) -> Result<Option<KeptLogin>, PrivateFileFailure>;

    /// An earlier one of the same key is replaced whole.
    fn keep(&self, key: &LoginKey, login: &KeptLogin) -> Result<(), PrivateFileFailure>;

    /// `false` if there was none.
    fn forget(&self, key: &LoginKey) -> Result<bool, PrivateFileFailure>;

    fn all(&self) -> Result<Vec<(LoginKey, KeptLogin)>, PrivateFileFailure>;

    /// Another number whenever a login of this holder may have changed, in whichever process. Asked before
    /// each request to a server that one could log in to.
    fn state(&self, holder: &LoginHolder) -> u128;

    /// The right to renew a login; none while somebody else has it.
    fn try_renewal_lock(&self, key: &LoginKey) -> Result<Option<RenewalLock>, PrivateFileFailure>;

    /// Where logins are to be kept from now on, for those that can keep them at several places.
    fn store_in(&self, _: CredentialStorage) {}

    /// Whether the secrets of this one lie in the system's keyring.
    fn is_in_keyring(&self, _: &LoginKey) -> bool {
        false
    }
}

/// Held while a login is renewed: nobody else renews the same one meanwhile, in any process.
#[derive(Debug)]
pub struct RenewalLock {
    _held: File,
}

impl RenewalLock {
    /// For as long as a locked file is open.
    pub(crate) fn holding(held: File) -> Self {
        Self { _held: held }
    }
}
