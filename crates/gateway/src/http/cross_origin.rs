//! What a browser wants to hear before a page of another origin may call (CORS).
//!
//! Only origins that a person allowed by name get it. Pages of this machine may call too, but only where no
//! browser has to ask first: with `auth = "none"` any of them could read everything otherwise.

use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};

use super::admission::OriginCheck;
use super::body::{ResponseBody, empty};

/// What a page may read of an answer besides its body.
const EXPOSED: &str = "mcp-session-id, mcp-protocol-version, www-authenticate";

/// How long a browser need not ask again, in seconds.
const ASKED_FOR: &str = "600";

/// The origin of the page that calls, where it was allowed by name.
pub(super) fn allowed_origin(parts: &Parts, check: &OriginCheck) -> Option<HeaderValue> {
    let origin = parts.headers.get(header::ORIGIN)?;
    origin.to_str().is_ok_and(|written| check.is_named(written)).then(|| origin.clone())
}

/// The answer to a browser that asks whether a page may call.
pub(super) fn preflight(
    parts: &Parts,
    origin: Option<&HeaderValue>,
) -> Option<Response<ResponseBody>> {
    let asks = parts.method == Method::OPTIONS
        && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    origin.filter(|_| asks)?;
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (header::ACCESS_CONTROL_MAX_AGE, ASKED_FOR),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Parameters of tools may be headers, whatever they are called: nobody can list them beforehand.
    if let Some(wanted) = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    Some(response)
}

/// Lets the page read the answer.
pub(super) fn let_read(response: &mut Response<ResponseBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}
