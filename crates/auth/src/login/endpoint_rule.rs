//! An address that a server names for its login: behind TLS, or on this machine.

use url::{Host, Url};

use super::LoginError;
use super::login_error::told;

/// An endpoint of an authorization server, in the spelling it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthEndpoint {
    written: String,
    url: Url,
}

impl OauthEndpoint {
    /// `https`, or `http` to this machine; nothing that a browser or a shell could take for more.
    pub fn parse(what: &str, written: &str) -> Result<Self, LoginError> {
        let bad =
            |why: &str| LoginError::BadMetadata(format!("its {what} `{}` {why}", told(written)));
        let url = Url::parse(written).map_err(|_| bad("is no URL"))?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => return Err(bad("is not behind TLS")),
            _ => return Err(bad("is neither http nor https")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("holds a user name or password"));
        }
        if url.fragment().is_some() {
            return Err(bad("holds a fragment"));
        }
        Ok(Self { written: written.to_owned(), url })
    }

    pub fn as_str(&self) -> &str {
        &self.written
    }

    pub fn url(&self) -> &Url {
        &self.url
    }
}

/// By its spelling; where a name really leads is looked at when it is dialled.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tls_or_this_machine() {
        for good in [
            "https://login.example/token",
            "http://127.0.0.1:8080/token",
            "http://[::1]/token",
            "http://localhost:1/x?tenant=a",
        ] {
            assert_eq!(OauthEndpoint::parse("token_endpoint", good).unwrap().as_str(), good);
        }
        for bad in [
            "http://login.example/token",
            "http://localhost.evil.example/",
            "http://10.0.0.1/token",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "--new-window",
            "-https://a.example",
            "/token",
            "",
            "https://user:pass@login.example/",
            "https://login.example/#x",
            "ftp://login.example/",
        ] {
            let refused = OauthEndpoint::parse("token_endpoint", bad).unwrap_err();
            assert!(matches!(refused, LoginError::BadMetadata(_)), "{bad}: {refused:?}");
        }
    }
}
