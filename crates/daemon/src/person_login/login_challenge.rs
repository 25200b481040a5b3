//! What a server wants of whoever brings nothing: it is asked without a token.
//!
//! Some leave the handshake open and want a token for what comes after it, so it is asked for more than
//! one thing, and one that refuses none may still publish a login.

use http::{Method, Request, StatusCode, header};
use toolgate_auth::login::{BearerChallenge, GuardedFetch, LoginError};

/// What either era begins with, and what comes next.
const FIRST_WORDS: [(&str, Option<&str>, &str); 3] = [
    (
        "server/discover",
        Some("2026-07-28"),
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"toolgate","version":"0"}}}"#,
    ),
    (
        "initialize",
        None,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"toolgate","version":"0"}}"#,
    ),
    ("tools/list", Some("2025-11-25"), "{}"),
];

/// The first challenge that it answers with; none where it refuses nothing of this.
pub(super) async fn login_challenge(
    url: &str,
    fetch: &dyn GuardedFetch,
) -> Result<Option<BearerChallenge>, LoginError> {
    for (method, version, params) in FIRST_WORDS {
        let unsendable = |_| LoginError::BadMetadata("its URL cannot be used".to_owned());
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", version).header("mcp-method", method);
        }
        let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"{method}","params":{params}}}"#);
        let answer = fetch.fetch(request.body(body.into_bytes()).map_err(unsendable)?).await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            let said = answer.headers().get_all(header::WWW_AUTHENTICATE);
            let said: Vec<&str> = said.iter().filter_map(|value| value.to_str().ok()).collect();
            return Ok(Some(BearerChallenge::parse(&said.join(", ")).unwrap_or_default()));
        }
    }
    Ok(None)
}
