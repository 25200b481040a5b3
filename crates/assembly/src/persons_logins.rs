//! The logins of the person whose state folder it is, in files or in the keyring of their desktop.

use std::path::Path;
use std::sync::Arc;

use toolgate_auth::login::ServerLogins;
use toolgate_store::{Keyring, LoginFiles, NoKeyring, StoredLogins};
use toolgate_types::Variables;
use toolgate_types::config::CredentialStorage;

/// They are kept as the person wants it. The variables are this process's own, never a window's.
pub fn persons_logins(
    state_folder: &Path,
    variables: &Variables,
    storage: CredentialStorage,
) -> Arc<ServerLogins> {
    let files = LoginFiles::of_state_folder(state_folder);
    let vault = StoredLogins::new(files, keyring(variables));
    let logins = Arc::new(ServerLogins::new(Arc::new(vault)));
    logins.vault().store_in(storage);
    logins
}

#[cfg(target_os = "linux")]
fn keyring(variables: &Variables) -> Arc<dyn Keyring> {
    match toolgate_store::SecretService::of(variables) {
        Some(service) => Arc::new(service),
        None => Arc::new(NoKeyring),
    }
}

#[cfg(not(target_os = "linux"))]
fn keyring(_: &Variables) -> Arc<dyn Keyring> {
    Arc::new(NoKeyring)
}
