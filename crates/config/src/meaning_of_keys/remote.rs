//! A remote server: its URL, headers and credentials.

use std::collections::HashSet;

use indexmap::IndexMap;
use toolgate_types::config::{HeaderValue, Oauth, OauthGrant, RemoteKind, RemoteServer};
use toolgate_types::{ConfigText, Endpoint, EndpointError, HeaderName, LayerGrade};

use super::process::env_name;
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::{RawOauth, TextMap};
use crate::reader::DocumentReader;

/// The keys of a remote transport, taken out of a raw server.
pub(super) struct WrittenRemote {
    pub(super) url: Option<String>,
    pub(super) headers: Option<TextMap>,
    pub(super) env_headers: Option<TextMap>,
    pub(super) bearer_token_env: Option<String>,
    pub(super) auth_provider: Option<String>,
    pub(super) oauth: Option<RawOauth>,
    pub(super) ca_file: Option<String>,
}

pub(super) fn remote(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    kind: RemoteKind,
    written: WrittenRemote,
) -> Option<RemoteServer> {
    let WrittenRemote { url, headers, env_headers, .. } = written;
    let endpoint = match url {
        Some(url) => endpoint(reader, &place.at(&["url"]), url),
        None => {
            if place.find(&["url"]).is_none() {
                let help = Some("give the server's address: `url = \"https://…/mcp\"`".to_owned());
                let message = "the `url` is missing".to_owned();
                reader.report(Severity::Error, place, "missing-url", message, help);
            }
            None
        }
    };
    let headers = self::headers(reader, place, headers, env_headers);
    let bearer = written.bearer_token_env;
    let bearer_at = place.at(&["bearer_token_env", "bearer_token_env_var"]);
    let bearer_token_env = bearer.and_then(|name| env_name(reader, &bearer_at, &name));
    let provider_at = place.at(&["auth_provider", "auth_provider_id"]);
    let auth_provider = written.auth_provider.and_then(|id| reader.text(&provider_at, id));
    let oauth = written.oauth.map(|oauth| self::oauth(reader, &place.at(&["oauth"]), oauth));
    let ca_file = written.ca_file.and_then(|file| reader.text(&place.at(&["ca_file"]), file));
    Some(RemoteServer {
        endpoint: endpoint?,
        kind,
        headers,
        bearer_token_env,
        auth_provider,
        oauth,
        ca_file,
    })
}

pub(super) fn endpoint(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    url: String,
) -> Option<Endpoint> {
    let text = reader.text(at, url)?;
    let is_secret = text.is_secret();
    match Endpoint::parse(text) {
        Ok(endpoint) => Some(endpoint),
        Err(error) => {
            let help = match &error {
                EndpointError::Credentials => {
                    "put the credential into `headers` or `bearer_token_env`"
                }
                _ => "write a whole URL such as `https://example.com/mcp`",
            };
            let message = match &error {
                // What stands before the first colon of a secret is part of the secret.
                EndpointError::Scheme(_) if is_secret => "the scheme is not http or https".into(),
                _ => error.to_string(),
            };
            reader.report(Severity::Error, at, "bad-url", message, Some(help.to_owned()));
            None
        }
    }
}

fn headers(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    given: Option<TextMap>,
    from_env: Option<TextMap>,
) -> IndexMap<HeaderName, HeaderValue> {
    let mut headers: IndexMap<HeaderName, HeaderValue> = IndexMap::new();
    let given_at = place.at(&["headers", "http_headers"]);
    let env_at = place.at(&["env_headers", "env_http_headers"]);
    let given = given.unwrap_or_default().into_iter().map(|pair| (pair, &given_at, false));
    let from_env = from_env.unwrap_or_default().into_iter().map(|pair| (pair, &env_at, true));
    let (given_places, env_places) = (given_at.by_key(), env_at.by_key());
    let mut seen = HashSet::new();
    for ((name, value), table, by_name) in given.chain(from_env) {
        let places = if by_name { &env_places } else { &given_places };
        let at = places.get(name.as_str()).unwrap_or(table);
        let value = if by_name {
            env_name(reader, at, &value).map(HeaderValue::FromEnv)
        } else {
            reader.secret(at, value).and_then(|text| header_value(reader, at, text))
        };
        let name = match HeaderName::parse(&name) {
            Ok(name) => name,
            Err(error) => {
                reader.error(at, "header-name", error.to_string());
                continue;
            }
        };
        if !seen.insert(name.as_str().to_ascii_lowercase()) {
            reader.error(at, "duplicate-header", format!("header {name} is given twice"));
        }
        if let Some(value) = value {
            headers.insert(name, value);
        }
    }
    headers
}

/// Looked at after variables are in place: a variable may hold a line break, too.
fn header_value(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    text: ConfigText,
) -> Option<HeaderValue> {
    if text.expose().chars().any(|c| c.is_control() && c != '\t') {
        let message = "a header holds no line breaks or other control characters".to_owned();
        reader.error(at, "header-value", message);
        return None;
    }
    Some(HeaderValue::Given(text))
}

fn oauth(reader: &mut DocumentReader<'_>, place: &DocumentPlace<'_>, raw: RawOauth) -> Oauth {
    let RawOauth {
        authorization_url,
        token_url,
        registration_url,
        client_id,
        client_secret,
        client_key,
        scope,
        resource,
        callback_port,
        grant,
        client_metadata_url,
        account_for,
    } = raw;
    if reader.grade == LayerGrade::Project {
        for key in ["account_for", "client_key"] {
            if let Some(at) = place.find(&[key]) {
                let message = format!(
                    "a project cannot set `{key}`: whose account or key it is, is not for it to say"
                );
                let help = Some("put the server into your own file to say so".to_owned());
                reader.report(Severity::Error, &at, "not-for-projects", message, help);
            }
        }
    }
    let mut url = |name: &str, written: Option<String>| {
        written.and_then(|url| endpoint(reader, &place.at(&[name]), url))
    };
    let authorization_url = url("authorization_url", authorization_url);
    let token_url = url("token_url", token_url);
    let registration_url = url("registration_url", registration_url);
    let client_metadata_url = url("client_metadata_url", client_metadata_url);
    let mut text = |name: &str, written: Option<String>| {
        written.and_then(|written| reader.text(&place.at(&[name]), written))
    };
    let client_id = text("client_id", client_id);
    let scope = text("scope", scope);
    let resource = text("resource", resource);
    let secret_at = place.at(&["client_secret"]);
    let client_secret = client_secret.and_then(|secret| {
        if !(reader.expand && secret.contains("${")) {
            let message = "the client secret stands in the file in plain text".to_owned();
            let help = "give it when asked at login, or as `${VAR}` in a TOML file";
            reader.warn(&secret_at, "plain-secret", message, help);
        }
        reader.secret(&secret_at, secret)
    });
    let key_at = place.at(&["client_key"]);
    let client_key = client_key.and_then(|key| match key.contains("-----BEGIN") {
        true => reader.secret(&key_at, key),
        false => reader.text(&key_at, key),
    });
    let exchanges = grant == Some(OauthGrant::TokenExchange);
    if exchanges && token_url.is_none() && place.find(&["token_url"]).is_none() {
        // A server that could name that place would be given the tokens of its callers.
        let message = "`grant = \"token_exchange\"` needs `token_url`".to_owned();
        reader.error(&place.at(&["grant"]), "missing-key", message);
    }
    Oauth {
        authorization_url,
        token_url,
        registration_url,
        client_id,
        client_secret,
        client_key,
        scope,
        resource,
        callback_port,
        grant: grant.unwrap_or_default(),
        client_metadata_url,
        account_for: account_for.unwrap_or_default().into_iter().collect(),
    }
}
