//! What clients are told that have to log in elsewhere to call (RFC 9728): whose tokens are taken, and for
//! what. It comes from what was configured; nothing that a request says is in it.
//!
//! One gateway is one resource, whatever its addresses: a token is for all of it, and roles say which part
//! somebody sees. So each address has the same document.

use bytes::Bytes;
use http::HeaderValue;
use serde::Serialize;
use toolgate_types::Endpoint;

/// Where such documents lie.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Why somebody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChallengeReason {
    /// No token was shown.
    NoToken,
    InvalidToken,
    InsufficientScope,
}

/// The metadata of a gateway.
#[derive(Debug, Clone)]
pub struct ResourceMetadata {
    document: Bytes,
    /// The path of the gateway's own URL, without a slash at its end.
    path: String,
    is_encrypted: bool,
    /// What every challenge says: where the document is, and which scopes are needed.
    challenge: String,
}

#[derive(Serialize)]
struct ResourceDocument<'a> {
    resource: &'a str,
    authorization_servers: [&'a str; 1],
    bearer_methods_supported: [&'a str; 1],
    resource_name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes_supported: Vec<&'a str>,
}

impl ResourceMetadata {
    /// Of a gateway at this URL, for tokens of this issuer with these scopes.
    pub fn new(public_url: &Endpoint, issuer: &str, scopes: &[String]) -> Self {
        let resource = public_url.original().expose().trim();
        let path = public_url.url().path().trim_end_matches('/').to_owned();
        let origin = public_url.url().origin().ascii_serialization();
        let is_encrypted = public_url.url().scheme() == "https";
        let mut challenge = format!(r#"resource_metadata="{origin}{WELL_KNOWN}{path}""#);
        // What RFC 6749 lets a scope hold stands in quotes as it is.
        let is_scope = |scope: &&String| {
            !scope.is_empty()
                && scope.bytes().all(|c| c.is_ascii_graphic() && !b"\"\\".contains(&c))
        };
        let scopes: Vec<&str> = scopes.iter().filter(is_scope).map(String::as_str).collect();
        if !scopes.is_empty() {
            challenge.push_str(&format!(r#", scope="{}""#, scopes.join(" ")));
        }
        let document = ResourceDocument {
            resource,
            authorization_servers: [issuer],
            bearer_methods_supported: ["header"],
            resource_name: "Toolgate",
            scopes_supported: scopes,
        };
        // Texts and lists of them can always be written.
        let document = serde_json::to_vec(&document).unwrap_or_default().into();
        Self { document, path, is_encrypted, challenge }
    }

    /// The path that the document at this path is about, where there is one: of the whole gateway, or of
    /// one of its addresses.
    pub(crate) fn about<'p>(&self, path: &'p str) -> Option<&'p str> {
        let about = path.strip_prefix(WELL_KNOWN)?;
        Some(about.strip_prefix(&self.path).unwrap_or(about))
    }

    /// The path of the gateway's own URL, without a slash at its end.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether that URL is one of encrypted connections.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    pub(crate) fn document(&self) -> Bytes {
        self.document.clone()
    }

    pub(crate) fn challenge(&self, reason: ChallengeReason) -> HeaderValue {
        let error = match reason {
            ChallengeReason::NoToken => "",
            ChallengeReason::InvalidToken => r#"error="invalid_token", "#,
            ChallengeReason::InsufficientScope => r#"error="insufficient_scope", "#,
        };
        let written = format!("Bearer {error}{}", self.challenge);
        HeaderValue::try_from(written).unwrap_or(HeaderValue::from_static("Bearer"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolgate_types::ConfigText;

    use super::*;

    fn metadata(url: &str, scopes: &[&str]) -> ResourceMetadata {
        let url = Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap();
        let scopes: Vec<String> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        ResourceMetadata::new(&url, "https://id.example.com", &scopes)
    }

    #[test]
    fn everything_comes_from_what_was_configured() {
        let metadata = metadata("https://gate.example.com:8443/tools/", &["mcp", "a\"b", "call"]);
        let document: Value = serde_json::from_slice(&metadata.document()).unwrap();
        assert_eq!(document["resource"], "https://gate.example.com:8443/tools/");
        assert_eq!(document["authorization_servers"], json!(["https://id.example.com"]));
        assert_eq!(document["scopes_supported"], json!(["mcp", "call"]));
        assert_eq!(
            metadata.challenge(ChallengeReason::InvalidToken),
            "Bearer error=\"invalid_token\", resource_metadata=\"https://gate.example.com:8443\
             /.well-known/oauth-protected-resource/tools\", scope=\"mcp call\""
        );
    }

    #[test]
    fn the_document_is_found_for_the_whole_and_for_each_address() {
        let metadata = metadata("https://gate.example.com/tools", &[]);
        for (path, about) in [
            ("", Some("")),
            ("/tools", Some("")),
            ("/tools/mcp/coder", Some("/mcp/coder")),
            ("/mcp", Some("/mcp")),
        ] {
            assert_eq!(metadata.about(&format!("{WELL_KNOWN}{path}")), about, "{path}");
        }
        assert_eq!(metadata.about("/mcp"), None);
        assert_eq!(
            metadata.challenge(ChallengeReason::NoToken),
            "Bearer resource_metadata=\"https://gate.example.com/.well-known\
             /oauth-protected-resource/tools\""
        );
    }
}
