//! The end of a person's login: told to the authorization server where it wants to know, and forgotten here
//! whatever that says.

use std::time::SystemTime;

use indexmap::IndexMap;
use toolgate_auth::login::{LoginError, ServerLogins, revoke};
use toolgate_store::{LoginHolder, LoginKey, PrivateFileFailure};
use toolgate_types::config::{Oauth, RemoteKind, RemoteServer};
use toolgate_types::{ConfigText, Endpoint, Principal, since_1970};
use toolgate_upstream::LoginFetch;

/// What came of it.
#[derive(Debug)]
pub struct LogoutReport {
    /// Whether there was a login at all.
    pub was_there: bool,
    /// Whether the authorization server ended it too; it may offer no way.
    pub revoked: Result<bool, LoginError>,
}

/// Ends a login, and forgets it.
pub async fn log_out(
    logins: &ServerLogins,
    key: &LoginKey,
    configured: &Oauth,
    fetch: &LoginFetch,
) -> Result<LogoutReport, PrivateFileFailure> {
    let revoked = match logins.login(key) {
        Ok(Some(login)) => revoke(&login, configured, fetch, since_1970(SystemTime::now())).await,
        Ok(None) => Ok(false),
        // A keyring that is away holds nobody in.
        Err(error) => Err(error),
    };
    Ok(LogoutReport { was_there: logins.vault().forget(key)?, revoked })
}

/// A login at a server that no configuration may have any more, and how the server was reached: the
/// person's, or that of whom they name.
pub fn left_login(
    logins: &ServerLogins,
    server: &str,
    account: Option<&str>,
    of: Option<&str>,
) -> Result<Option<(LoginKey, RemoteServer)>, PrivateFileFailure> {
    let owner = Principal::local_user();
    let is_theirs = |holder: &LoginHolder| match holder {
        LoginHolder::Owner => of.is_none(),
        LoginHolder::Other { principal } => principal == of.unwrap_or(owner.as_str()),
    };
    let is_meant = |key: &LoginKey| {
        let is_same = key.server.as_str() == server && key.account.as_deref() == account;
        is_same && is_theirs(&key.holder)
    };
    let kept = logins.vault().all()?;
    let key = kept.into_iter().map(|(key, _)| key).find(is_meant);
    Ok(key.and_then(|key| Some((key.clone(), remote_at(&key.url)?))))
}

fn remote_at(url: &str) -> Option<RemoteServer> {
    Some(RemoteServer {
        endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).ok()?,
        kind: RemoteKind::Auto,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth: None,
        ca_file: None,
    })
}
