//! What our entry in a client's file leads to: a program, or an address with the token for it.

use serde_json::Value;
use toolgate_types::Secret;
use url::{Host, Url};

use super::client_text::ClientText;

/// What an entry leads to.
#[derive(Debug, Clone)]
pub enum EntryTarget {
    Program(String),
    Address(EntryAddress),
    /// Neither is said.
    Nothing,
}

/// An address, and what is brought there.
#[derive(Debug, Clone)]
pub struct EntryAddress {
    pub url: String,
    pub token: Option<Secret>,
}

impl ClientText<'_> {
    /// `None` where the file has no such entry, or cannot be read: that is its client's affair.
    pub fn target(&self) -> Option<EntryTarget> {
        let entry = self.entry().ok().flatten()?;
        let word = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let first = || entry.get("command")?.get(0)?.as_str().map(str::to_owned);
        if let Some(program) = word("command").or_else(first) {
            return Some(EntryTarget::Program(program));
        }
        let url = ["url", "httpUrl", "serverUrl"].into_iter().find_map(word);
        Some(url.map_or(EntryTarget::Nothing, |url| {
            EntryTarget::Address(EntryAddress { url, token: token_of(&entry) })
        }))
    }
}

fn token_of(entry: &Value) -> Option<Secret> {
    let inner = entry.get("requestOptions").and_then(|options| options.get("headers"));
    let tables = [entry.get("headers"), entry.get("http_headers"), inner];
    let said = tables.into_iter().flatten().find_map(|headers| headers.get("Authorization"));
    let token = said?.as_str()?.strip_prefix("Bearer ")?;
    Some(Secret::new(token.to_owned()))
}

impl EntryAddress {
    /// The host and port, where it is an address of this machine.
    pub fn on_this_machine(&self) -> Option<(std::net::IpAddr, u16)> {
        let url = Url::parse(&self.url).ok()?;
        let address = match url.host()? {
            Host::Domain("localhost") => std::net::Ipv4Addr::LOCALHOST.into(),
            Host::Domain(_) => return None,
            Host::Ipv4(address) => std::net::IpAddr::V4(address),
            Host::Ipv6(address) => std::net::IpAddr::V6(address),
        };
        let port = url.port_or_known_default()?;
        address.is_loopback().then_some((address, port))
    }

    /// The name of the folder that is meant, where one is.
    pub fn workspace(&self) -> Option<String> {
        let url = Url::parse(&self.url).ok()?;
        let mut parts = url.path_segments()?;
        (parts.next()? == "w").then(|| parts.next().unwrap_or_default().to_owned())
    }
}
