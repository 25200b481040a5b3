//! Why there is no login, or no token for the next request: whose fault it is, and what to do.

use toolgate_store::PrivateFileFailure;

use super::FetchFailure;

/// A login, or the renewal of one, that did not come about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// It published nothing about a login, so there is none to be had.
    #[error("the server wants a credential and says nothing about how to log in")]
    NotOffered,
    /// What it published cannot be used, or must not be.
    #[error("the server's login cannot be used: {0}")]
    BadMetadata(String),
    /// No client can be registered there, and none was configured.
    #[error("a client has to be registered for this server first: {0}")]
    NeedsRegistration(String),
    /// The configured client has a secret, and nobody gave it.
    #[error("the client that is configured has to prove itself with a secret")]
    NeedsSecret,
    /// The client that is configured has a key that cannot be used.
    #[error("the client's key (`oauth.client_key`) {0}")]
    BadClientKey(String),
    /// The authorization server, or a person there, said no.
    #[error("the login was refused: {0}")]
    Refused(String),
    /// What came back is not the answer to what was asked. Nothing of it is repeated.
    #[error("the answer of the login was not believed: {0}")]
    NotBelieved(&'static str),
    /// There was a login, and it is over.
    #[error("the login is over: {0}")]
    Over(&'static str),
    /// Nobody logged in yet.
    #[error("nobody has logged in")]
    NotLoggedIn,
    #[error(transparent)]
    Fetch(#[from] FetchFailure),
    /// An answer that is no answer; it may be one a moment later.
    #[error("{host} answered with {what}")]
    Unexpected { host: String, what: String },
    #[error(transparent)]
    Vault(#[from] PrivateFileFailure),
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(String),
}

impl LoginError {
    /// Whether the same may work a moment later, with nobody doing anything.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Fetch(failure) => failure.may_pass(),
            Self::Unexpected { .. } | Self::Vault(_) | Self::NoRandomness(_) => true,
            _ => false,
        }
    }
}

/// What a server wrote, as a person may see it: nothing hidden in it, and not much of it.
pub(super) fn told(text: &str) -> String {
    const MOST: usize = 200;
    let mut cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    toolgate_types::visible(&cut)
}
