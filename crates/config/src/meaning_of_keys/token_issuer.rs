//! `[gateway.oauth]`: who issues the tokens of callers, and what they may act as.

use indexmap::IndexMap;
use toolgate_types::config::{ClaimedRole, TokenIssuer};
use toolgate_types::{Endpoint, RoleId};
use url::Host;

use super::remote::endpoint;
use crate::place::DocumentPlace;
use crate::raw::RawTokenIssuer;
use crate::reader::DocumentReader;

pub(super) fn token_issuer(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawTokenIssuer,
) -> Option<TokenIssuer> {
    let RawTokenIssuer {
        issuer,
        audience,
        jwks_uri,
        introspection_endpoint,
        client_id,
        client_secret,
        required_scopes,
        algorithms,
        role_claim,
        roles,
    } = raw;
    let mut url = |name: &str, written: Option<String>| {
        written.and_then(|url| believed_endpoint(reader, &place.at(&[name]), url))
    };
    let was_written = issuer.is_some();
    let issuer = url("issuer", issuer);
    let jwks_uri = url("jwks_uri", jwks_uri);
    let introspection_endpoint = url("introspection_endpoint", introspection_endpoint);
    let client_id = client_id.and_then(|id| reader.text(&place.at(&["client_id"]), id));
    let secret_at = place.at(&["client_secret"]);
    let client_secret = client_secret.and_then(|secret| {
        if !(reader.expand && secret.contains("${")) {
            let message = "the client secret stands in the file in plain text".to_owned();
            let help = "keep it with `toolgate secret set`, and write `${secret:NAME}`";
            reader.warn(&secret_at, "plain-secret", message, help);
        }
        reader.secret(&secret_at, secret)
    });
    let roles = self::roles(reader, &place.at(&["roles"]), roles.unwrap_or_default());
    if !was_written || role_claim.is_none() {
        let message = "`issuer` and `role_claim` are needed".to_owned();
        reader.error(place, "missing-key", message);
    }
    Some(TokenIssuer {
        issuer: issuer?,
        audience,
        jwks_uri,
        introspection_endpoint,
        client_id,
        client_secret,
        required_scopes: required_scopes.unwrap_or_default(),
        algorithms: algorithms
            .filter(|named| !named.is_empty())
            .unwrap_or_else(|| TokenIssuer::ALGORITHMS.to_vec()),
        role_claim: role_claim?,
        roles,
    })
}

fn roles(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: IndexMap<String, String>,
) -> IndexMap<String, ClaimedRole> {
    let places = place.by_key();
    let mut roles = IndexMap::new();
    for (value, role) in written {
        let at = places.get(value.as_str()).unwrap_or(place);
        let role = match role.as_str() {
            ClaimedRole::EVERY => Some(ClaimedRole::Every),
            role => match RoleId::parse(role) {
                Ok(role) => Some(ClaimedRole::Role(role)),
                Err(error) => {
                    reader.error(at, "bad-id", error.to_string());
                    None
                }
            },
        };
        roles.extend(role.map(|role| (value, role)));
    }
    roles
}

/// What says who callers are is believed without asking further, so nobody may stand in between.
fn believed_endpoint(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    url: String,
) -> Option<Endpoint> {
    let found = endpoint(reader, at, url)?;
    let is_this_machine = match found.url().host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if found.url().scheme() != "https" && !is_this_machine {
        let message = "it must be `https`, or on this machine".to_owned();
        reader.error(at, "bad-url", message);
        return None;
    }
    Some(found)
}
