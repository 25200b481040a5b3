//! A client that is known to the authorization server by itself: its tokens need no person.

use serde_json::Map;
use toolgate_store::{KeptLogin, LoginBinding};
use toolgate_types::config::Oauth;

use super::client_registration::choose_client;
use super::login_wish::LoginWish;
use super::scopes::scope_to_ask;
use super::token_request::{TokenAnswer, request_tokens};
use super::{BearerChallenge, GuardedFetch, LoginError, LoginOffer};

/// Tokens for the configured client itself (`client_credentials`).
pub async fn client_login(
    offer: LoginOffer,
    server_url: &str,
    configured: &Oauth,
    challenge: Option<&BearerChallenge>,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<KeptLogin, LoginError> {
    if configured.client_id.is_none() {
        let why = "a client that needs no person has to be configured: `oauth.client_id`";
        return Err(LoginError::NeedsRegistration(why.to_owned()));
    }
    let wish =
        LoginWish { server_url, configured, challenge, scope: None, known: None, redirect: "" };
    let scope = scope_to_ask(&offer, &wish);
    let LoginOffer { resource, server, .. } = offer;
    let client = choose_client(&server, configured, None, "", None, fetch).await?;
    let mut parameters = vec![("grant_type", "client_credentials"), ("resource", &*resource)];
    parameters.extend(scope.as_deref().map(|scope| ("scope", scope)));
    match request_tokens(&server.token, &parameters, &client, fetch, now).await? {
        TokenAnswer::Granted(tokens) => Ok(KeptLogin {
            client_id: client.id,
            client_secret: client.secret,
            tokens: Some(tokens),
            wanted_scope: None,
            binding: LoginBinding {
                server_url: server_url.to_owned(),
                issuer: server.issuer,
                resource,
                token_endpoint: server.token.as_str().to_owned(),
                revocation_endpoint: server.revocation.map(|at| at.as_str().to_owned()),
                client_auth: client.auth,
            },
            rest: Map::new(),
        }),
        TokenAnswer::Refused(refusal) => Err(LoginError::Refused(refusal.told())),
    }
}
