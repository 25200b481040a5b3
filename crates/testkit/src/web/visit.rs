//! A request as the site saw it.

use http::HeaderMap;

/// One HTTP request.
#[derive(Debug, Clone)]
pub struct Visit {
    pub method: String,
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Visit {
    /// A header's text; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Whether this is a POST of a message with this method.
    pub fn posts(&self, method: &str) -> bool {
        self.method == "POST" && self.body.contains(&format!(r#""method":"{method}""#))
    }
}
