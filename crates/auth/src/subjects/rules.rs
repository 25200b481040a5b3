//! What has to stand in a token, as it was configured.

use std::collections::BTreeSet;

use toolgate_types::Endpoint;
use toolgate_types::config::{SignatureAlgorithm, TokenIssuer};

use super::claimed_roles::RoleClaim;

#[derive(Debug)]
pub(super) struct SubjectRules {
    /// Compared byte for byte.
    pub(super) issuer: String,
    pub(super) audiences: BTreeSet<String>,
    pub(super) algorithms: Vec<SignatureAlgorithm>,
    pub(super) required_scopes: Vec<String>,
    pub(super) roles: RoleClaim,
}

impl SubjectRules {
    pub(super) fn of(issuer: &TokenIssuer, public_url: &Endpoint) -> Self {
        let audiences = match &issuer.audience {
            Some(audience) => BTreeSet::from([audience.clone()]),
            None => resource_spellings(public_url),
        };
        Self {
            issuer: written(&issuer.issuer),
            audiences,
            algorithms: issuer.algorithms.clone(),
            required_scopes: issuer.required_scopes.clone(),
            roles: RoleClaim { name: issuer.role_claim.clone(), values: issuer.roles.clone() },
        }
    }
}

/// A URL as it stands in the file.
pub(super) fn written(endpoint: &Endpoint) -> String {
    endpoint.original().expose().trim().to_owned()
}

/// The gateway's own URL. Programs that parse a URL add a slash where it has no path, and ask for a token
/// for that.
fn resource_spellings(public_url: &Endpoint) -> BTreeSet<String> {
    let written = written(public_url);
    let mut spellings = BTreeSet::new();
    if public_url.url().path() == "/" {
        let bare = written.trim_end_matches('/').to_owned();
        spellings.extend([format!("{bare}/"), bare]);
    }
    spellings.insert(written);
    spellings
}
