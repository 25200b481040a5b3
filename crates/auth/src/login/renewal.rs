//! One renewal of a login, by one process at a time: a refresh token often counts once, and two that
//! redeem it end the login for both.

use std::time::Duration;

use toolgate_store::{KeptLogin, LoginKey, LoginTokens, LoginVault, RenewalLock};
use toolgate_types::Secret;
use toolgate_types::config::Oauth;
use tracing::{info, warn};

use super::client_identity::{ClientIdentity, REDIRECT};
use super::token_request::{OauthRefusal, TokenAnswer, request_tokens};
use super::{GuardedFetch, LoginError, OauthEndpoint};

/// How often somebody else's renewal is looked after, and for how long.
const LOOK: Duration = Duration::from_millis(20);
const PATIENCE: u32 = 2_000;

/// What came of it.
pub(super) enum Renewal {
    Token(Secret),
    /// There is nothing to renew it with.
    NotRenewable,
}

/// A token other than the stale one: somebody else's renewal, or our own.
pub(super) async fn renew(
    vault: &dyn LoginVault,
    key: &LoginKey,
    stale: &Secret,
    configured: &Oauth,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<Renewal, LoginError> {
    let _lock = lock(vault, key).await?;
    let login = vault.login(key)?.filter(|login| login.binding.server_url == key.url);
    let login = login.ok_or(LoginError::NotLoggedIn)?;
    let Some(tokens) = &login.tokens else { return Err(LoginError::NotLoggedIn) };
    if tokens.access_token.expose() != stale.expose() {
        return Ok(Renewal::Token(tokens.access_token.clone()));
    }
    let Some(refresh) = &tokens.refresh_token else { return Ok(Renewal::NotRenewable) };
    let binding = &login.binding;
    let endpoint = OauthEndpoint::parse("token_endpoint", &binding.token_endpoint)?;
    let parameters = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh.expose()),
        ("resource", &binding.resource),
    ];
    let client = ClientIdentity::of_login(&login, configured)?;
    match request_tokens(&endpoint, &parameters, &client, fetch, now).await? {
        TokenAnswer::Granted(renewed) => {
            let renewed = LoginTokens {
                // Giving a new one is optional (RFC 6749, 6), and so is naming scopes that did not change.
                refresh_token: renewed.refresh_token.or_else(|| Some(refresh.clone())),
                scope: renewed.scope.or_else(|| tokens.scope.clone()),
                ..renewed
            };
            let token = renewed.access_token.clone();
            vault.keep(key, &KeptLogin { tokens: Some(renewed), ..login.clone() })?;
            info!(server = key.server.as_str(), "login renewed");
            Ok(Renewal::Token(token))
        }
        TokenAnswer::Refused(refusal) => Err(refused(vault, key, login, &refusal)?),
    }
}

/// A definite no ends the login, here and for everybody; anything else may pass.
fn refused(
    vault: &dyn LoginVault,
    key: &LoginKey,
    login: KeptLogin,
    refusal: &OauthRefusal,
) -> Result<LoginError, LoginError> {
    let server = key.server.as_str();
    let (over, rest) = match refusal.error.as_str() {
        "invalid_grant" => ("its refresh token was refused", login.rest),
        // The client is not known there any more; the next login registers another.
        "invalid_client" | "unauthorized_client" => {
            let mut rest = login.rest;
            rest.shift_remove(REDIRECT);
            ("its client was refused", rest)
        }
        _ => {
            warn!(server, why = refusal.told(), "login not renewed");
            let host = key.server.to_string();
            return Ok(LoginError::Unexpected { host, what: refusal.told() });
        }
    };
    warn!(server, why = refusal.told(), "the login is over");
    vault.keep(key, &KeptLogin { tokens: None, rest, ..login })?;
    Ok(LoginError::Over(over))
}

async fn lock(vault: &dyn LoginVault, key: &LoginKey) -> Result<RenewalLock, LoginError> {
    for _ in 0..PATIENCE {
        if let Some(lock) = vault.try_renewal_lock(key)? {
            return Ok(lock);
        }
        tokio::time::sleep(LOOK).await;
    }
    let host = key.server.to_string();
    Err(LoginError::Unexpected { host, what: "a renewal of another process that hangs".to_owned() })
}
