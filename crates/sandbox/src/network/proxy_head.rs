//! The head of a request to an HTTP proxy: `CONNECT host:port`, or a request with a whole `http://` URL.

use toolgate_types::config::RequestedHost;

/// No longer head is read.
pub(super) const LONGEST_HEAD: usize = 16 * 1024;

/// What a program asks of a proxy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProxyRequest {
    pub(super) host: RequestedHost,
    pub(super) port: u16,
    pub(super) kind: ProxyRequestKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequestKind {
    Tunnel,
    /// The head as the server gets it.
    Forward(Vec<u8>),
}

/// Where a head ends, if it does.
pub(super) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Reads a whole head; `None` if it is no request to a proxy.
pub(super) fn parse(head: &[u8]) -> Option<ProxyRequest> {
    let head = std::str::from_utf8(head).ok()?.strip_suffix("\r\n\r\n")?;
    if head.contains('\0') || head.replace("\r\n", "").contains(['\r', '\n']) {
        return None;
    }
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next()?.split(' ').collect();
    let [method, target, version @ ("HTTP/1.1" | "HTTP/1.0")] = words.as_slice() else {
        return None;
    };
    if *method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        return Some(ProxyRequest { host, port, kind: ProxyRequestKind::Tunnel });
    }
    let rest = strip_scheme(target)?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (named, path) = rest.split_at(end);
    let (host, port) = authority(named, Some(80))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // The connection is for this host and this request: a next one may be for another.
    let mut forwarded =
        format!("{method} {path} {version}\r\nHost: {named}\r\nConnection: close\r\n");
    for line in lines {
        let (name, _) = line.split_once(':')?;
        if name.is_empty() || name.contains([' ', '\t']) {
            return None;
        }
        let own = ["host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"];
        if !own.contains(&name.to_ascii_lowercase().as_str()) {
            forwarded.push_str(line);
            forwarded.push_str("\r\n");
        }
    }
    forwarded.push_str("\r\n");
    Some(ProxyRequest { host, port, kind: ProxyRequestKind::Forward(forwarded.into_bytes()) })
}

fn strip_scheme(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once("://")?;
    scheme.eq_ignore_ascii_case("http").then_some(rest)
}

/// `host:port`, without a user before it.
fn authority(text: &str, usual: Option<u16>) -> Option<(RequestedHost, u16)> {
    let is_bracketed = text.ends_with(']');
    let (host, port) = match text.rsplit_once(':').filter(|_| !is_bracketed) {
        Some((host, port)) => {
            let is_plain = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            (host, if is_plain { port.parse().ok()? } else { return None })
        }
        None => (text, usual?),
    };
    let host = RequestedHost::parse(host).ok()?;
    (port != 0).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Option<ProxyRequest> {
        parse(head.replace('\n', "\r\n").as_bytes())
    }

    fn host(text: &str) -> RequestedHost {
        RequestedHost::parse(text).unwrap()
    }

    #[test]
    fn a_tunnel_has_a_host_and_a_port() {
        let tunnel = |name: &str, port| {
            Some(ProxyRequest { host: host(name), port, kind: ProxyRequestKind::Tunnel })
        };
        let usual = "CONNECT api.Example.com:443 HTTP/1.1\nHost: evil.example\n\n";
        assert_eq!(read(usual), tunnel("api.example.com", 443));
        assert_eq!(read("CONNECT [2001:db8::1]:80 HTTP/1.0\n\n"), tunnel("2001:db8::1", 80));
        assert_eq!(read("CONNECT 10.0.0.1:80 HTTP/1.1\n\n"), tunnel("10.0.0.1", 80));
        for odd in [
            "CONNECT api.example.com HTTP/1.1\n\n",
            "CONNECT api.example.com:0 HTTP/1.1\n\n",
            "CONNECT user@api.example.com:1 HTTP/1.1\n\n",
            "CONNECT 0x7f.1:80 HTTP/1.1\n\n",
            "CONNECT  api.example.com:1 HTTP/1.1\n\n",
            "CONNECT api.example.com:1 HTTP/2\n\n",
            "connect api.example.com:1 HTTP/1.1\n\n",
            "GET / HTTP/1.1\nHost: api.example.com\n\n",
            "GET https://api.example.com/ HTTP/1.1\n\n",
            "GET http://user@api.example.com/ HTTP/1.1\n\n",
            "GET http://api.example.com/ HTTP/1.1\nbad line\n\n",
            "GET http://api.example.com/ HTTP/1.1\nX : y\n\n",
        ] {
            assert_eq!(read(odd), None, "{odd}");
        }
        assert_eq!(parse(b"CONNECT a.example.com:1 HTTP/1.1\nX: y\r\n\r\n"), None);
    }

    #[test]
    fn a_whole_url_becomes_a_path_for_its_own_host() {
        let head = "GET http://API.example.com:8080/a?b HTTP/1.1\nHost: evil.example\nAccept: x\n\
                    Proxy-Connection: keep-alive\nConnection: keep-alive\n\n";
        let read = read(head).unwrap();
        assert_eq!((read.host, read.port), (host("api.example.com"), 8080));
        let ProxyRequestKind::Forward(head) = read.kind else { panic!() };
        let meant = "GET /a?b HTTP/1.1\r\nHost: API.example.com:8080\r\nConnection: close\r\nAccept: x\r\n\r\n";
        assert_eq!(String::from_utf8(head).unwrap(), meant);
    }

    #[test]
    fn a_url_without_a_path_is_its_root() {
        let read = read("GET http://api.example.com?q HTTP/1.1\n\n").unwrap();
        assert_eq!(read.port, 80);
        let ProxyRequestKind::Forward(head) = read.kind else { panic!() };
        assert!(head.starts_with(b"GET /?q HTTP/1.1\r\n"));
    }
}
