//! What servers publish about a login, as far as it is needed, checked as it is read.

use serde::Deserialize;
use url::Url;

use super::LoginError;
use super::endpoint_rule::OauthEndpoint;
use super::login_error::told;

/// What a server says of itself (RFC 9728).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedResource {
    /// What tokens are asked for, exactly as it is written.
    pub resource: String,
    pub authorization_servers: Vec<String>,
    pub scopes: Option<String>,
}

#[derive(Deserialize)]
struct WrittenResource {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
}

impl ProtectedResource {
    /// None where it is no such document at all.
    pub(super) fn read(body: &[u8], server: &Url) -> Option<Result<Self, LoginError>> {
        let written: WrittenResource = serde_json::from_slice(body).ok()?;
        let WrittenResource { resource, authorization_servers, scopes_supported } = written;
        if !is_resource_of(server, &resource) {
            let why = format!("its metadata is about another resource, `{}`", told(&resource));
            return Some(Err(LoginError::BadMetadata(why)));
        }
        let scopes = scopes_supported.map(|scopes| scopes.join(" ")).filter(|all| !all.is_empty());
        Some(Ok(Self { resource, authorization_servers, scopes }))
    }
}

/// Whether what a document says it is about is this server, or the place above it.
fn is_resource_of(server: &Url, resource: &str) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    if resource.fragment().is_some() || resource.origin() != server.origin() {
        return false;
    }
    let (above, path) = (resource.path().trim_end_matches('/'), server.path());
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What an authorization server says of itself (RFC 8414, OpenID Connect Discovery).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationServer {
    /// None where a person configured the endpoints and nothing was discovered.
    pub issuer: Option<String>,
    pub authorization: Option<OauthEndpoint>,
    pub token: OauthEndpoint,
    pub registration: Option<OauthEndpoint>,
    pub revocation: Option<OauthEndpoint>,
    pub device: Option<OauthEndpoint>,
    pub scopes: Vec<String>,
    pub client_auths: Option<Vec<String>>,
    pub is_s256: bool,
    /// Whether the URL of a document may be a client's id.
    pub takes_client_documents: bool,
    /// Whether every answer names the issuer (RFC 9207).
    pub names_issuer: bool,
}

#[derive(Deserialize)]
struct WrittenServer {
    issuer: Option<String>,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    registration_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    device_authorization_endpoint: Option<String>,
    scopes_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    client_id_metadata_document_supported: bool,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl AuthorizationServer {
    /// None where it is no such document at all. One of another issuer is refused: who controls one place
    /// must not speak for another.
    pub(super) fn read(body: &[u8], issuer: &str) -> Option<Result<Self, LoginError>> {
        let written: WrittenServer = serde_json::from_slice(body).ok()?;
        written.token_endpoint.as_ref()?;
        Some(written.checked(issuer))
    }
}

impl WrittenServer {
    fn checked(self, expected: &str) -> Result<AuthorizationServer, LoginError> {
        let issuer = self.issuer.unwrap_or_default();
        if without_root_slash(&issuer) != without_root_slash(expected) {
            let (said, expected) = (told(&issuer), told(expected));
            let why = format!("the metadata of `{expected}` names another issuer, `{said}`");
            return Err(LoginError::BadMetadata(why));
        }
        let optional = |what: &str, written: Option<String>| {
            written.map(|written| OauthEndpoint::parse(what, &written)).transpose()
        };
        let token = self.token_endpoint.unwrap_or_default();
        let methods = self.code_challenge_methods_supported.unwrap_or_default();
        Ok(AuthorizationServer {
            issuer: Some(issuer),
            authorization: optional("authorization_endpoint", self.authorization_endpoint)?,
            token: OauthEndpoint::parse("token_endpoint", &token)?,
            registration: optional("registration_endpoint", self.registration_endpoint)?,
            revocation: optional("revocation_endpoint", self.revocation_endpoint)?,
            device: optional("device_authorization_endpoint", self.device_authorization_endpoint)?,
            scopes: self.scopes_supported.unwrap_or_default(),
            client_auths: self.token_endpoint_auth_methods_supported,
            is_s256: methods.iter().any(|method| method == "S256"),
            takes_client_documents: self.client_id_metadata_document_supported,
            names_issuer: self.authorization_response_iss_parameter_supported,
        })
    }
}

/// The one spelling that people and programs do not agree on: `https://a` and `https://a/`.
fn without_root_slash(issuer: &str) -> &str {
    match issuer.strip_suffix('/') {
        Some(rest) if rest.matches('/').count() == 2 => rest,
        _ => issuer,
    }
}

#[cfg(test)]
mod tests;
