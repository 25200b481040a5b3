//! One request to a token endpoint, whatever it grants, and what came back.

use http::{Method, Request, StatusCode, header};
use serde::Deserialize;
use serde_json::Value;
use toolgate_store::LoginTokens;
use toolgate_types::Secret;
use url::form_urlencoded::Serializer;

use super::client_identity::ClientIdentity;
use super::login_error::told;
use super::{GuardedFetch, LoginError, OauthEndpoint};

/// The longest time that an answer may say a token holds: a year. Whatever says more means "for ever".
const LONGEST_MS: u64 = 365 * 24 * 60 * 60 * 1000;

#[derive(Deserialize)]
struct WrittenTokens {
    access_token: String,
    token_type: Option<String>,
    /// A number; some write it as text.
    expires_in: Option<Value>,
    refresh_token: Option<String>,
    scope: Option<String>,
}

/// An error as RFC 6749 has them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct OauthRefusal {
    pub(super) error: String,
    error_description: Option<String>,
}

impl OauthRefusal {
    /// For a person: the server's own words, made harmless.
    pub(super) fn told(&self) -> String {
        match &self.error_description {
            Some(words) => format!("{} ({})", told(&self.error), told(words)),
            None => told(&self.error),
        }
    }
}

/// What came of a request: tokens, or a no in the form that such a no has.
pub(super) enum TokenAnswer {
    Granted(LoginTokens),
    Refused(OauthRefusal),
}

/// Asks for tokens with these parameters, as this client.
pub(super) async fn request_tokens(
    endpoint: &OauthEndpoint,
    parameters: &[(&str, &str)],
    client: &ClientIdentity,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<TokenAnswer, LoginError> {
    let (status, body) = post_form(endpoint, parameters, client, fetch, now).await?;
    let unexpected = |what: String| LoginError::Unexpected { host: host_of(endpoint), what };
    if !status.is_success() {
        return match serde_json::from_str::<OauthRefusal>(body.expose()) {
            Ok(refusal) if status.is_client_error() => Ok(TokenAnswer::Refused(refusal)),
            _ => Err(unexpected(status.to_string())),
        };
    }
    let written: WrittenTokens = serde_json::from_str(body.expose())
        .map_err(|_| unexpected("something that is no token".to_owned()))?;
    tokens_of(written, now).map(TokenAnswer::Granted).map_err(unexpected)
}

/// Sends a form as a client, to whichever endpoint takes one.
pub(crate) async fn post_form(
    endpoint: &OauthEndpoint,
    parameters: &[(&str, &str)],
    client: &ClientIdentity,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<(StatusCode, Secret), LoginError> {
    let (form, authorization) = signed_form(parameters, client, now)?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(endpoint.url().as_str())
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json");
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    let unsendable = |_| LoginError::BadMetadata("it names an address that is none".to_owned());
    let request = request.body(form.into_bytes()).map_err(unsendable)?;
    let answer = fetch.fetch(request).await?;
    let (status, body) = (answer.status(), answer.into_body());
    Ok((status, Secret::new(String::from_utf8_lossy(&body).into_owned())))
}

/// The form, and what goes into a header beside it.
fn signed_form(
    parameters: &[(&str, &str)],
    client: &ClientIdentity,
    now: u64,
) -> Result<(String, Option<String>), LoginError> {
    let mut form = Serializer::new(String::new());
    form.extend_pairs(parameters);
    let authorization = client.put_into(&mut form, now)?;
    Ok((form.finish(), authorization))
}

fn tokens_of(written: WrittenTokens, now: u64) -> Result<LoginTokens, String> {
    let WrittenTokens { access_token, token_type, expires_in, refresh_token, scope } = written;
    let kind = token_type.unwrap_or_default();
    if !kind.is_empty() && !kind.eq_ignore_ascii_case("bearer") {
        return Err(format!("a token of the kind `{}`, which cannot be used", told(&kind)));
    }
    if access_token.is_empty() || access_token.chars().any(|c| c.is_control() || !c.is_ascii()) {
        return Err("a token that cannot stand in a header".to_owned());
    }
    let seconds = match &expires_in {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    // Rounded down and never below nothing; `as` saturates.
    let lasts = seconds.filter(|seconds| *seconds >= 0.0).map(|s| (s * 1000.0) as u64);
    Ok(LoginTokens {
        access_token: Secret::new(access_token),
        refresh_token: refresh_token.filter(|text| !text.is_empty()).map(Secret::new),
        expires_at: lasts.map(|lasts| now.saturating_add(lasts.min(LONGEST_MS))),
        scope,
    })
}

pub(super) fn host_of(endpoint: &OauthEndpoint) -> String {
    endpoint.url().host_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
