//! Logins as a person wants them kept: in files alone, or with everything secret in the system's keyring and
//! only what it is about in the files.
//!
//! A record always lies in its file: there it is found, there it is seen that something changed, there the
//! renewals of several processes take turns. What the keyring has names the same URL, issuer and resource,
//! and counts only for a record that names them too.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use toolgate_types::config::CredentialStorage;
use toolgate_types::{Secret, visible};
use tracing::{info, warn};

use crate::keyring::{Keyring, KeyringAway};
use crate::login_files::name_of;
use crate::{
    KeptLogin, LoginBinding, LoginFiles, LoginHolder, LoginKey, LoginTokens, LoginVault,
    PrivateFileFailure, RenewalLock,
};

/// Says in a record that its secrets lie elsewhere.
const KEPT_IN: &str = "kept_in";
const IN_KEYRING: &str = "keyring";

/// Where a token stands that is in the keyring, so that every reader of the file sees that there is one.
const ELSEWHERE: &str = "(in the keyring)";

/// Logins in files, with or without the keyring.
pub struct StoredLogins {
    files: LoginFiles,
    keyring: Arc<dyn Keyring>,
    wanted: Mutex<WantedStorage>,
}

#[derive(Default)]
struct WantedStorage {
    storage: CredentialStorage,
    /// Said once that the keyring does not answer.
    is_told: bool,
}

impl StoredLogins {
    pub fn new(files: LoginFiles, keyring: Arc<dyn Keyring>) -> Self {
        Self { files, keyring, wanted: Mutex::default() }
    }

    /// Whether the next login goes into the keyring; that it cannot is an error where nothing else is wanted.
    fn goes_into_keyring(&self) -> Result<bool, PrivateFileFailure> {
        let storage = self.wanted.lock().storage;
        if storage == CredentialStorage::File {
            return Ok(false);
        }
        match (self.keyring.answers(), storage) {
            (Ok(()), _) => Ok(true),
            (Err(why), CredentialStorage::Keyring) => Err(away(&why)),
            (Err(why), _) => {
                if !std::mem::replace(&mut self.wanted.lock().is_told, true) {
                    info!(%why, "no keyring answers: logins are kept in a file");
                }
                Ok(false)
            }
        }
    }

    /// The record with what the keyring has for it.
    fn whole(&self, key: &LoginKey, mut login: KeptLogin) -> Result<KeptLogin, PrivateFileFailure> {
        if !is_in_keyring(&login) {
            return Ok(login);
        }
        login.rest.shift_remove(KEPT_IN);
        let kept = self.keyring.get(&name_in_keyring(key)).map_err(|why| away(&why))?;
        let kept =
            kept.and_then(|text| serde_json::from_str::<Map<String, Value>>(text.expose()).ok());
        let kept = kept.filter(|kept| kept.get("bound") == Some(&bound(&login.binding)));
        let secret = |name: &str| {
            let text = kept.as_ref()?.get(name)?.as_str()?;
            Some(Secret::new(text.to_owned()))
        };
        login.client_secret = secret("client_secret");
        login.tokens = login.tokens.and_then(|tokens| {
            let (access_token, refresh_token) = (secret("access_token")?, secret("refresh_token"));
            Some(LoginTokens { access_token, refresh_token, ..tokens })
        });
        Ok(login)
    }

    fn put_into_keyring(&self, key: &LoginKey, login: &KeptLogin) -> Result<(), KeyringAway> {
        let exposed = |secret: Option<&Secret>| secret.map(|secret| secret.expose().to_owned());
        let tokens = login.tokens.as_ref();
        let text = json!({
            "access_token": exposed(tokens.map(|tokens| &tokens.access_token)),
            "refresh_token": exposed(tokens.and_then(|tokens| tokens.refresh_token.as_ref())),
            "client_secret": exposed(login.client_secret.as_ref()),
            "bound": bound(&login.binding),
        });
        let label = format!("Toolgate: login at {}", visible(&key.url));
        self.keyring.put(&name_in_keyring(key), &label, &Secret::new(text.to_string()))
    }
}

impl LoginVault for StoredLogins {
    fn login(&self, key: &LoginKey) -> Result<Option<KeptLogin>, PrivateFileFailure> {
        let login = self.files.login(key)?;
        login.map(|login| self.whole(key, login)).transpose()
    }

    fn keep(&self, key: &LoginKey, login: &KeptLogin) -> Result<(), PrivateFileFailure> {
        if self.goes_into_keyring()? {
            // First there: a record that points to nothing would be a lost login.
            match self.put_into_keyring(key, login) {
                Ok(()) => return self.files.keep(key, &without_secrets(login)),
                Err(why) if self.wanted.lock().storage == CredentialStorage::Keyring => {
                    return Err(away(&why));
                }
                Err(why) => warn!(%why, "the keyring took no login: it is kept in a file"),
            }
        }
        let before = self.files.login(key)?;
        self.files.keep(key, login)?;
        if before.as_ref().is_some_and(is_in_keyring)
            && let Err(why) = self.keyring.remove(&name_in_keyring(key))
        {
            warn!(%why, "an earlier login is still in the keyring");
        }
        Ok(())
    }

    fn forget(&self, key: &LoginKey) -> Result<bool, PrivateFileFailure> {
        let before = self.files.login(key)?;
        let was_there = self.files.forget(key)?;
        if before.as_ref().is_some_and(is_in_keyring) {
            self.keyring.remove(&name_in_keyring(key)).map_err(|why| PrivateFileFailure {
                why: format!(
                    "the login is forgotten here, and its tokens are still in the keyring: {why}"
                ),
                hint:
                    "nothing uses them any more; remove them there, by the name that begins with \
                       `Toolgate: login at`"
                        .to_owned(),
            })?;
        }
        Ok(was_there)
    }

    /// By the files alone, so that a keyring that is away hides none; nothing secret is in it then.
    fn all(&self) -> Result<Vec<(LoginKey, KeptLogin)>, PrivateFileFailure> {
        self.files.all()
    }

    fn state(&self, holder: &LoginHolder) -> u128 {
        self.files.state(holder)
    }

    fn try_renewal_lock(&self, key: &LoginKey) -> Result<Option<RenewalLock>, PrivateFileFailure> {
        self.files.try_renewal_lock(key)
    }

    fn store_in(&self, storage: CredentialStorage) {
        self.wanted.lock().storage = storage;
    }

    fn is_in_keyring(&self, key: &LoginKey) -> bool {
        self.files.login(key).ok().flatten().as_ref().is_some_and(is_in_keyring)
    }
}

impl std::fmt::Debug for StoredLogins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredLogins").field("files", &self.files).finish_non_exhaustive()
    }
}

fn is_in_keyring(login: &KeptLogin) -> bool {
    login.rest.get(KEPT_IN).and_then(Value::as_str) == Some(IN_KEYRING)
}

fn without_secrets(login: &KeptLogin) -> KeptLogin {
    let tokens = login.tokens.as_ref().map(|tokens| LoginTokens {
        access_token: Secret::new(ELSEWHERE.to_owned()),
        refresh_token: tokens.refresh_token.as_ref().map(|_| Secret::new(ELSEWHERE.to_owned())),
        ..tokens.clone()
    });
    let mut rest = login.rest.clone();
    rest.insert(KEPT_IN.to_owned(), IN_KEYRING.into());
    KeptLogin { client_secret: None, tokens, rest, ..login.clone() }
}

/// What a login counts for.
fn bound(binding: &LoginBinding) -> Value {
    let LoginBinding { server_url, issuer, resource, .. } = binding;
    json!([server_url, issuer, resource])
}

fn name_in_keyring(key: &LoginKey) -> String {
    let file = match key.holder {
        LoginHolder::Owner => "owner",
        LoginHolder::Other { .. } => "other",
    };
    format!("{file}:{}", name_of(key))
}

fn away(why: &KeyringAway) -> PrivateFileFailure {
    PrivateFileFailure {
        why: format!("the system's keyring does not answer: {why}"),
        hint: "unlock it, or set `credentials = \"file\"` in your own file and log in again"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests;
