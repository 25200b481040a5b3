//! The strings of JSON text: where one ends, what it means, how one is written.
//!
//! A string keeps its spelling until somebody asks what it means. Half of a surrogate pair is
//! passed on, as programs in JavaScript send it; it only has no meaning as Rust text.

use std::borrow::Cow;

use memchr::memchr;

/// What stands between the quotes, as it is spelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawStr<'a> {
    body: &'a str,
    escaped: bool,
}

impl<'a> RawStr<'a> {
    pub(crate) fn new(body: &'a str) -> Self {
        Self { body, escaped: memchr(b'\\', body.as_bytes()).is_some() }
    }

    /// From a scan that has seen whether there are escapes.
    pub(super) fn scanned(body: &'a str, escaped: bool) -> Self {
        Self { body, escaped }
    }

    /// From the text of a JSON value, if that is a string.
    pub(crate) fn from_json(json: &'a str) -> Option<Self> {
        json.strip_prefix('"')?.strip_suffix('"').map(Self::new)
    }

    pub(crate) fn spelled(self) -> &'a str {
        self.body
    }

    pub(crate) fn is(self, text: &str) -> bool {
        if self.escaped { *self.bytes() == *text.as_bytes() } else { self.body == text }
    }

    /// `None` for half of a surrogate pair, which no Rust string can hold.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        if !self.escaped {
            return Some(Cow::Borrowed(self.body));
        }
        String::from_utf8(unescape_loosely(self.body).into_owned()).ok().map(Cow::Owned)
    }

    /// Its meaning, where that is simply how it is spelled.
    pub(crate) fn plain(self) -> Option<&'a str> {
        (!self.escaped).then_some(self.body)
    }

    /// The unescaped bytes; half of a surrogate pair is encoded like any other code point.
    pub(crate) fn bytes(self) -> Cow<'a, [u8]> {
        unescape_loosely(self.body)
    }

    /// For a message to a person.
    pub(crate) fn shown(self) -> String {
        String::from_utf8_lossy(&self.bytes()).chars().take(64).collect()
    }
}

/// The first byte at or after `at` that a string may not simply contain: a quote, a backslash or a
/// control character; the length of the text if there is none.
#[inline]
pub(super) fn find_special(text: &[u8], at: usize) -> usize {
    const WORDS_BEFORE_BLOCKS: usize = 4;
    let mut rest = text.get(at..).unwrap_or_default();
    // Most strings are short: eight bytes at a time, and only then the blocks that a compiler turns
    // into vector instructions.
    for _ in 0..WORDS_BEFORE_BLOCKS {
        let Some((word, after)) = rest.split_first_chunk::<8>() else { break };
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return text.len() - rest.len() + special.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    find_special_in_blocks(text, rest)
}

/// The same for the rest of a long string, or of a short text.
fn find_special_in_blocks(text: &[u8], mut rest: &[u8]) -> usize {
    while let Some((block, after)) = rest.split_first_chunk::<64>() {
        if block.iter().fold(false, |found, byte| found | is_special(*byte)) {
            break;
        }
        rest = after;
    }
    let found = rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len());
    text.len() - rest.len() + found
}

fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Marks the high bit of special bytes. Exact up to and including the lowest one, which is all that
/// is asked of it: a borrow can only reach bytes above a match.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let below = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let zero_in = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    (below | zero_in(quote) | zero_in(backslash)) & HIGH
}

/// Borrowed if there is nothing to unescape. What is not an escape is kept as it stands.
fn unescape_loosely(body: &str) -> Cow<'_, [u8]> {
    let mut rest = body.as_bytes();
    let Some(mut next) = memchr(b'\\', rest) else { return Cow::Borrowed(rest) };
    let mut out = Vec::with_capacity(rest.len());
    loop {
        let (before, escape) = rest.split_at(next);
        out.extend_from_slice(before);
        rest = unescape_one(escape, &mut out);
        match memchr(b'\\', rest) {
            Some(found) => next = found,
            None => break,
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Appends the meaning of the escape at the start and returns what follows it.
fn unescape_one<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (byte, after) = match escape {
        [b'\\', b'u', after @ ..] => return unescape_unicode(after, out),
        [b'\\', b'b', after @ ..] => (0x08, after),
        [b'\\', b'f', after @ ..] => (0x0C, after),
        [b'\\', b'n', after @ ..] => (b'\n', after),
        [b'\\', b'r', after @ ..] => (b'\r', after),
        [b'\\', b't', after @ ..] => (b'\t', after),
        [b'\\', other, after @ ..] => (*other, after),
        [other, after @ ..] => (*other, after),
        [] => return escape,
    };
    out.push(byte);
    after
}

fn unescape_unicode<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some((high, after)) = four_hex_digits(digits) else { return digits };
    if let (0xD800..0xDC00, [b'\\', b'u', low @ ..]) = (high, after)
        && let Some((low @ 0xDC00..0xE000, after)) = four_hex_digits(low)
    {
        push_code_point(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), out);
        return after;
    }
    push_code_point(high, out);
    after
}

fn four_hex_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, after) = text.split_first_chunk::<4>()?;
    let mut value = 0;
    for digit in digits {
        value = value * 16 + (*digit as char).to_digit(16)?;
    }
    Some((value, after))
}

fn push_code_point(point: u32, out: &mut Vec<u8>) {
    match char::from_u32(point) {
        Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        None => {
            let six = |shift: u32| 0x80 | ((point >> shift) & 0x3F) as u8;
            out.extend_from_slice(&[0xE0 | (point >> 12) as u8, six(6), six(0)]);
        }
    }
}

/// Writes the text as a JSON string, escaping only what must be.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.push(b'"');
    let mut from = 0;
    loop {
        let special = find_special(bytes, from);
        out.extend_from_slice(bytes.get(from..special).unwrap_or_default());
        let Some(byte) = bytes.get(special) else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => {
                let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
                let (high, low) = (digit(control >> 4), digit(control & 0xF));
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            }
        }
        from = special + 1;
    }
    out.push(b'"');
}
