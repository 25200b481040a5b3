//! Who we are for an authorization server: a client that a person registered, the URL of a document
//! about us, or one that registers itself, in this order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Request, header};
use serde::Deserialize;
use serde_json::json;
use toolgate_store::KeptLogin;
use toolgate_types::Secret;
use toolgate_types::config::Oauth;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::login_error::told;
use super::metadata::AuthorizationServer;
use super::token_request::host_of;
use super::{GuardedFetch, LoginError, OauthEndpoint};

/// What we are called where we register ourselves.
const CLIENT_NAME: &str = "Toolgate";

/// How a client proves itself at a token endpoint (RFC 7591's names).
const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";

/// A client of an authorization server.
#[derive(Debug, Clone)]
pub struct ClientIdentity {
    pub id: String,
    pub secret: Option<Secret>,
    pub(super) auth: String,
}

impl ClientIdentity {
    /// The client as which a login was made.
    pub(super) fn of_login(login: &KeptLogin) -> Self {
        let auth = login.binding.client_auth.clone();
        Self { id: login.client_id.clone(), secret: login.client_secret.clone(), auth }
    }

    /// Which client to be at a server. `known` is the one of an earlier login.
    pub(super) async fn choose(
        server: &AuthorizationServer,
        configured: &Oauth,
        known: Option<&KeptLogin>,
        redirect: &str,
        scope: Option<&str>,
        fetch: &dyn GuardedFetch,
    ) -> Result<Self, LoginError> {
        let text = |text: &Option<toolgate_types::ConfigText>| {
            text.as_ref().map(|text| text.expose().to_owned())
        };
        if let Some(id) = text(&configured.client_id) {
            let secret = text(&configured.client_secret).map(Secret::new);
            let auth = auth_of(server, secret.is_some(), None);
            return Ok(Self { id, secret, auth });
        }
        if let Some(document) = &configured.client_metadata_url
            && server.takes_client_documents
        {
            let id = document.original().expose().to_owned();
            return Ok(Self { id, secret: None, auth: NONE.to_owned() });
        }
        // One that registered itself belongs to the issuer and the redirect it was registered with.
        if let Some(known) = known
            && known.binding.issuer == server.issuer
            && known.binding.token_endpoint == server.token.as_str()
            && known.rest.get(REDIRECT).and_then(|known| known.as_str()) == Some(redirect)
        {
            return Ok(Self::of_login(known));
        }
        match &server.registration {
            Some(endpoint) => register(endpoint, server, redirect, scope, fetch).await,
            None => Err(LoginError::NeedsRegistration(
                "it takes no registrations; configure `oauth.client_id`".to_owned(),
            )),
        }
    }

    /// Puts what proves the client into a form; what goes into a header is given back.
    pub(super) fn put_into(&self, form: &mut Serializer<'_, String>) -> Option<String> {
        match (&self.secret, self.auth.as_str()) {
            (Some(secret), BASIC) => {
                // Each part is a form's value first (RFC 6749, 2.3.1).
                let part = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let both = format!("{}:{}", part(&self.id), part(secret.expose()));
                Some(format!("Basic {}", STANDARD.encode(both)))
            }
            (Some(secret), POST) => {
                form.append_pair("client_id", &self.id);
                form.append_pair("client_secret", secret.expose());
                None
            }
            _ => {
                form.append_pair("client_id", &self.id);
                None
            }
        }
    }
}

/// Where a login remembers the redirect that its client was registered with.
pub(super) const REDIRECT: &str = "redirect_uri";

/// How a client proves itself: as it was registered, else as the server takes it.
fn auth_of(server: &AuthorizationServer, has_secret: bool, registered: Option<&str>) -> String {
    if !has_secret {
        return NONE.to_owned();
    }
    if let Some(registered @ (NONE | BASIC | POST)) = registered {
        return registered.to_owned();
    }
    let takes = |method: &str| match &server.client_auths {
        Some(methods) => methods.iter().any(|one| one == method),
        // What is not said means this (RFC 8414).
        None => method == BASIC,
    };
    let method = [BASIC, POST, NONE].into_iter().find(|method| takes(method));
    method.unwrap_or(BASIC).to_owned()
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
    let takes_none =
        server.client_auths.as_ref().is_none_or(|all| all.iter().any(|one| one == NONE));
    let auth = if takes_none { NONE.to_owned() } else { auth_of(server, true, None) };
    let mut wanted = json!({
        "client_name": CLIENT_NAME,
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": auth,
        "application_type": "native",
    });
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
        let why = serde_json::from_slice::<super::token_request::TokenRefusal>(answer.body());
        let why = why.map_or_else(|_| status.to_string(), |refusal| refusal.told());
        return Err(LoginError::NeedsRegistration(format!("it refused to register one: {why}")));
    }
    let client: WrittenClient = serde_json::from_slice(answer.body()).map_err(|_| {
        LoginError::NeedsRegistration(format!("{} registered nobody", told(&host_of(endpoint))))
    })?;
    let secret = client.client_secret.filter(|secret| !secret.is_empty()).map(Secret::new);
    let auth = auth_of(server, secret.is_some(), client.token_endpoint_auth_method.as_deref());
    Ok(ClientIdentity { id: client.client_id, secret, auth })
}
