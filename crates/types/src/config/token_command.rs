//! Programs of the person's own that give tokens for servers: `[auth_providers.<id>]`.

use std::fmt;

use url::{Host, Url};

use crate::ConfigText;

/// A program that prints a token as JSON, and the servers that may get one.
#[derive(Debug, Clone)]
pub struct TokenCommand {
    pub program: ConfigText,
    pub args: Vec<ConfigText>,
    /// A server anywhere else gets nothing, whoever's entry names the provider.
    pub origins: Vec<WebOrigin>,
}

impl TokenCommand {
    pub fn serves(&self, server: &Url) -> bool {
        let server = server.origin().ascii_serialization();
        self.origins.iter().any(|origin| origin.as_str() == server)
    }
}

/// Scheme, host and port of servers, behind TLS or on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(String);

/// Why a text is no such origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadWebOrigin {
    #[error("not an origin such as `https://mcp.example.com`")]
    NotAnOrigin,
    #[error("a token would travel in plain text: only `https`, or `http` to this machine")]
    PlainText,
}

impl WebOrigin {
    pub fn parse(written: &str) -> Result<Self, BadWebOrigin> {
        let url = Url::parse(written.trim()).map_err(|_| BadWebOrigin::NotAnOrigin)?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => return Err(BadWebOrigin::PlainText),
            _ => return Err(BadWebOrigin::NotAnOrigin),
        }
        let origin = url.origin().ascii_serialization();
        // A path would be read as a narrower promise than is kept, a star as a wider one.
        match url.as_str() == format!("{origin}/") && !origin.contains('*') {
            true => Ok(Self(origin)),
            false => Err(BadWebOrigin::NotAnOrigin),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl fmt::Display for WebOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port_and_nothing_else() {
        for (written, origin) in [
            ("https://mcp.example.com", "https://mcp.example.com"),
            ("https://MCP.example.com/", "https://mcp.example.com"),
            ("https://mcp.example.com:443", "https://mcp.example.com"),
            ("https://mcp.example.com:8443", "https://mcp.example.com:8443"),
            ("http://127.0.0.1:7000", "http://127.0.0.1:7000"),
            ("http://[::1]:7000", "http://[::1]:7000"),
            ("http://localhost", "http://localhost"),
        ] {
            assert_eq!(WebOrigin::parse(written).unwrap().as_str(), origin, "{written}");
        }
        for written in [
            "",
            "mcp.example.com",
            "https://*.example.com",
            "https://mcp.example.com/mcp",
            "https://mcp.example.com?x",
            "https://mcp.example.com#x",
            "https://me@mcp.example.com",
            "ftp://mcp.example.com",
            "file:///etc",
            "data:text/plain,x",
        ] {
            assert_eq!(WebOrigin::parse(written), Err(BadWebOrigin::NotAnOrigin), "{written}");
        }
        let plain = WebOrigin::parse("http://mcp.example.com");
        assert_eq!(plain, Err(BadWebOrigin::PlainText));
    }

    #[test]
    fn a_server_is_served_by_its_origin_alone() {
        let command = TokenCommand {
            program: ConfigText::Plain("/bin/x".to_owned()),
            args: Vec::new(),
            origins: vec![WebOrigin::parse("https://mcp.corp.example").unwrap()],
        };
        let serves = |url: &str| command.serves(&Url::parse(url).unwrap());
        assert!(serves("https://mcp.corp.example/a/b?c"));
        assert!(serves("https://MCP.corp.example:443/"));
        for other in [
            "http://mcp.corp.example/",
            "https://mcp.corp.example:8443/",
            "https://mcp.corp.example.evil.example/",
            "https://evil.example/?https://mcp.corp.example/",
            "https://a.mcp.corp.example/",
            "https://mcp.corp.example./",
        ] {
            assert!(!serves(other), "{other}");
        }
    }
}
