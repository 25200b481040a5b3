//! A URI taken apart and cleaned up as servers and browsers do it, and written anew.

use super::decode::decode_fully;

/// The parts of a URI, each decoded. A fragment is no part of what is read.
pub(super) struct NormalUri {
    scheme: Option<String>,
    /// Without user, default port and trailing dot.
    authority: Option<String>,
    path: String,
    query: Option<String>,
}

impl NormalUri {
    pub(super) fn of(text: &str) -> Self {
        let text = without_blanks(text);
        let text = text.split('#').next().unwrap_or_default();
        let (scheme, rest) = match scheme_of(text) {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, (!query.is_empty()).then(|| decode_fully(query))),
            None => (rest, None),
        };
        let rest = rest.replace('\\', "/");
        let special = scheme.as_deref().and_then(default_port);
        let (authority, path) = match (scheme.as_deref(), special) {
            (Some("file"), _) => match rest.strip_prefix("//") {
                Some(rest) => split_authority(rest),
                None => (Some(""), &*rest),
            },
            (Some(_), Some(_)) => split_authority(rest.trim_start_matches('/')),
            (Some(_), None) => match rest.strip_prefix("//") {
                Some(rest) => split_authority(rest),
                None => (None, &*rest),
            },
            (None, _) => (None, &*rest),
        };
        let mut authority = authority.map(|text| clean_authority(text, special));
        if scheme.as_deref() == Some("file") && authority.as_deref() == Some("localhost") {
            authority = Some(String::new());
        }
        let mut path = clean_path(&decode_fully(path));
        if authority.is_some() && !path.starts_with('/') && (special.is_some() || !path.is_empty())
            || scheme.as_deref() == Some("file") && !path.starts_with('/')
        {
            path.insert(0, '/');
        }
        Self { scheme, authority, path, query }
    }

    pub(super) fn scheme(&self) -> Option<&str> {
        self.scheme.as_deref()
    }

    pub(super) fn authority(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// A file has no query; a server that is asked for one leaves it out.
    pub(super) fn is_file(&self) -> bool {
        self.scheme() == Some("file")
    }

    /// All of it.
    pub(super) fn whole(&self) -> String {
        self.written(&self.path, true)
    }

    pub(super) fn without_query(&self) -> String {
        self.written(&self.path, false)
    }

    pub(super) fn written(&self, path: &str, with_query: bool) -> String {
        let mut out = String::with_capacity(path.len() + 16);
        if let Some(scheme) = &self.scheme {
            out.push_str(scheme);
            out.push(':');
        }
        if let Some(authority) = &self.authority {
            out.push_str("//");
            out.push_str(authority);
        }
        out.push_str(path);
        if let Some(query) = self.query.as_ref().filter(|_| with_query) {
            out.push('?');
            out.push_str(query);
        }
        out
    }

    /// The same with the port that goes without saying.
    pub(super) fn with_port(&self) -> Option<String> {
        let port = default_port(self.scheme()?)?;
        let host = self.authority.as_ref().filter(|host| !host.contains(':'))?;
        let authority = Some(format!("{host}:{port}"));
        let (scheme, query) = (self.scheme.clone(), self.query.clone());
        Some(Self { scheme, authority, path: self.path.clone(), query }.whole())
    }
}

/// Without what browsers leave out before they read anything.
pub(super) fn without_blanks(text: &str) -> String {
    let text = text.trim_matches(|c: char| c <= ' ');
    text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
}

/// A wildcard may stand in it: patterns are read here too.
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-' | '*');
    (!scheme.is_empty() && scheme.chars().all(is_part)).then_some((scheme, rest))
}

/// Of the schemes that browsers read in a way of their own.
fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

fn split_authority(rest: &str) -> (Option<&str>, &str) {
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    (Some(authority), path)
}

fn clean_authority(text: &str, default_port: Option<u16>) -> String {
    let text = decode_fully(text);
    let has_wildcard = |part: &str| part.contains(['*', '?']);
    let text = match text.rsplit_once('@') {
        Some((user, host)) if !has_wildcard(user) => host,
        _ => &text,
    };
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (text, ""),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    // Of a pattern: what follows a wildcard is what keeps it from meaning more.
    if host.ends_with(['*', '?']) {
        return text.to_lowercase();
    }
    let host = match default_port.map(|_| url::Host::parse(&host)) {
        Some(Ok(host)) => host.to_string(),
        _ => host,
    };
    match port.parse::<u16>() {
        Ok(port) if Some(port) == default_port => host,
        Ok(port) => format!("{host}:{port}"),
        Err(_) if port.is_empty() => host,
        Err(_) => format!("{host}:{port}"),
    }
}

/// One slash where several stand, no `.` and no `..`.
fn clean_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut kept: Vec<&str> = Vec::new();
    let mut ends_open = false;
    for segment in path.split('/') {
        ends_open = matches!(segment, "" | "." | "..");
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            segment => kept.push(segment),
        }
    }
    let mut clean = String::with_capacity(path.len());
    if path.starts_with('/') {
        clean.push('/');
    }
    clean.push_str(&kept.join("/"));
    if ends_open && !kept.is_empty() {
        clean.push('/');
    }
    clean
}
