//! The logins that a process uses: the token for the next request, from memory, renewed in time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use toolgate_store::{KeptLogin, LoginKey, LoginVault};
use toolgate_types::Secret;
use toolgate_types::config::Oauth;

use super::renewal::{Renewal, renew};
use super::{CallerTokens, GuardedFetch, LoginError};

/// A token that holds no longer than this is renewed before it is used; where a whole token holds hardly
/// longer, half of its time.
const RENEWED_BEFORE_MS: u64 = 60_000;

/// Logins, remembered until the vault says that something changed.
pub struct ServerLogins {
    vault: Arc<dyn LoginVault>,
    known: Mutex<HashMap<LoginKey, KnownLogin>>,
    /// How long before its end the token of a login is renewed, where that is shorter than for others.
    renewed_before: Mutex<HashMap<LoginKey, u64>>,
    callers: CallerTokens,
}

/// So long nobody looks again for a login that was not there. A server that wants one says so, and then it is looked
/// for once more.
const ABSENT_FOR: Duration = Duration::from_millis(50);

/// What was found for a key.
struct KnownLogin {
    /// The vault's state that it was read in.
    state: u128,
    looked: Instant,
    login: Option<Arc<KeptLogin>>,
}

impl ServerLogins {
    pub fn new(vault: Arc<dyn LoginVault>) -> Self {
        let (known, renewed_before) = (Mutex::default(), Mutex::default());
        Self { vault, known, renewed_before, callers: CallerTokens::default() }
    }

    pub fn vault(&self) -> &Arc<dyn LoginVault> {
        &self.vault
    }

    /// What callers showed, for servers whose tokens are had in exchange for that.
    pub fn callers(&self) -> &CallerTokens {
        &self.callers
    }

    /// The login of a key, where there is one that is bound to exactly its server.
    pub fn login(&self, key: &LoginKey) -> Result<Option<Arc<KeptLogin>>, LoginError> {
        let (state, looked) = (self.vault.state(&key.holder), Instant::now());
        if let Some(known) = self.known.lock().get_mut(key).filter(|known| known.state == state) {
            known.looked = looked;
            return Ok(known.login.clone());
        }
        let read = self.vault.login(key)?.filter(|login| login.binding.server_url == key.url);
        let login = read.map(Arc::new);
        // What changed since it was asked for the state makes it be read again.
        let known = KnownLogin { state, looked, login: login.clone() };
        self.known.lock().insert(key.clone(), known);
        Ok(login)
    }

    /// Whether it was looked for a moment ago and was not there: most servers need none, and are asked for
    /// something all the time.
    pub fn is_absent(&self, key: &LoginKey) -> bool {
        let known = self.known.lock();
        let is_fresh = |known: &KnownLogin| known.looked.elapsed() < ABSENT_FOR;
        known.get(key).is_some_and(|known| known.login.is_none() && is_fresh(known))
    }

    /// Whether there is a token by now, for a server that refused a request without one.
    pub fn has_token(&self, key: &LoginKey) -> Result<bool, LoginError> {
        Ok(self.login(key)?.is_some_and(|login| login.tokens.is_some()))
    }

    pub fn keep(&self, key: &LoginKey, login: &KeptLogin) -> Result<(), LoginError> {
        self.vault.keep(key, login)?;
        self.known.lock().clear();
        Ok(())
    }

    /// The token for the next request; none where nobody logged in.
    pub async fn token(
        &self,
        key: &LoginKey,
        configured: &Oauth,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<Option<Secret>, LoginError> {
        let login = if self.is_absent(key) { None } else { self.login(key)? };
        let Some(login) = login else { return Ok(None) };
        let Some(tokens) = &login.tokens else { return Ok(None) };
        let Some(expires_at) = tokens.expires_at else {
            return Ok(Some(tokens.access_token.clone()));
        };
        let before = self.renewed_before.lock().get(key).copied().unwrap_or(RENEWED_BEFORE_MS);
        if now.saturating_add(before) < expires_at {
            return Ok(Some(tokens.access_token.clone()));
        }
        match self.renew(key, &tokens.access_token, configured, fetch, now).await {
            Ok(token) => Ok(Some(token)),
            // It still holds for a moment, and the next request may be luckier.
            Err(error) if now < expires_at && (error.may_pass() || error == NOT_RENEWABLE) => {
                Ok(Some(tokens.access_token.clone()))
            }
            Err(error) => Err(error),
        }
    }

    /// The server refused a token: another, where one is to be had without a person.
    pub async fn another(
        &self,
        key: &LoginKey,
        refused: &Secret,
        configured: &Oauth,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<Option<Secret>, LoginError> {
        match self.renew(key, refused, configured, fetch, now).await {
            Ok(token) => Ok(Some(token)),
            Err(NOT_RENEWABLE | LoginError::NotLoggedIn) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The server wants more than was granted; the next login asks for it.
    pub fn want(&self, key: &LoginKey, scope: &str) -> Result<(), LoginError> {
        let Some(login) = self.login(key)? else { return Ok(()) };
        if login.wanted_scope.as_deref() == Some(scope) {
            return Ok(());
        }
        let wanted_scope = Some(scope.to_owned());
        self.keep(key, &KeptLogin { wanted_scope, ..KeptLogin::clone(&login) })
    }

    /// Whether a login was granted all of this, so that another login would bring nothing new.
    pub fn has_granted(&self, key: &LoginKey, scope: &str) -> bool {
        let Ok(Some(login)) = self.login(key) else { return false };
        let granted = login.tokens.as_ref().and_then(|tokens| tokens.scope.as_deref());
        let granted: Vec<&str> = granted.into_iter().flat_map(str::split_whitespace).collect();
        scope.split_whitespace().all(|wanted| granted.contains(&wanted))
    }

    /// A token that is not the one that will not do.
    async fn renew(
        &self,
        key: &LoginKey,
        stale: &Secret,
        configured: &Oauth,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<Secret, LoginError> {
        let renewed = renew(&*self.vault, key, stale, configured, fetch, now).await;
        self.known.lock().clear();
        match renewed? {
            Renewal::Token(token) => {
                self.note_lifetime(key, now)?;
                Ok(token)
            }
            Renewal::NotRenewable => Err(NOT_RENEWABLE),
        }
    }

    /// Otherwise a token that never holds a minute would be renewed for every request.
    fn note_lifetime(&self, key: &LoginKey, now: u64) -> Result<(), LoginError> {
        let login = self.login(key)?;
        let expires_at = login.and_then(|login| login.tokens.as_ref()?.expires_at);
        if let Some(expires_at) = expires_at {
            let before = (expires_at.saturating_sub(now) / 2).min(RENEWED_BEFORE_MS);
            self.renewed_before.lock().insert(key.clone(), before);
        }
        Ok(())
    }
}

const NOT_RENEWABLE: LoginError = LoginError::Over("it cannot be renewed");

impl std::fmt::Debug for ServerLogins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerLogins").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
