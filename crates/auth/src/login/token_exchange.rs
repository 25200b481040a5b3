//! A token for a server in the place of the one that a caller showed (RFC 8693).
//!
//! Whoever gets a caller's token can act as that caller, so it goes where a person wrote it should and never
//! where a server says: nothing is discovered here.

use toolgate_store::LoginKey;
use toolgate_types::Secret;
use toolgate_types::config::Oauth;

use super::caller_tokens::CallerTokens;
use super::token_request::{TokenAnswer, request_tokens};
use super::{ClientIdentity, GuardedFetch, LoginError, OauthEndpoint};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// The token of a caller for a server; none where the caller showed none that could be exchanged.
pub async fn exchanged_token(
    callers: &CallerTokens,
    principal: &str,
    key: &LoginKey,
    configured: &Oauth,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<Option<Secret>, LoginError> {
    if let Some(known) = callers.had(principal, key, now) {
        return Ok(Some(known));
    }
    let Some(subject) = callers.of(principal, now) else { return Ok(None) };
    let (Some(token_url), Some(client)) = (&configured.token_url, &configured.client_id) else {
        let why = "exchanging tokens needs `oauth.token_url` and `oauth.client_id`";
        return Err(LoginError::NeedsRegistration(why.to_owned()));
    };
    let endpoint = OauthEndpoint::parse("oauth.token_url", token_url.original().expose())?;
    let secret = configured.client_secret.as_ref().map(|text| Secret::new(text.expose().into()));
    let client = ClientIdentity::with_secret(client.expose().to_owned(), secret);
    let resource = configured.resource.as_ref().map_or(&*key.url, |resource| resource.expose());
    let mut parameters = vec![
        ("grant_type", GRANT),
        ("subject_token", subject.expose()),
        ("subject_token_type", ACCESS_TOKEN),
        ("requested_token_type", ACCESS_TOKEN),
        ("resource", resource),
    ];
    parameters.extend(configured.scope.as_ref().map(|scope| ("scope", scope.expose())));
    match request_tokens(&endpoint, &parameters, &client, fetch, now).await? {
        TokenAnswer::Granted(tokens) if tokens.access_token.expose() == subject.expose() => {
            Err(LoginError::NotBelieved("it gave the caller's own token back"))
        }
        TokenAnswer::Granted(tokens) => {
            callers.keep(principal, key, &tokens, now);
            Ok(Some(tokens.access_token))
        }
        TokenAnswer::Refused(refusal) => Err(LoginError::Refused(refusal.told())),
    }
}

#[cfg(test)]
mod tests;
