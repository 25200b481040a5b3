//! What a browser was sent back with, or a person pasted.
//!
//! It comes from anybody: whatever page is open can send a browser there. So first it has to be ours, by
//! the place it came to and the state that only this attempt knows; then it has to be the issuer's.

use sha2::{Digest as _, Sha256};
use toolgate_types::Secret;
use url::Url;

use super::LoginError;
use super::login_error::told;
use super::metadata::AuthorizationServer;

/// The answer of an authorization server, unchecked.
#[derive(Clone)]
pub struct AuthorizationCallback {
    url: Url,
}

/// What an answer is worth.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallbackVerdict {
    Code(String),
    /// Not an answer to this attempt; the right one may still come.
    Stranger(&'static str),
    /// The answer to this attempt, and it is none to go on with.
    No(LoginError),
}

impl AuthorizationCallback {
    /// A whole URL, as it stood in the browser.
    pub fn parse(url: &str) -> Result<Self, LoginError> {
        match Url::parse(url.trim()) {
            Ok(url) => Ok(Self { url }),
            Err(_) => Err(LoginError::NotBelieved("it is no URL")),
        }
    }

    pub(super) fn judge(
        &self,
        redirect: &str,
        state: &Secret,
        server: &AuthorizationServer,
    ) -> CallbackVerdict {
        if !self.came_to(redirect) {
            return CallbackVerdict::Stranger("it came to another place");
        }
        match self.only("state") {
            Some(Some(said)) if is_same(&said, state.expose()) => {}
            _ => return CallbackVerdict::Stranger("its state is not of this login"),
        }
        if let Some(why) = self.wrong_issuer(server) {
            return CallbackVerdict::No(LoginError::NotBelieved(why));
        }
        match (self.only("error"), self.only("code")) {
            (Some(Some(error)), _) => {
                let words = self.only("error_description").flatten();
                let words = words.map(|words| format!(" ({})", told(&words))).unwrap_or_default();
                CallbackVerdict::No(LoginError::Refused(format!("{}{words}", told(&error))))
            }
            (Some(None), Some(Some(code))) if !code.is_empty() => CallbackVerdict::Code(code),
            _ => CallbackVerdict::No(LoginError::NotBelieved("it holds no code")),
        }
    }

    fn came_to(&self, redirect: &str) -> bool {
        let Ok(redirect) = Url::parse(redirect) else { return false };
        let place = |url: &Url| (url.origin(), url.path().to_owned());
        place(&self.url) == place(&redirect)
    }

    /// RFC 9207: who named no issuer may leave it out if it never promised to name one.
    fn wrong_issuer(&self, server: &AuthorizationServer) -> Option<&'static str> {
        match (self.only("iss"), &server.issuer) {
            (None, _) => Some("it names its issuer twice"),
            (Some(None), _) if server.names_issuer => Some("it does not name its issuer"),
            (Some(None), _) => None,
            (Some(Some(said)), Some(issuer)) if said == *issuer => None,
            (Some(Some(_)), Some(_)) => Some("it is of another issuer"),
            (Some(Some(_)), None) => None,
        }
    }

    /// A parameter that is there at most once; none where it is there more often.
    fn only(&self, name: &str) -> Option<Option<String>> {
        let mut found = self.url.query_pairs().filter(|(key, _)| key == name);
        let first = found.next().map(|(_, value)| value.into_owned());
        found.next().is_none().then_some(first)
    }
}

impl std::fmt::Debug for AuthorizationCallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuthorizationCallback(***)")
    }
}

/// How long it takes says nothing about where they differ: hashes are compared.
pub(super) fn is_same(said: &str, state: &str) -> bool {
    Sha256::digest(said) == Sha256::digest(state)
}

#[cfg(test)]
mod tests;
