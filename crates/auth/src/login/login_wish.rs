//! What somebody wants of a login, and what is known before it begins.

use toolgate_store::KeptLogin;
use toolgate_types::config::Oauth;

use super::BearerChallenge;

/// What a login is begun with.
#[derive(Debug, Clone, Copy)]
pub struct LoginWish<'a> {
    /// The server's URL exactly as it is configured.
    pub server_url: &'a str,
    pub configured: &'a Oauth,
    pub challenge: Option<&'a BearerChallenge>,
    /// The scopes that a person named.
    pub scope: Option<&'a str>,
    /// An earlier login there.
    pub known: Option<&'a KeptLogin>,
    /// Where the browser is sent back to.
    pub redirect: &'a str,
}
