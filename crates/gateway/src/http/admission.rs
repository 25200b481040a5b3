//! Whether a request was meant for us: `Host` and `Origin`.
//!
//! A page on the web can have its own name lead to this machine, and a browser then sends our users'
//! requests here. It cannot choose these two headers.

use http::request::Parts;
use http::{HeaderMap, Uri, header};

use super::RequestRefusal;

/// The names by which this gateway is reached, and the pages that may reach it.
#[derive(Debug, Clone)]
pub(crate) struct OriginCheck {
    hosts: Vec<String>,
    origins: Vec<String>,
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl OriginCheck {
    pub(crate) fn new(hosts: &[String], origins: &[String]) -> Self {
        let lower = |all: &[String]| all.iter().map(|one| one.to_ascii_lowercase()).collect();
        Self { hosts: lower(hosts), origins: lower(origins) }
    }

    pub(crate) fn admit(&self, parts: &Parts) -> Result<(), RequestRefusal> {
        let host = self.host(&parts.headers, &parts.uri);
        if !host.is_some_and(|host| self.is_ours(host)) {
            return Err(RequestRefusal::forbidden("this is not a host name of this gateway"));
        }
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        match origins.all(|origin| origin.to_str().is_ok_and(|origin| self.may_call(origin))) {
            true => Ok(()),
            false => Err(RequestRefusal::forbidden("pages of this origin may not call")),
        }
    }

    /// The one host that a request names; a second one is as good as none.
    fn host<'p>(&self, headers: &'p HeaderMap, uri: &'p Uri) -> Option<&'p str> {
        let mut named = headers.get_all(header::HOST).iter();
        let host = named.next()?.to_str().ok()?;
        let agrees = uri.authority().is_none_or(|authority| authority.as_str() == host);
        (named.next().is_none() && agrees).then_some(host)
    }

    /// With or without the port; a name that is allowed with a port only with that one.
    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        let is_one =
            |ours: &str| ours.eq_ignore_ascii_case(name) || ours.eq_ignore_ascii_case(host);
        LOOPBACK.iter().any(|ours| ours.eq_ignore_ascii_case(name))
            || self.hosts.iter().any(|ours| is_one(ours))
    }

    /// Whether a person allowed this origin by name.
    pub(super) fn is_named(&self, origin: &str) -> bool {
        self.origins.contains(&origin.to_ascii_lowercase())
    }

    fn may_call(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| !authority.contains('/') && self.is_ours(authority))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(headers: &[(&str, &str)]) -> bool {
        let admission = OriginCheck::new(&["gate.corp:8080".to_owned()], &["app://ide".to_owned()]);
        let mut request = http::Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        admission.admit(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn only_names_of_this_gateway_are_hosts() {
        for ours in ["localhost", "LOCALHOST:7332", "127.0.0.1:1", "[::1]:7332", "gate.corp:8080"] {
            assert!(admits(&[("host", ours)]), "{ours}");
        }
        for foreign in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "gate.corp",
            "gate.corp:1",
            "",
        ] {
            assert!(!admits(&[("host", foreign)]), "{foreign}");
        }
        assert!(!admits(&[]), "no host at all");
        assert!(!admits(&[("host", "localhost"), ("host", "localhost")]), "two of them");
    }

    #[test]
    fn only_pages_of_this_machine_or_named_ones_may_call() {
        let with = |origin| admits(&[("host", "localhost"), ("origin", origin)]);
        for fine in ["http://localhost:3000", "https://127.0.0.1", "app://ide", "http://[::1]:80"] {
            assert!(with(fine), "{fine}");
        }
        for evil in [
            "http://evil.example",
            "null",
            "",
            "http://localhost.evil.example",
            "http://localhost:1/x",
            "app://other",
            "file://localhost",
        ] {
            assert!(!with(evil), "{evil}");
        }
    }
}
