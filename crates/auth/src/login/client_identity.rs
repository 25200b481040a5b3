//! A client of an authorization server, and how it proves itself there.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolgate_store::KeptLogin;
use toolgate_types::Secret;
use toolgate_types::config::Oauth;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::LoginError;
use super::client_key::ClientKey;
use super::metadata::AuthorizationServer;

/// How a client proves itself at a token endpoint (RFC 7591's names).
pub(super) const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";
pub(super) const KEY: &str = "private_key_jwt";

/// What a signed text in a form is (RFC 7523).
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A client of an authorization server.
#[derive(Debug, Clone)]
pub struct ClientIdentity {
    pub id: String,
    pub secret: Option<Secret>,
    pub(super) auth: String,
    pub(super) key: Option<Arc<ClientKey>>,
    /// To whom it proves itself with a key.
    pub(super) audience: String,
}

impl ClientIdentity {
    /// One that is configured; a secret goes into a header.
    pub(crate) fn with_secret(id: String, secret: Option<Secret>) -> Self {
        let auth = if secret.is_some() { BASIC } else { NONE };
        Self { id, secret, auth: auth.to_owned(), key: None, audience: String::new() }
    }

    /// The client as which a login was made. Its key is not kept with it, but configured.
    pub(super) fn of_login(login: &KeptLogin, configured: &Oauth) -> Result<Self, LoginError> {
        let binding = &login.binding;
        let auth = binding.client_auth.clone();
        let key = match (&configured.client_key, auth.as_str()) {
            (Some(key), KEY) => Some(Arc::new(ClientKey::of(key)?)),
            (None, KEY) => {
                let what = "is not configured any more, and the login was made with it";
                return Err(LoginError::BadClientKey(what.to_owned()));
            }
            _ => None,
        };
        let (id, secret) = (login.client_id.clone(), login.client_secret.clone());
        let audience = binding.issuer.clone().unwrap_or_else(|| binding.token_endpoint.clone());
        Ok(Self { id, secret, auth, key, audience })
    }

    /// Puts what proves the client into a form; what goes into a header is given back.
    pub(super) fn put_into(
        &self,
        form: &mut Serializer<'_, String>,
        now: u64,
    ) -> Result<Option<String>, LoginError> {
        if let Some(key) = &self.key {
            let assertion = key.assertion(&self.id, &self.audience, now)?;
            form.append_pair("client_id", &self.id);
            form.append_pair("client_assertion_type", ASSERTION);
            form.append_pair("client_assertion", assertion.expose());
            return Ok(None);
        }
        Ok(match (&self.secret, self.auth.as_str()) {
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
        })
    }
}

/// Where a login remembers the redirect that its client was registered with.
pub(super) const REDIRECT: &str = "redirect_uri";

/// How a client proves itself: as it was registered, else as the server takes it.
pub(super) fn auth_of(
    server: &AuthorizationServer,
    has_secret: bool,
    registered: Option<&str>,
) -> String {
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
