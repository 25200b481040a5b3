//! The addresses of registries, as they are kept and shown.

use serde::{Deserialize, Serialize};
use url::Url;

/// The addresses of registries, without any credential: they are kept, and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryPlaces {
    /// Where packages are looked for.
    pub(super) main: String,
    /// Further ones: for npm those of a scope (`@ours`), for Python those that are looked through first.
    pub(super) others: Vec<(String, String)>,
}

/// An address without what it says of its user; a name that means this machine as its address, since
/// behind walls it would mean another one.
pub(super) fn place(text: &str) -> Option<String> {
    let mut url = Url::parse(text.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if url.host_str() == Some("localhost") {
        url.set_host(Some("127.0.0.1")).ok()?;
    }
    Some(url.to_string())
}
