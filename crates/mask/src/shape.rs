//! Secrets that nobody told us of, by how they look in a text.
//!
//! A value is masked, its name and what stands around it stay. References such as `${TOKEN}` and
//! commands such as `$(…)` are no secrets: masking those would hide from a person what is run.

mod assignment;
mod authorization;
pub(super) mod flag;
mod key_block;
pub(super) mod pair;
mod token;
mod url;

use std::ops::Range;

use super::view::DecodedView;

/// The places in a text that look like secrets, also if the text was escaped as JSON or HTML is.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    find_plain(text, found);
    let unescaped = text.contains('\\').then(|| DecodedView::unescaped(text.as_bytes()));
    let of_html = DecodedView::without_entities(text.as_bytes());
    for view in unescaped.into_iter().chain(of_html) {
        if let Some(undone) = view.text() {
            let mut inside = Vec::new();
            find_plain(undone, &mut inside);
            found.extend(inside.iter().map(|range| view.written(range)));
        }
    }
}

fn find_plain(text: &str, found: &mut Vec<Range<usize>>) {
    assignment::find(text, found);
    flag::find(text, found);
    authorization::find(text, found);
    token::find(text, found);
    url::find_credentials(text, found);
    key_block::find(text, found);
}

/// Where the run of bytes that begins at `start` and satisfies `belongs` ends.
fn end_of_run(text: &[u8], start: usize, mut belongs: impl FnMut(u8) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| belongs(**byte)).count();
    #[cfg(test)]
    tests::note_steps(length);
    start + length
}

/// A credential that is not in quotes and begins at `start`.
fn bare_value(text: &str, start: usize) -> Range<usize> {
    until_command(text, start, |byte| {
        !byte.is_ascii_whitespace() && !b"\"'`,;|&<>)]}".contains(&byte)
    })
}

/// The run that begins at `start`, as far as it is nothing that a shell would run.
fn until_command(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    start..end_of_run(bytes, start, |byte| {
        at += 1;
        belongs(byte) && !(byte == b'$' && bytes.get(at) == Some(&b'('))
    })
}

/// Where a quoted text ends; at the end of all if its quote is never closed.
fn end_of_quoted(text: &[u8], start: usize, quote: u8) -> usize {
    let mut is_escaped = false;
    end_of_run(text, start, |byte| {
        let goes_on = is_escaped || byte != quote;
        is_escaped = !is_escaped && byte == b'\\';
        goes_on
    })
}

/// Whether a text stands for a value instead of being one.
fn is_no_value(text: &str) -> bool {
    const NOTHING: [&str; 6] = ["null", "none", "nil", "true", "false", "undefined"];
    let name = text.strip_prefix('$').map(|name| {
        let braced = name.strip_prefix('{').map(|name| name.trim_end_matches('}'));
        braced.unwrap_or(name)
    });
    name.is_some_and(|name| toolgate_types::EnvName::parse(name).is_ok())
        || text.contains("$(")
        || text.contains('`')
        || text.starts_with("{{")
        || NOTHING.iter().any(|nothing| nothing.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests;
