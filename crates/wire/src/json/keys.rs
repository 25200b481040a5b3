//! The keys of the objects that are open while scanning, and whether one is there twice.
//!
//! One stack for the whole message, which most messages find room in without an allocation. Keys are
//! compared after unescaping, since `"a"` and `"\u0061"` are one key to every other reader.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::strings::RawStr;

/// Up to this many keys, comparing each with each is cheaper than sorting.
const FEW: usize = 16;

/// A key by its place in the text, with its first eight bytes to tell most keys apart at once.
#[derive(Debug, Clone, Copy)]
struct KeySpan {
    first: u64,
    at: u32,
    length: u32,
}

impl KeySpan {
    fn body<'a>(&self, text: &'a str) -> &'a str {
        let from = self.at as usize;
        text.get(from..from + self.length as usize).unwrap_or_default()
    }

    fn is(&self, other: &Self, text: &str) -> bool {
        self.first == other.first
            && self.length == other.length
            && (self.length <= 8 || self.body(text) == other.body(text))
    }

    fn order(&self, other: &Self, text: &str) -> Ordering {
        (self.first, self.length).cmp(&(other.first, other.length)).then_with(|| {
            if self.length <= 8 { Ordering::Equal } else { self.body(text).cmp(other.body(text)) }
        })
    }

    fn span(&self) -> (u32, u32) {
        (self.at, self.length)
    }
}

#[derive(Debug)]
pub(super) struct SeenKeys {
    open: SmallVec<[KeySpan; FEW]>,
}

impl SeenKeys {
    pub(super) fn new() -> Self {
        Self { open: SmallVec::new() }
    }

    /// The height of the stack, to be given back to [`SeenKeys::close`] or [`SeenKeys::forget`].
    pub(super) fn mark(&self) -> usize {
        self.open.len()
    }

    #[inline]
    pub(super) fn push(&mut self, text: &str, at: usize, length: usize) {
        let first = first_bytes(text.as_bytes(), at, length);
        self.open.push(KeySpan { first, at: at as u32, length: length as u32 });
    }

    /// Drops the keys above the mark.
    pub(super) fn forget(&mut self, mark: usize) {
        self.open.truncate(mark);
    }

    /// Ends an object: the place and length of a key that is there twice, if any.
    pub(super) fn close(&mut self, mark: usize, escaped: bool, text: &str) -> Option<(u32, u32)> {
        let keys = self.open.get_mut(mark..)?;
        let twice = match keys.len() {
            0 | 1 => None,
            _ if escaped => among_escaped(keys, text),
            2..=FEW => among_few(keys, text),
            _ => among_many(keys, text),
        };
        self.forget(mark);
        twice
    }
}

fn among_few(mut keys: &[KeySpan], text: &str) -> Option<(u32, u32)> {
    while let [key, later @ ..] = keys {
        if let Some(twice) = later.iter().find(|other| key.is(other, text)) {
            return Some(twice.span());
        }
        keys = later;
    }
    None
}

fn among_many(keys: &mut [KeySpan], text: &str) -> Option<(u32, u32)> {
    keys.sort_unstable_by(|one, other| one.order(other, text));
    keys.windows(2).find_map(|pair| match pair {
        [one, other] if one.is(other, text) => Some(one.span().max(other.span())),
        _ => None,
    })
}

/// The rare way: at least one key is written with escapes.
fn among_escaped(keys: &[KeySpan], text: &str) -> Option<(u32, u32)> {
    let mut plain: Vec<_> =
        keys.iter().map(|key| (RawStr::new(key.body(text)).bytes(), key.span())).collect();
    plain.sort_unstable();
    plain.windows(2).find_map(|pair| match pair {
        [one, other] if one.0 == other.0 => Some(other.1),
        _ => None,
    })
}

/// The first eight bytes as a number; a shorter key is filled up with zeros.
#[inline]
fn first_bytes(text: &[u8], at: usize, length: usize) -> u64 {
    let from = text.get(at..).unwrap_or_default();
    if let Some(eight) = from.first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        return if length >= 8 { word } else { word & ((1 << (8 * length)) - 1) };
    }
    let mut word = [0; 8];
    for (to, byte) in word.iter_mut().zip(from.iter().take(length)) {
        *to = *byte;
    }
    u64::from_le_bytes(word)
}
