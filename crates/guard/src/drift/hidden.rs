//! The characters of a JSON text that nobody would see, also where they are written as escapes.

use toolgate_types::is_hidden;

/// All of them in their order, but for line breaks and tabs, which many a text has.
pub(super) fn hidden_in(json: &str) -> String {
    let mut found = String::new();
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| c == '\\' || is_odd(c)) {
        let (c, length) = match rest[at..].strip_prefix('\\') {
            Some(escape) => {
                let (c, length) = escaped(escape);
                (c, length + 1)
            }
            None => {
                let c = rest[at..].chars().next();
                (c, c.map_or(1, char::len_utf8))
            }
        };
        found.extend(c.filter(|c| is_odd(*c)));
        rest = rest.get(at + length..).unwrap_or_default();
    }
    found
}

/// Whether it is one of those.
pub(super) fn is_odd(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\n' | '\r' | '\t')
}

/// What an escape stands for, and how many bytes there are of it behind the backslash.
fn escaped(text: &str) -> (Option<char>, usize) {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix('u')?.get(..4)?, 16).ok();
    let Some(first) = unit(text) else {
        let c = match text.chars().next() {
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            _ => None,
        };
        return (c, text.chars().next().map_or(0, char::len_utf8));
    };
    let second = text.get(5..).and_then(|rest| unit(rest.strip_prefix('\\')?));
    let pair = [first, second.unwrap_or_default()];
    match char::decode_utf16(pair).next() {
        Some(Ok(c)) if c.len_utf16() == 2 => (Some(c), 11),
        Some(Ok(c)) => (Some(c), 5),
        // Half a character shows as nothing too.
        _ => (Some('\u{feff}'), 5),
    }
}
