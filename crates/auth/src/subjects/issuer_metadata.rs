//! What an issuer publishes of itself, as far as verifying its tokens needs it.

use serde::Deserialize;
use url::Url;

use crate::login::{GuardedFetch, OauthEndpoint, document, issuer_places};

/// Where an issuer's keys are, and where it is asked about tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IssuerMetadata {
    pub(super) keys: Option<OauthEndpoint>,
    pub(super) introspection: Option<OauthEndpoint>,
}

#[derive(Deserialize)]
struct IssuerDocument {
    issuer: String,
    jwks_uri: Option<String>,
    introspection_endpoint: Option<String>,
}

impl IssuerMetadata {
    /// From where RFC 8414 and OpenID have it looked for. A document that names another issuer is an
    /// error, whatever lies elsewhere: tokens are compared with the name as it is configured.
    pub(super) async fn find(issuer: &str, fetch: &dyn GuardedFetch) -> Result<Self, String> {
        let url = Url::parse(issuer).map_err(|error| error.to_string())?;
        for place in issuer_places(&url) {
            let found = document(&place, fetch).await.map_err(|error| error.to_string())?;
            let Some(body) = found else { continue };
            let Ok(written) = serde_json::from_slice::<IssuerDocument>(&body) else { continue };
            if written.issuer != issuer {
                let said = toolgate_types::visible(&written.issuer);
                return Err(format!("it calls itself `{said}`: `gateway.oauth.issuer` must too"));
            }
            let endpoint = |what: &str, written: Option<String>| {
                let parsed = written.map(|written| OauthEndpoint::parse(what, &written));
                parsed.transpose().map_err(|error| error.to_string())
            };
            return Ok(Self {
                keys: endpoint("jwks_uri", written.jwks_uri)?,
                introspection: endpoint("introspection_endpoint", written.introspection_endpoint)?,
            });
        }
        Err("it publishes nothing about itself".to_owned())
    }
}
