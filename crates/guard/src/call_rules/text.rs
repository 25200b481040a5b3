//! One text held against one glob, by somebody who does not trust how it is spelled.

use toolgate_types::{
    WebAddress, decode_fully, denied_spellings, deny_pattern_spellings, is_hidden,
};

use crate::pattern::glob_matches;

/// What lets one text do two things where a shell reads it.
const SHELL_SIGNS: &str = ";|&`$<>";

/// Whether a text is what the glob means, read as whoever uses it may read it.
pub(super) fn is_surely(glob: &str, text: &str) -> bool {
    if text.contains(|c: char| is_hidden(c) || c.is_control()) {
        return false;
    }
    match glob.split_once("://") {
        Some((scheme, rest)) => is_surely_address(scheme, rest, text),
        None => {
            let is_new = |c: char| SHELL_SIGNS.contains(c) && !glob.contains(c);
            !climbs(text) && !text.contains(is_new) && glob_matches(glob, text)
        }
    }
}

/// Whether any spelling of the text is what any spelling of the glob means.
pub(super) fn is_maybe(glob: &str, text: &str) -> bool {
    let globs = deny_pattern_spellings(glob);
    let mut texts = denied_spellings(text);
    texts.push(text.trim().to_lowercase());
    let addresses = [text.to_owned(), decode_fully(text)];
    let addresses = addresses.iter().filter_map(|text| WebAddress::read(text));
    texts.extend(addresses.flat_map(|address| address.spellings()).map(|one| one.to_lowercase()));
    globs.iter().any(|glob| texts.iter().any(|text| glob_matches(glob, text)))
}

fn is_surely_address(scheme: &str, rest: &str, text: &str) -> bool {
    let Some(address) = WebAddress::read(text).filter(|address| !address.is_odd) else {
        return false;
    };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(at);
    let is_host = address.authorities.iter().any(|own| glob_matches(authority, own));
    let is_there = match tail {
        // A host alone means its first page; one with a `*` at its end means all of them.
        "" => authority.ends_with('*') || matches!(address.tail.as_str(), "" | "/"),
        tail => {
            let decoded = decode_fully(&address.tail);
            let both = [&address.tail, &decoded];
            both.iter().all(|own| !climbs(own) && glob_matches(tail, own))
        }
    };
    glob_matches(scheme, &address.scheme) && is_host && is_there
}

/// Whether a path leads out of where it begins.
fn climbs(text: &str) -> bool {
    let is_up = |text: &str| text.split(['/', '\\']).any(|name| name == "..");
    is_up(text) || is_up(&decode_fully(text))
}
