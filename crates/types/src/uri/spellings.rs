//! In how many ways a URI, or a pattern over URIs, has to be looked at.

use super::decode::{decode_fully, decode_once, decode_without_blanks};
use super::normal::{NormalUri, without_blanks};
use super::of_server::split_uri_of_server;

/// A gate behind a gate behind a gate; deeper, only the innermost is looked at.
const DEEPEST: usize = 8;

/// What an allow list must let through, all of it: the URI as it is, decoded once and fully, cleaned
/// up, and as far as a server reads it.
pub fn allowed_spellings(uri: &str) -> Vec<String> {
    let normal = NormalUri::of(uri);
    let mut all = vec![uri.to_owned(), decode_once(uri), decode_fully(uri), normal.whole()];
    if normal.is_file() {
        all.push(normal.without_query());
    }
    let up_to_nul = |text: &String| text.split_once('\0').map(|(before, _)| before.to_owned());
    all.extend(all.iter().filter_map(up_to_nul).collect::<Vec<_>>());
    distinct(all)
}

/// What a deny list is looked through for: any of them may be what the server makes of the URI. Small
/// letters only.
pub fn denied_spellings(uri: &str) -> Vec<String> {
    let mut all = Vec::new();
    for base in bases(uri) {
        let normal = NormalUri::of(&base);
        let path = bare_path(normal.path());
        all.extend([normal.whole(), normal.without_query()]);
        all.extend([normal.written(&path, true), normal.written(&path, false)]);
        all.extend(normal.with_port());
        if normal.is_file() {
            let path = normal.path();
            all.extend([format!("file://localhost{path}"), format!("file:{path}")]);
        }
        if normal.scheme().is_none() && normal.path().starts_with('/') {
            all.push(format!("file://{}", normal.path()));
        }
        all.push(base);
    }
    all.extend(all.iter().map(|text| one_slash(text)).collect::<Vec<_>>());
    distinct(all.into_iter().map(|text| text.to_lowercase()).collect())
}

/// The spellings of a pattern in an allow list.
pub fn allow_pattern_spellings(pattern: &str) -> Vec<String> {
    allowed_spellings(pattern)
}

/// The spellings of a pattern in a deny list. Small letters only.
pub fn deny_pattern_spellings(pattern: &str) -> Vec<String> {
    let mut all = Vec::new();
    for base in [pattern.to_owned(), decode_once(pattern), decode_fully(pattern)] {
        let normal = NormalUri::of(&base);
        // What follows a `?` stays: it may be a wildcard.
        let bare = normal.written(&bare_path(normal.path()), true);
        all.extend([normal.whole(), bare, base]);
    }
    all.extend(all.iter().map(|text| one_slash(text)).collect::<Vec<_>>());
    distinct(all.into_iter().map(|text| text.to_lowercase()).collect())
}

/// The same for all spellings of one URI: what two servers offer under one key is one thing.
pub fn uri_key(uri: &str) -> String {
    let normal = NormalUri::of(&decode_without_blanks(uri));
    let path = bare_path(normal.path());
    one_slash(&normal.written(&path, !normal.is_file())).to_lowercase()
}

/// The URI and what a gate behind this one would read in it, each as it is and decoded.
fn bases(uri: &str) -> Vec<String> {
    let mut all =
        vec![uri.to_owned(), decode_once(uri), decode_fully(uri), decode_without_blanks(uri)];
    let mut inner = Vec::new();
    for text in &all {
        let text = without_blanks(text);
        let next = |rest: &'_ str| {
            let plain = rest.trim_start_matches(|c: char| c <= ' ');
            split_uri_of_server(plain).map(|(_, uri)| rest.len() - uri.len())
        };
        let mut rest = text.as_str();
        let mut depth = 0;
        while let Some(at) = next(rest) {
            rest = &rest[at..];
            depth += 1;
            if depth < DEEPEST {
                inner.push(rest.to_owned());
            }
        }
        inner.push(rest.to_owned());
    }
    let up_to_nul = |text: &String| text.split_once('\0').map(|(before, _)| before.to_owned());
    all.extend(inner);
    all.extend(all.iter().filter_map(up_to_nul).collect::<Vec<_>>());
    distinct(all)
}

/// Without what some systems leave out: dots and blanks at the end of a name, the slash at the end of
/// all. A wildcard keeps what follows it: `*/` does not become `*`.
fn bare_path(path: &str) -> String {
    let bare = |name: &str| {
        let bare = name.trim_end_matches(['.', ' ']);
        if bare.ends_with(['*', '?']) { name.to_owned() } else { bare.to_owned() }
    };
    let names: Vec<String> = path.split('/').map(bare).collect();
    let path = names.join("/");
    let short = path.trim_end_matches('/');
    if short.ends_with(['*', '?']) { path } else { short.to_owned() }
}

/// Every run of slashes as one.
fn one_slash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    out
}

fn distinct(mut all: Vec<String>) -> Vec<String> {
    all.sort_unstable();
    all.dedup();
    all
}
