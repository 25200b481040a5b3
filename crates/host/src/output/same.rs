//! Whether a text is a given JSON value, written perhaps with other spaces and other escapes.
//!
//! Members in another order or numbers spelled otherwise count as different: then both are kept,
//! which costs a few tokens and loses nothing.

use serde_json::value::RawValue;

pub(super) fn same_json(text: &str, json: &RawValue) -> bool {
    let text = text.trim();
    if text == json.get() {
        return true;
    }
    if text.as_bytes().first() != json.get().as_bytes().first() {
        return false;
    }
    let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
    is_json && canonical(text) == canonical(json.get())
}

/// Valid JSON without insignificant white space and with each string escaped in one way.
fn canonical(json: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(quote) = rest.find('"') {
        let (between, from_quote) = rest.split_at(quote);
        push_compact(&mut out, between);
        let string = &from_quote[..string_length(from_quote)?];
        if string.contains('\\') {
            let read: String = serde_json::from_str(string).ok()?;
            serde_json::to_writer(&mut out, &read).ok()?;
        } else {
            out.extend_from_slice(string.as_bytes());
        }
        rest = &from_quote[string.len()..];
    }
    push_compact(&mut out, rest);
    Some(out)
}

fn push_compact(out: &mut Vec<u8>, json: &str) {
    out.extend(json.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')));
}

/// The length of the string at the beginning, both quotes included.
fn string_length(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
