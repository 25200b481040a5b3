//! From "it wants a token" to where one is to be had: the server's own metadata, then that of the
//! authorization server it names.
//!
//! What a person configured goes before what is found. Nothing is made up: a server that publishes
//! nothing offers no login.

use http::{Method, Request, Response, StatusCode, header};
use toolgate_types::config::Oauth;
use tracing::debug;
use url::Url;

use super::metadata::{AuthorizationServer, ProtectedResource};
use super::{BearerChallenge, GuardedFetch, LoginError, OauthEndpoint, well_known};

/// How many redirects within one origin are followed while looking.
const REDIRECTS: usize = 3;

/// How many authorization servers of one resource are tried.
const ISSUERS: usize = 4;

/// The login that a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginOffer {
    /// What tokens are asked for (RFC 8707), exactly as it is written.
    pub resource: String,
    pub server: AuthorizationServer,
    /// What the server's metadata says tokens can be good for.
    pub resource_scopes: Option<String>,
}

/// The login at a server, from what it answered, what was configured and what it publishes.
///
/// `server` is its URL exactly as it is configured.
pub async fn discover(
    server: &str,
    challenge: Option<&BearerChallenge>,
    configured: &Oauth,
    fetch: &dyn GuardedFetch,
) -> Result<LoginOffer, LoginError> {
    let url = Url::parse(server).map_err(|_| LoginError::NotOffered)?;
    let explicit = explicit(configured)?;
    let found = match &explicit {
        // Both ends of the flow are known; nothing has to be found.
        Some(explicit) if explicit.authorization.is_some() => None,
        _ => found(&url, challenge, fetch).await?,
    };
    let (resource, offered) = match found {
        Some((resource, offered)) => (resource, Some(offered)),
        None => (None, None),
    };
    let authorization = match (explicit, offered) {
        (Some(explicit), Some(offered)) => merged(explicit, offered),
        (Some(explicit), None) => explicit,
        (None, Some(offered)) => with_endpoints_of(offered, configured)?,
        (None, None) => return Err(LoginError::NotOffered),
    };
    let discovered = resource.as_ref().map(|resource| resource.resource.clone());
    let named = configured.resource.as_ref().map(|resource| resource.expose().to_owned());
    Ok(LoginOffer {
        resource: named.or(discovered).unwrap_or_else(|| server.to_owned()),
        server: authorization,
        resource_scopes: resource.and_then(|resource| resource.scopes),
    })
}

/// The login at an issuer itself, for tokens that are good for a resource of ours.
pub async fn offer_of_issuer(
    issuer: &str,
    resource: &str,
    fetch: &dyn GuardedFetch,
) -> Result<LoginOffer, LoginError> {
    let found = authorization_server(issuer, fetch).await?;
    let server = found.ok_or(LoginError::NotOffered)?;
    Ok(LoginOffer { resource: resource.to_owned(), server, resource_scopes: None })
}

/// What a person wrote, where that is enough to get tokens.
fn explicit(configured: &Oauth) -> Result<Option<AuthorizationServer>, LoginError> {
    let Some(token) = &configured.token_url else { return Ok(None) };
    let endpoint = |what: &str, url: &Option<toolgate_types::Endpoint>| {
        let written = url.as_ref().map(|url| url.original().expose());
        written.map(|written| OauthEndpoint::parse(what, written)).transpose()
    };
    Ok(Some(AuthorizationServer {
        issuer: None,
        authorization: endpoint("oauth.authorization_url", &configured.authorization_url)?,
        token: OauthEndpoint::parse("oauth.token_url", token.original().expose())?,
        registration: endpoint("oauth.registration_url", &configured.registration_url)?,
        revocation: None,
        device: None,
        scopes: Vec::new(),
        client_auths: None,
        // Who wrote the endpoints down knows what they can.
        is_s256: true,
        takes_client_documents: false,
        names_issuer: false,
    }))
}

fn merged(explicit: AuthorizationServer, offered: AuthorizationServer) -> AuthorizationServer {
    AuthorizationServer {
        authorization: explicit.authorization.or(offered.authorization),
        token: explicit.token,
        registration: explicit.registration.or(offered.registration),
        ..offered
    }
}

fn with_endpoints_of(
    mut offered: AuthorizationServer,
    configured: &Oauth,
) -> Result<AuthorizationServer, LoginError> {
    if let Some(url) = &configured.authorization_url {
        let url = OauthEndpoint::parse("oauth.authorization_url", url.original().expose())?;
        offered.authorization = Some(url);
    }
    if let Some(url) = &configured.registration_url {
        let url = OauthEndpoint::parse("oauth.registration_url", url.original().expose())?;
        offered.registration = Some(url);
    }
    Ok(offered)
}

type FoundLogin = (Option<ProtectedResource>, AuthorizationServer);

async fn found(
    server: &Url,
    challenge: Option<&BearerChallenge>,
    fetch: &dyn GuardedFetch,
) -> Result<Option<FoundLogin>, LoginError> {
    let Some(resource) = resource(server, challenge, fetch).await? else {
        // Before there was such metadata, a server's own origin was its authorization server.
        let origin = server.origin().ascii_serialization();
        let own = authorization_server(&origin, fetch).await?;
        return Ok(own.map(|own| (None, own)));
    };
    let issuers = &resource.authorization_servers;
    if issuers.is_empty() {
        return Err(LoginError::BadMetadata("it names no authorization server".to_owned()));
    }
    let mut last = None;
    for issuer in issuers.iter().take(ISSUERS) {
        match authorization_server(issuer, fetch).await {
            Ok(Some(found)) => return Ok(Some((Some(resource), found))),
            Ok(None) => {}
            Err(error) => last = Some(error),
        }
    }
    // Looking elsewhere would send a person where the server never pointed.
    let none = || LoginError::BadMetadata("its authorization server publishes nothing".to_owned());
    Err(last.unwrap_or_else(none))
}

async fn resource(
    server: &Url,
    challenge: Option<&BearerChallenge>,
    fetch: &dyn GuardedFetch,
) -> Result<Option<ProtectedResource>, LoginError> {
    if let Some(pointed) = challenge.and_then(|challenge| challenge.resource_metadata.as_deref()) {
        let place = metadata_place(server, pointed)?;
        if let Some(body) = document(&place, fetch).await? {
            let read = ProtectedResource::read(&body, server);
            let none = || LoginError::BadMetadata("what it points to is no metadata".to_owned());
            return read.ok_or_else(none)?.map(Some);
        }
    }
    let mut about_others = None;
    for place in well_known::of_resource(server) {
        let Some(body) = document(&place, fetch).await? else { continue };
        match ProtectedResource::read(&body, server) {
            Some(Ok(resource)) => return Ok(Some(resource)),
            // The next place may have ours; without one, a login that nobody published is no way out.
            Some(Err(error)) => about_others = Some(error),
            None => debug!(%place, "not metadata of a resource"),
        }
    }
    about_others.map_or(Ok(None), Err)
}

/// Where the challenge points. A server without TLS may point to itself; anywhere else the rule holds.
fn metadata_place(server: &Url, pointed: &str) -> Result<Url, LoginError> {
    match Url::parse(pointed) {
        Ok(place) if place.origin() == server.origin() => Ok(place),
        _ => Ok(OauthEndpoint::parse("resource_metadata", pointed)?.url().clone()),
    }
}

async fn authorization_server(
    issuer: &str,
    fetch: &dyn GuardedFetch,
) -> Result<Option<AuthorizationServer>, LoginError> {
    let url = OauthEndpoint::parse("authorization server", issuer)?;
    for place in well_known::of_issuer(url.url()) {
        let Some(body) = document(&place, fetch).await? else { continue };
        if let Some(read) = AuthorizationServer::read(&body, issuer) {
            return read.map(Some);
        }
    }
    Ok(None)
}

/// A document, where there is one. Redirects lead on within the same origin only.
pub(crate) async fn document(
    place: &Url,
    fetch: &dyn GuardedFetch,
) -> Result<Option<Vec<u8>>, LoginError> {
    let mut place = place.clone();
    for _ in 0..=REDIRECTS {
        let response = get(&place, fetch).await?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(Some(response.into_body()));
        }
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            let host = place.host_str().unwrap_or_default().to_owned();
            return Err(LoginError::Unexpected { host, what: status.to_string() });
        }
        let target = response.headers().get(header::LOCATION).filter(|_| status.is_redirection());
        let Some(target) = target.and_then(|to| to.to_str().ok()) else { return Ok(None) };
        let Ok(next) = place.join(target) else { return Ok(None) };
        if next.origin() != place.origin() {
            debug!(%place, "a redirect to another origin is not followed");
            return Ok(None);
        }
        place = next;
    }
    Ok(None)
}

async fn get(place: &Url, fetch: &dyn GuardedFetch) -> Result<Response<Vec<u8>>, LoginError> {
    let unsendable = |_| LoginError::BadMetadata("it names an address that is none".to_owned());
    let request = Request::builder()
        .method(Method::GET)
        .uri(place.as_str())
        .header(header::ACCEPT, "application/json")
        .header("mcp-protocol-version", "2025-11-25")
        .body(Vec::new())
        .map_err(unsendable)?;
    Ok(fetch.fetch(request).await?)
}

#[cfg(test)]
mod tests;
