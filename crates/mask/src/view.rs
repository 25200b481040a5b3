//! A text with its escapes undone, every byte of it knowing where it came from.
//!
//! So a secret is found however it was escaped, and exactly what spelt it is masked.

use std::ops::Range;

use super::needle::Needles;

/// How often escapes are undone: a URL inside a JSON string has two kinds, JSON inside JSON one
/// kind twice.
const DEEPEST: usize = 2;

#[derive(Debug)]
pub(super) struct DecodedView {
    bytes: Vec<u8>,
    /// Where each byte was written, and at last where the text ended.
    starts: Vec<usize>,
}

impl DecodedView {
    /// With the escapes of JSON undone, and those of [`toolgate_types::visible`]. Half a pair of surrogates counts as U+FFFD.
    pub(super) fn unescaped(text: &[u8]) -> Self {
        Self::made(text, b'\\', |rest| {
            let (&b'\\', [kind, after @ ..]) = rest.split_first()? else { return None };
            let plain = match kind {
                b'"' | b'\\' | b'/' | b'\'' => *kind,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => return unicode(after).map(|(c, digits)| (c, digits + 2)),
                _ => return None,
            };
            Some((char::from(plain), 2))
        })
    }

    /// With percent signs undone, and with `+` read as a space if forms write it so.
    fn percent_decoded(text: &[u8], plus_is_space: bool) -> Self {
        let mut view = Self::with_capacity(text.len());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
            let (plain, length) = match digits.and_then(hexadecimal) {
                Some(code) => (u8::try_from(code).unwrap_or_default(), 3),
                None if plus_is_space && *byte == b'+' => (b' ', 1),
                None => (*byte, 1),
            };
            view.bytes.push(plain);
            view.starts.push(at);
            at += length;
        }
        view.starts.push(text.len());
        view
    }

    /// With the entities of HTML undone; nothing where there is none.
    pub(super) fn without_entities(text: &[u8]) -> Option<Self> {
        if !text.contains(&b'&') || !text.contains(&b';') {
            return None;
        }
        let view = Self::made(text, b'&', entity);
        (view.bytes.len() != text.len()).then_some(view)
    }

    /// With every escape undone that begins with this sign.
    fn made(text: &[u8], sign: u8, escape: impl Fn(&[u8]) -> Option<(char, usize)>) -> Self {
        let mut view = Self::with_capacity(text.len());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            let found = if *byte == sign { escape(&text[at..]) } else { None };
            let length = match found {
                Some((c, length)) => {
                    view.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    length
                }
                None => {
                    view.bytes.push(*byte);
                    1
                }
            };
            view.starts.resize(view.bytes.len(), at);
            at += length;
        }
        view.starts.push(text.len());
        view
    }

    fn with_capacity(length: usize) -> Self {
        Self { bytes: Vec::with_capacity(length), starts: Vec::with_capacity(length + 1) }
    }

    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Where a range of the view was written.
    pub(super) fn written(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.starts.get(range.start).copied().unwrap_or_default();
        let last = range.end.checked_sub(1).and_then(|last| self.starts.get(last));
        // The bytes of one character share one escape; its end is where the next one starts.
        let rest = self.starts.get(range.end..).unwrap_or_default();
        let end = rest.iter().find(|end| Some(*end) != last).copied();
        start..end.unwrap_or(start)
    }

    /// A range of what was written, made to cut no escape in two.
    pub(super) fn whole_escapes(&self, written: &Range<usize>) -> Range<usize> {
        let before = self.starts.partition_point(|start| *start <= written.start);
        let after = self.starts.partition_point(|start| *start < written.end);
        let start = before.checked_sub(1).and_then(|before| self.starts.get(before));
        let end = self.starts.get(after);
        start.copied().unwrap_or(written.start)..end.copied().unwrap_or(written.end)
    }
}

/// Where a text holds the value of a secret, plain or escaped.
pub(super) fn find_values(needles: &Needles, text: &[u8], found: &mut Vec<Range<usize>>) {
    if !needles.is_empty() {
        find_below(needles, text, DEEPEST, found);
    }
}

fn find_below(needles: &Needles, text: &[u8], deeper: usize, found: &mut Vec<Range<usize>>) {
    needles.find(text, found);
    let Some(deeper) = deeper.checked_sub(1) else { return };
    let mut look = |view: DecodedView| {
        let mut inside = Vec::new();
        find_below(needles, &view.bytes, deeper, &mut inside);
        found.extend(inside.iter().map(|range| view.written(range)));
    };
    let has_percent = text.contains(&b'%');
    if text.contains(&b'\\') {
        look(DecodedView::unescaped(text));
    }
    if has_percent {
        look(DecodedView::percent_decoded(text, false));
    }
    if let Some(view) = DecodedView::without_entities(text) {
        look(view);
    }
    if needles.has_space() && text.contains(&b'+') {
        look(DecodedView::percent_decoded(text, true));
    }
}

/// The character that an entity at the begin of a text stands for, and how many bytes it took. Of
/// the names only those that escaping uses: others are for people to write.
fn entity(text: &[u8]) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    const NAMES: [(&[u8], char); 5] =
        [(b"quot", '"'), (b"amp", '&'), (b"lt", '<'), (b"gt", '>'), (b"apos", '\'')];
    let end = text.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let c = match text.get(1..end)? {
        [b'#', b'x' | b'X', digits @ ..] if !digits.is_empty() => {
            char::from_u32(hexadecimal(digits)?)?
        }
        [b'#', digits @ ..] => char::from_u32(std::str::from_utf8(digits).ok()?.parse().ok()?)?,
        name => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, end + 1))
}

/// A character from the digits after `\u`, and how many bytes it took.
fn unicode(digits: &[u8]) -> Option<(char, usize)> {
    const MOST_DIGITS: usize = 6;
    if let Some(braced) = digits.strip_prefix(b"{") {
        let end = braced.iter().take(MOST_DIGITS + 1).position(|byte| *byte == b'}')?;
        let end = Some(end).filter(|end| *end > 0)?;
        return Some((char::from_u32(hexadecimal(&braced[..end])?)?, end + 2));
    }
    let first = hexadecimal(digits.get(..4)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 4));
    }
    let second = digits.get(4..10).filter(|next| next.starts_with(b"\\u"));
    let second = second.and_then(|next| hexadecimal(&next[2..]));
    let pair = second.filter(|low| first < 0xdc00 && (0xdc00..0xe000).contains(low));
    let joined =
        pair.and_then(|low| char::from_u32(((first & 0x3ff) << 10 | low & 0x3ff) + 0x1_0000));
    Some(joined.map_or((char::REPLACEMENT_CHARACTER, 4), |c| (c, 10)))
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests;
