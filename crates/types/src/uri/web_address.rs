//! An address as the programs that fetch one read it, taken apart: what a rule about it is held against
//! is the host that would be reached, not what the text begins with.

use url::{Position, Url};

/// An address with a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress {
    pub scheme: String,
    /// The host with and without the port, where that is the one of the scheme; else with it.
    pub authorities: Vec<String>,
    /// Path, query and fragment, cleaned up.
    pub tail: String,
    /// Whether it names a user, is written with blanks or signs that programs read differently, or in
    /// any other way could lead two programs to two places.
    pub is_odd: bool,
}

impl WebAddress {
    pub fn read(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let host = url.host_str()?.trim_end_matches('.').to_owned();
        let with_port = url.port_or_known_default().map(|port| format!("{host}:{port}"));
        let plain = url.port().is_none().then(|| host.clone());
        let is_odd_sign = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '@');
        let written = text.split(['/', '?', '#']).nth(2).unwrap_or_default();
        let has_user = !url.username().is_empty() || url.password().is_some();
        let is_plain = text.contains("://") && !written.is_empty() && !has_user;
        let is_odd = !is_plain
            || written.contains(is_odd_sign)
            || text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
        Some(Self {
            scheme: url.scheme().to_owned(),
            authorities: plain.into_iter().chain(with_port).collect(),
            tail: url[Position::BeforePath..].to_owned(),
            is_odd,
        })
    }

    /// The whole in each of its spellings, without a user.
    pub fn spellings(&self) -> Vec<String> {
        let Self { scheme, authorities, tail, .. } = self;
        authorities.iter().map(|authority| format!("{scheme}://{authority}{tail}")).collect()
    }
}
