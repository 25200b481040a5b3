//! What of the network a confined process reaches: nothing, everything, or what is named.
//!
//! Names are compared in one spelling: lower case, ASCII (IDNA), no dot at the end. Who resolves and
//! dials them, and which addresses they may lead to, is the sandbox's.

mod host_name;
mod public_suffix;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

pub use host_name::{BadHostName, HostName};
use public_suffix::is_public_suffix;

/// What `allow_network` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    #[default]
    Off,
    Everything,
    /// Only these, by name and port. None of them is none at all.
    Named(Vec<NamedHost>),
}

impl NetworkAccess {
    /// Whether nothing at all is reached.
    pub fn is_off(&self) -> bool {
        match self {
            Self::Off => true,
            Self::Everything => false,
            Self::Named(hosts) => hosts.is_empty(),
        }
    }

    /// Whether a connection is among what is allowed. Where its name leads is not known here.
    pub fn allows(&self, host: &RequestedHost, port: u16) -> bool {
        match self {
            Self::Off => false,
            Self::Everything => true,
            Self::Named(hosts) => hosts.iter().any(|named| named.matches(host, port)),
        }
    }

    /// The ports that something is allowed on; of everything, none by number.
    pub fn ports(&self) -> BTreeSet<u16> {
        self.hosts().iter().map(|named| named.port).collect()
    }

    /// The addresses that are allowed as such.
    pub fn addresses(&self) -> BTreeSet<IpAddr> {
        self.hosts().iter().filter_map(NamedHost::address).collect()
    }

    /// What is named, each on its own.
    pub fn hosts(&self) -> &[NamedHost] {
        match self {
            Self::Off | Self::Everything => &[],
            Self::Named(hosts) => hosts,
        }
    }

    /// Whether a name is allowed on some port, so that there is a reason to look it up.
    pub fn knows(&self, name: &HostName) -> bool {
        match self {
            Self::Off => false,
            Self::Everything => true,
            Self::Named(hosts) => hosts.iter().any(|named| named.host.matches_name(name)),
        }
    }
}

impl fmt::Display for NetworkAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Everything => f.write_str("everything"),
            Self::Named(hosts) if hosts.is_empty() => f.write_str("off"),
            Self::Named(hosts) => {
                let named: Vec<String> = hosts.iter().map(ToString::to_string).collect();
                f.write_str(&named.join(", "))
            }
        }
    }
}

/// One host, or all below a name, and one port: `api.github.com:443`, `*.example.com`, `10.0.0.5:5432`,
/// `[fd00::1]:443`. Without a port it is 443.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamedHost {
    host: HostPattern,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum HostPattern {
    Name(HostName),
    /// One label more than this, or several; never the name itself.
    Below(HostName),
    Address(IpAddr),
}

/// Why a text names no host that may be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNamedHost {
    #[error(
        "a host is written as `name`, `name:port`, `*.name` or an address, without `https://` or a path"
    )]
    Shape,
    #[error("`*` alone would be every host: name them, or write `allow_network = true`")]
    Everything,
    #[error("`*` stands only for the labels before a name, as in `*.example.com`")]
    Star,
    #[error("`{0}` belongs to many: name hosts or a domain below it")]
    PublicSuffix(HostName),
    #[error("`{0}` has no dot: write a host's full name, or its address")]
    OneLabel(HostName),
    #[error("a port is a number from 1 to 65535")]
    Port,
    #[error("behind walls port 53 is the resolver that answers for the names of this list")]
    ResolverPort,
    #[error("an IPv6 address stands in brackets, as in `[2001:db8::1]:443`")]
    Brackets,
    #[error(transparent)]
    Name(#[from] BadHostName),
}

impl NamedHost {
    const USUAL_PORT: u16 = 443;

    pub fn parse(text: &str) -> Result<Self, BadNamedHost> {
        let (host, port) = split_port(text)?;
        let port = port.map_or(Ok(Self::USUAL_PORT), parse_port)?;
        Ok(Self { host: HostPattern::parse(host)?, port })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address, where it is one and no name.
    pub fn address(&self) -> Option<IpAddr> {
        match self.host {
            HostPattern::Address(address) => Some(address),
            HostPattern::Name(_) | HostPattern::Below(_) => None,
        }
    }

    pub fn matches(&self, host: &RequestedHost, port: u16) -> bool {
        let is_meant = match (&self.host, host) {
            (HostPattern::Address(address), RequestedHost::Address(requested)) => {
                address == requested
            }
            (pattern, RequestedHost::Name(name)) => pattern.matches_name(name),
            (_, RequestedHost::Address(_)) => false,
        };
        is_meant && self.port == port
    }
}

impl HostPattern {
    fn parse(host: &str) -> Result<Self, BadNamedHost> {
        if host == "*" {
            return Err(BadNamedHost::Everything);
        }
        let (below, name) = match host.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, host),
        };
        if name.contains('*') {
            return Err(BadNamedHost::Star);
        }
        let name = match RequestedHost::parse(name)? {
            RequestedHost::Address(_) if below => return Err(BadNamedHost::Star),
            RequestedHost::Address(address) => return Ok(Self::Address(address)),
            RequestedHost::Name(name) => name,
        };
        if is_public_suffix(&name) {
            return Err(match name.labels().count() {
                1 if !below => BadNamedHost::OneLabel(name),
                _ => BadNamedHost::PublicSuffix(name),
            });
        }
        Ok(if below { Self::Below(name) } else { Self::Name(name) })
    }

    fn matches_name(&self, name: &HostName) -> bool {
        match self {
            Self::Name(named) => named == name,
            Self::Below(parent) => name.is_below(parent),
            Self::Address(_) => false,
        }
    }
}

impl fmt::Display for NamedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            HostPattern::Name(name) => write!(f, "{name}:{}", self.port),
            HostPattern::Below(name) => write!(f, "*.{name}:{}", self.port),
            HostPattern::Address(IpAddr::V4(address)) => write!(f, "{address}:{}", self.port),
            HostPattern::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

/// What somebody wants to be connected to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RequestedHost {
    Name(HostName),
    Address(IpAddr),
}

impl RequestedHost {
    /// A name, an IPv4 address in its usual spelling, or an IPv6 address with brackets or without.
    pub fn parse(text: &str) -> Result<Self, BadNamedHost> {
        let bare = text.strip_prefix('[').map(|rest| rest.strip_suffix(']'));
        match bare {
            Some(Some(inner)) => {
                let address: Ipv6Addr = inner.parse().map_err(|_| BadNamedHost::Shape)?;
                return Ok(Self::Address(IpAddr::V6(address).to_canonical()));
            }
            Some(None) => return Err(BadNamedHost::Shape),
            None => {}
        }
        match text.parse::<IpAddr>() {
            Ok(address) => Ok(Self::Address(address.to_canonical())),
            Err(_) => Ok(Self::Name(HostName::parse(text)?)),
        }
    }
}

impl fmt::Display for RequestedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

fn split_port(text: &str) -> Result<(&str, Option<&str>), BadNamedHost> {
    if text.is_empty() || text.contains("://") || text.contains(['/', '@', '?', '#', '\\']) {
        return Err(BadNamedHost::Shape);
    }
    if let Some(end) = text.find(']') {
        let (host, rest) = text.split_at(end + 1);
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err(BadNamedHost::Shape),
        };
    }
    match text.matches(':').count() {
        0 => Ok((text, None)),
        1 => Ok(text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)))),
        _ => Err(BadNamedHost::Brackets),
    }
}

fn parse_port(text: &str) -> Result<u16, BadNamedHost> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let port = if is_plain { text.parse().ok() } else { None };
    match port.filter(|port| *port != 0).ok_or(BadNamedHost::Port)? {
        53 => Err(BadNamedHost::ResolverPort),
        port => Ok(port),
    }
}

#[cfg(test)]
mod tests;
