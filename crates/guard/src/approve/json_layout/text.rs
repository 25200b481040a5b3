//! The text of a string: as it reads, and how it may be spelled.

use super::super::concealed::{by_number, mark, must_be_spelled};

/// So many blanks in a row push what follows out of sight.
const MANY: usize = 16;

/// A piece of text as it is shown.
pub(super) enum ShownPiece {
    Shown(String),
    LineEnd,
}

/// What the string between two quotes means. What cannot be read stays as it stands.
pub(super) fn decoded(inner: &str) -> String {
    match inner.contains('\\') {
        true => serde_json::from_str(&format!("\"{inner}\"")).unwrap_or_else(|_| inner.to_owned()),
        false => inner.to_owned(),
    }
}

/// Whether the spelling is none that a writer of JSON has by itself: plain, or with everything beyond
/// ASCII escaped.
pub(super) fn is_spelled_oddly(inner: &str, decoded: &str) -> bool {
    if !inner.contains('\\') {
        return false;
    }
    let Ok(plain) = serde_json::to_string(decoded) else { return true };
    let plain = &plain[1..plain.len() - 1];
    inner != plain && !inner.eq_ignore_ascii_case(&in_ascii(plain))
}

fn in_ascii(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c.is_ascii() {
            true => out.push(c),
            false => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out
}

/// The text as it is shown between quotes: what cannot be seen spelled out, long runs of blanks
/// counted, and a new line after each line end.
pub(super) fn pieces(text: &str) -> Vec<ShownPiece> {
    let mut pieces = Vec::new();
    let mut shown = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = blank(c).map(|name| (name, rest.chars().take_while(|next| *next == c).count()));
        if let Some((name, same)) = run.filter(|(_, same)| *same >= MANY) {
            shown.push_str(&mark(&format!("{same} {name}")));
            rest = &rest[same * c.len_utf8()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            '\n' => {
                shown.push_str("\\n");
                pieces.push(ShownPiece::Shown(std::mem::take(&mut shown)));
                pieces.push(ShownPiece::LineEnd);
            }
            hidden if must_be_spelled(hidden) => shown.push_str(&by_number(hidden)),
            plain => shown.push(plain),
        }
    }
    pieces.push(ShownPiece::Shown(shown));
    pieces
}

fn blank(c: char) -> Option<&'static str> {
    match c {
        ' ' => Some("spaces"),
        '\t' => Some("tabs"),
        '\n' => Some("line ends"),
        '\r' => Some("carriage returns"),
        _ => None,
    }
}
