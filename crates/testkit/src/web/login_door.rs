//! Who is let in to a site that wants a login, and what the others are told.

use http::{Response, header};
use serde::Deserialize;

use super::body::Content;
use super::route::{page, status};
use super::visit::Visit;
use crate::identity::TokenGate;

const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// How a site wants its login.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoginManners {
    /// Methods that need no token.
    pub open: Vec<String>,
    /// Methods that need a scope, and which.
    pub scopes: Vec<(String, String)>,
    /// Its challenge points there.
    pub points_to: Option<String>,
    /// Its metadata is about this resource.
    pub resource: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct LoginDoor {
    pub(super) gate: TokenGate,
    pub(super) manners: LoginManners,
}

impl LoginDoor {
    /// What is answered at the door; none lets it in.
    pub(super) fn answer(&self, visit: &Visit, port: u16) -> Option<Response<Content>> {
        let LoginManners { open, scopes, points_to, resource } = &self.manners;
        let origin = format!("http://127.0.0.1:{port}");
        if visit.path == RESOURCE_METADATA {
            let (issuer, own) = (self.gate.issuer(), format!("{origin}/mcp"));
            let resource = resource.as_ref().unwrap_or(&own);
            let about =
                format!(r#"{{"resource":"{resource}","authorization_servers":["{issuer}"]}}"#);
            return Some(page("application/json", about));
        }
        let message: serde_json::Value = serde_json::from_str(&visit.body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        if open.iter().any(|open| open == method) {
            return None;
        }
        let metadata = format!("{origin}{RESOURCE_METADATA}");
        let metadata = points_to.as_ref().unwrap_or(&metadata);
        let Some(granted) = self.gate.scope_of(visit.header("authorization")) else {
            return Some(refused(401, &format!(r#"Bearer resource_metadata="{metadata}""#)));
        };
        let (_, wanted) = scopes.iter().find(|(of, _)| of == method)?;
        match granted.split(' ').any(|one| one == wanted) {
            true => None,
            false => Some(refused(
                403,
                &format!(
                    r#"Bearer error="insufficient_scope", scope="{wanted}", resource_metadata="{metadata}""#
                ),
            )),
        }
    }
}

fn refused(code: u16, challenge: &str) -> Response<Content> {
    let mut refused = status(code);
    refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
    refused
}
