//! The forms a secret's value is looked for in, and which values are looked for at all.
//!
//! Base64 and hexadecimal are forms here, and base64 of what was encoded before. Escapes are not: percent signs and backslashes mix freely
//! with plain text, so the text is unescaped instead ([`super::view`]).

use zeroize::Zeroizing;

use super::needle::{Needle, SHORTEST};

/// A line of a secret with several is looked for by itself from this length on; shorter ones are
/// too often braces and common words.
const SHORTEST_LINE: usize = 12;

/// Words that stand where a secret is expected and are none, of those that are long enough.
const EVERYDAY: [&str; 16] = [
    "always",
    "bearer",
    "boolean",
    "default",
    "disabled",
    "enabled",
    "localhost",
    "number",
    "object",
    "optional",
    "password",
    "required",
    "secret",
    "string",
    "undefined",
    "unknown",
];

/// Words before a credential in a header, which is not always shown together with them.
const SCHEMES: [&str; 6] = ["Bearer", "Basic", "Token", "ApiKey", "Api-Key", "DPoP"];

pub(super) fn add_forms(value: &str, needles: &mut Vec<Needle>) {
    let value = value.trim();
    add_value(value, needles);
    if let Some((scheme, credential)) = value.split_once(' ')
        && SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
    {
        add_value(credential.trim(), needles);
    }
    // A child's standard error is read by lines, and so a key of several lines would pass.
    if value.contains('\n') {
        let lines = value.lines().map(str::trim);
        for line in lines.filter(|line| line.len() >= SHORTEST_LINE && !line.starts_with("-----")) {
            add_value(line, needles);
        }
    }
}

fn is_worth_hiding(value: &str) -> bool {
    value.len() >= SHORTEST && !EVERYDAY.iter().any(|word| word.eq_ignore_ascii_case(value))
}

fn add_value(value: &str, needles: &mut Vec<Needle>) {
    if !is_worth_hiding(value) {
        return;
    }
    let bytes = value.as_bytes();
    needles.push(Needle::exact(Zeroizing::new(bytes.to_vec())));
    for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
        needles.push(Needle::exact(hex(bytes, digits)));
    }
    add_base64(bytes, needles);
    // Encoded twice, the first time by what made a URL, a JSON text or a variable of it.
    let is_plain = |c: &u8| c.is_ascii_alphanumeric() || b"-._~".contains(c);
    if !bytes.iter().all(is_plain) {
        add_base64(&percent(bytes, is_plain), needles);
    }
    if let Some(escaped) = escaped(value) {
        add_base64(&escaped, needles);
    }
    for offset in 0..3 {
        let inner = base64(bytes, offset, *b"+/");
        add_base64(&inner, needles);
        if inner.iter().any(|c| b"+/".contains(c)) {
            add_base64(&base64(bytes, offset, *b"-_"), needles);
        }
    }
}

fn add_base64(bytes: &[u8], needles: &mut Vec<Needle>) {
    for last in [b"+/", b"-_"] {
        for offset in 0..3 {
            let is_cut_after = !(offset + bytes.len()).is_multiple_of(3);
            needles.push(Needle::base64(base64(bytes, offset, *last), offset != 0, is_cut_after));
        }
    }
}

/// As a URL has it, with all escaped that may be.
fn percent(bytes: &[u8], is_plain: impl Fn(&u8) -> bool) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(Vec::with_capacity(3 * bytes.len()));
    for byte in bytes {
        match is_plain(byte) {
            true => out.push(*byte),
            false => {
                out.push(b'%');
                out.extend_from_slice(&hex(&[*byte], b"0123456789ABCDEF"));
            }
        }
    }
    out
}

/// As a JSON string has it, where that is not the value itself.
fn escaped(value: &str) -> Option<Zeroizing<Vec<u8>>> {
    if !value.contains(|c: char| c.is_ascii_control() || matches!(c, '"' | '\\')) {
        return None;
    }
    // Large enough at once: what grows leaves copies behind.
    let mut quoted = Zeroizing::new(Vec::with_capacity(6 * value.len() + 2));
    serde_json::to_writer(&mut *quoted, value).ok()?;
    quoted.pop();
    quoted.remove(0);
    Some(quoted)
}

fn hex(bytes: &[u8], digits: &[u8; 16]) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(Vec::with_capacity(2 * bytes.len()));
    for byte in bytes {
        out.push(digits[usize::from(byte >> 4)]);
        out.push(digits[usize::from(byte & 15)]);
    }
    out
}

/// The characters that depend on nothing but these bytes, when they stand `offset` bytes after the
/// start of a group of three.
fn base64(bytes: &[u8], offset: usize, last: [u8; 2]) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(Vec::with_capacity(bytes.len() * 4 / 3 + 1));
    // The first bits share a character with the byte before.
    let mut skipped = [0, 4, 2][offset];
    let (mut pending, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        pending = pending << 8 | u32::from(*byte);
        bits += 8;
        bits -= std::mem::take(&mut skipped);
        while bits >= 6 {
            bits -= 6;
            let digit = u8::try_from(pending >> bits & 63).unwrap_or_default();
            out.push(match digit {
                0..26 => b'A' + digit,
                26..52 => b'a' + digit - 26,
                52..62 => b'0' + digit - 52,
                62 => last[0],
                _ => last[1],
            });
        }
        pending &= (1 << bits) - 1;
    }
    out
}

#[cfg(test)]
mod tests;
