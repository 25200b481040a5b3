//! `Bearer xyz`, and the headers whose whole value is a credential.

use std::ops::Range;

use super::{bare_value, end_of_run, is_no_value, until_command};

/// Words that follow "bearer" where people write about it.
const PROSE: [&str; 28] = [
    "and",
    "auth",
    "authentication",
    "authorization",
    "credential",
    "credentials",
    "error",
    "for",
    "format",
    "from",
    "header",
    "in",
    "is",
    "method",
    "missing",
    "must",
    "not",
    "of",
    "or",
    "prefix",
    "realm",
    "required",
    "scheme",
    "string",
    "token",
    "tokens",
    "type",
    "was",
];

/// After these stands one credential; after others, as in `Digest`, the whole line is one.
const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "api-key", "dpop"];

pub(super) fn is_header(name: &str) -> bool {
    const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
    HEADERS.iter().any(|header| header.eq_ignore_ascii_case(name))
}

/// What is secret of a header's value that begins at `start`: the credential, else the whole line.
/// A quote that opened before the name, or before the value, ends it.
pub(super) fn header_value(text: &str, start: usize, opening: Option<u8>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_quote = |c: &u8| b"\"'`".contains(c);
    let own_quote = bytes.get(start).copied().filter(is_quote);
    let quote = own_quote.or(opening.filter(is_quote));
    let start = start + usize::from(own_quote.is_some());
    let scheme = SCHEMES.iter().map(|scheme| start..start + scheme.len()).zip(SCHEMES);
    let mut scheme = scheme.filter(|(range, scheme)| {
        let here = bytes.get(range.clone()).unwrap_or_default();
        here.eq_ignore_ascii_case(scheme.as_bytes()) && bytes.get(range.end) == Some(&b' ')
    });
    // A line is gone through only where it is the value: what is looked at and left alone would be
    // looked at again for every header that it seems to hold.
    let range = match scheme.next() {
        Some((scheme, _)) => bare_value(text, end_of_run(bytes, scheme.end, |c| c == b' ')),
        None if text[start..].trim_start().starts_with("{{") => return None,
        None => until_command(text, start, |c| !b"\r\n`".contains(&c) && Some(c) != quote),
    };
    let value = text[range.clone()].trim();
    (!value.is_empty() && !is_no_value(value)).then_some(range)
}

/// `Bearer xyz` and `Basic …` with no header before them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if !byte.eq_ignore_ascii_case(&b'b') || is_inside_word(bytes, at) {
            continue;
        }
        let scheme = at..end_of_run(bytes, at, |c| c.is_ascii_alphabetic());
        let is_secret = match &text[scheme.clone()] {
            bearer if bearer.eq_ignore_ascii_case("bearer") => is_of_bearer,
            basic if basic.eq_ignore_ascii_case("basic") => is_of_basic,
            _ => continue,
        };
        // Only past a space: a text without one is then not gone through from every `b` in it.
        let start = end_of_run(bytes, scheme.end, |c| c == b' ');
        if start == scheme.end {
            continue;
        }
        let credential = bare_value(text, start);
        let value = &text[credential.clone()];
        if !value.is_empty() && is_secret(value) && !is_no_value(value) {
            found.push(credential);
        }
    }
}

fn is_inside_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric())
}

fn is_of_bearer(value: &str) -> bool {
    let word = value.trim_end_matches(['.', ':', '?', '!']);
    let is_prose = PROSE.iter().any(|prose| prose.eq_ignore_ascii_case(word));
    // `Bearer realm="x"` tells what is asked for, not what was given.
    let is_parameter = ["realm=", "error", "scope=", "resource_metadata="];
    !is_prose && !is_parameter.iter().any(|name| word.starts_with(name))
}

/// Base64 of a name and a password; "basic" is too common a word to believe every other text.
fn is_of_basic(value: &str) -> bool {
    let is_digit = |c: u8| c.is_ascii_alphanumeric() || b"+/-_=".contains(&c);
    let is_mixed = value.bytes().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    value.len() >= 8 && value.len().is_multiple_of(4) && is_mixed && value.bytes().all(is_digit)
}
