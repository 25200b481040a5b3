//! Who we are for an authorization server: a client that a person registered, the URL of a document
//! about us, or one that registers itself, in this order.

use std::sync::Arc;

use http::{Method, Request, header};
use serde::Deserialize;
use serde_json::json;
use toolgate_store::KeptLogin;
use toolgate_types::Secret;
use toolgate_types::config::Oauth;

use super::client_identity::{ClientIdentity, KEY, NONE, REDIRECT, auth_of};
use super::client_key::ClientKey;
use super::login_error::told;
use super::metadata::AuthorizationServer;
use super::token_request::{OauthRefusal, host_of};
use super::{GuardedFetch, LoginError, LoginOffer, OauthEndpoint};

/// What we are called where we register ourselves.
const CLIENT_NAME: &str = "Toolgate";

/// What a login with a code is called (RFC 8628).
pub(super) const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Which client to be at a server. `known` is the one of an earlier login.
pub(super) async fn choose_client(
    server: &AuthorizationServer,
    configured: &Oauth,
    known: Option<&KeptLogin>,
    redirect: &str,
    scope: Option<&str>,
    fetch: &dyn GuardedFetch,
) -> Result<ClientIdentity, LoginError> {
    let text = |text: &Option<toolgate_types::ConfigText>| {
        text.as_ref().map(|text| text.expose().to_owned())
    };
    if let Some(id) = text(&configured.client_id) {
        let secret = text(&configured.client_secret).map(Secret::new);
        let secret = secret.or_else(|| secret_of(known, &id, server));
        let audience = audience_of(server);
        if let Some(key) = &configured.client_key {
            let (key, auth) = (Some(Arc::new(ClientKey::of(key)?)), KEY.to_owned());
            return Ok(ClientIdentity { id, secret: None, auth, key, audience });
        }
        if secret.is_none() && !takes_none(server) {
            return Err(LoginError::NeedsSecret);
        }
        let auth = auth_of(server, secret.is_some(), None);
        return Ok(ClientIdentity { id, secret, auth, key: None, audience });
    }
    if let Some(document) = &configured.client_metadata_url
        && server.takes_client_documents
    {
        let id = document.original().expose().to_owned();
        let (auth, audience) = (NONE.to_owned(), audience_of(server));
        return Ok(ClientIdentity { id, secret: None, auth, key: None, audience });
    }
    // One that registered itself belongs to the issuer and the redirect it was registered with.
    if let Some(known) = known
        && known.binding.issuer == server.issuer
        && known.binding.token_endpoint == server.token.as_str()
        && known.rest.get(REDIRECT).and_then(|known| known.as_str()) == Some(redirect)
    {
        return ClientIdentity::of_login(known, configured);
    }
    match &server.registration {
        Some(endpoint) => register(endpoint, server, redirect, scope, fetch).await,
        None => Err(LoginError::NeedsRegistration(
            "it takes no registrations; configure `oauth.client_id`".to_owned(),
        )),
    }
}

/// Whether a person could log in with what is offered: somebody is registered there, or can be.
pub fn can_be_registered(
    offer: &LoginOffer,
    configured: &Oauth,
    known: Option<&KeptLogin>,
) -> Result<(), LoginError> {
    let server = &offer.server;
    let is_known = known.is_some_and(|known| known.binding.issuer == server.issuer);
    let by_document = configured.client_metadata_url.is_some() && server.takes_client_documents;
    match configured.client_id.is_some() || by_document || is_known || server.registration.is_some()
    {
        true => Ok(()),
        false => Err(LoginError::NeedsRegistration(
            "it takes no registrations; configure `oauth.client_id`".to_owned(),
        )),
    }
}

/// Whether a client may do without a secret there.
fn takes_none(server: &AuthorizationServer) -> bool {
    server.client_auths.as_ref().is_none_or(|all| all.iter().any(|one| one == NONE))
}

/// To whom a client proves itself: the issuer by its name, as RFC 7523's update wants it.
fn audience_of(server: &AuthorizationServer) -> String {
    server.issuer.clone().unwrap_or_else(|| server.token.as_str().to_owned())
}

/// The secret that a person gave for the same client at the login before.
fn secret_of(known: Option<&KeptLogin>, id: &str, server: &AuthorizationServer) -> Option<Secret> {
    let known = known.filter(|known| known.client_id == id)?;
    let is_same = known.binding.token_endpoint == server.token.as_str();
    known.client_secret.clone().filter(|_| is_same)
}

#[derive(Deserialize)]
struct WrittenClient {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// Dynamic registration (RFC 7591), as a program on somebody's machine.
async fn register(
    endpoint: &OauthEndpoint,
    server: &AuthorizationServer,
    redirect: &str,
    scope: Option<&str>,
    fetch: &dyn GuardedFetch,
) -> Result<ClientIdentity, LoginError> {
    let auth = if takes_none(server) { NONE.to_owned() } else { auth_of(server, true, None) };
    let mut wanted = json!({
        "client_name": CLIENT_NAME,
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": auth,
        "application_type": "native",
    });
    if redirect.is_empty() {
        wanted["redirect_uris"] = json!([]);
        wanted["response_types"] = json!([]);
        wanted["grant_types"] = json!([DEVICE_GRANT, "refresh_token"]);
    }
    if let Some(scope) = scope {
        wanted["scope"] = scope.into();
    }
    let unsendable = |_| LoginError::BadMetadata("it names an address that is none".to_owned());
    let request = Request::builder()
        .method(Method::POST)
        .uri(endpoint.url().as_str())
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(wanted.to_string().into_bytes())
        .map_err(unsendable)?;
    let answer = fetch.fetch(request).await?;
    let status = answer.status();
    if status.is_server_error() {
        let host = host_of(endpoint);
        return Err(LoginError::Unexpected { host, what: status.to_string() });
    }
    if !status.is_success() {
        let why = serde_json::from_slice::<OauthRefusal>(answer.body());
        let why = why.map_or_else(|_| status.to_string(), |refusal| refusal.told());
        return Err(LoginError::NeedsRegistration(format!("it refused to register one: {why}")));
    }
    let client: WrittenClient = serde_json::from_slice(answer.body()).map_err(|_| {
        LoginError::NeedsRegistration(format!("{} registered nobody", told(&host_of(endpoint))))
    })?;
    let secret = client.client_secret.filter(|secret| !secret.is_empty()).map(Secret::new);
    let auth = auth_of(server, secret.is_some(), client.token_endpoint_auth_method.as_deref());
    let audience = audience_of(server);
    Ok(ClientIdentity { id: client.client_id, secret, auth, key: None, audience })
}

#[cfg(test)]
mod tests;
