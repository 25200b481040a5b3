//! Many byte strings looked for at once, in one pass.
//!
//! A filter over the first six bytes rules out nearly every place; a binary search finds the
//! longest string at what is left. A ready-made automaton would do as well, but none wipes what it
//! learnt: here all that remembers a secret is wiped when it goes.

use std::ops::Range;

use zeroize::Zeroizing;

/// Below this many bytes a value occurs in other text by chance.
pub(super) const SHORTEST: usize = 6;

/// One byte string, and whether a match covers its neighbours.
#[derive(Clone)]
pub(super) struct Needle {
    bytes: Zeroizing<Vec<u8>>,
    /// The characters of base64 on either side hold some bits of the secret too.
    before: bool,
    after: bool,
}

impl Needle {
    pub(super) fn exact(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self { bytes, before: false, after: false }
    }

    pub(super) fn base64(bytes: Zeroizing<Vec<u8>>, before: bool, after: bool) -> Self {
        Self { bytes, before, after }
    }

    fn cover(&self, text: &[u8], mut range: Range<usize>) -> Range<usize> {
        let is_digit = |at: usize| {
            text.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || b"+/-_".contains(c))
        };
        if self.before && range.start > 0 && is_digit(range.start - 1) {
            range.start -= 1;
        }
        if self.after {
            range.end += usize::from(is_digit(range.end));
            let rest = text.get(range.end..).unwrap_or_default();
            range.end += rest.iter().take(2).take_while(|c| **c == b'=').count();
        }
        range
    }
}

#[derive(Default)]
pub(super) struct Needles {
    /// Sorted, each one once.
    sorted: Vec<Needle>,
    /// For each the longest other one that it begins with.
    shorter: Vec<Option<usize>>,
    filter: Zeroizing<Vec<u64>>,
    has_space: bool,
}

impl Needles {
    pub(super) fn new(mut needles: Vec<Needle>) -> Self {
        needles.retain(|needle| needle.bytes.len() >= SHORTEST);
        needles.sort_by(|a, b| a.bytes.cmp(&b.bytes));
        needles.dedup_by(|again, kept| {
            let is_same = again.bytes == kept.bytes;
            kept.before |= is_same && again.before;
            kept.after |= is_same && again.after;
            is_same
        });
        let words = (needles.len() / 2).next_power_of_two().clamp(16, 1 << 16);
        let mut filter = Zeroizing::new(vec![0; words]);
        let mut shorter = Vec::with_capacity(needles.len());
        for (index, needle) in needles.iter().enumerate() {
            let mut start = 0;
            needle.bytes[..SHORTEST].iter().for_each(|byte| start = rolled(start, *byte));
            let (word, bit) = slot(start, words);
            filter[word] |= bit;
            let mut candidate = index.checked_sub(1);
            while let Some(at) = candidate
                && !needle.bytes.starts_with(&needles[at].bytes)
            {
                candidate = shorter[at];
            }
            shorter.push(candidate);
        }
        let has_space = needles.iter().any(|needle| needle.bytes.contains(&b' '));
        Self { sorted: needles, shorter, filter, has_space }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Whether one holds a space, which forms write as `+`.
    pub(super) fn has_space(&self) -> bool {
        self.has_space
    }

    pub(super) fn to_vec(&self) -> Vec<Needle> {
        self.sorted.clone()
    }

    /// Where the text holds one, the longest at each place.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Range<usize>>) {
        if self.is_empty() {
            return;
        }
        let words = self.filter.len();
        let mut window = 0;
        for (last, byte) in text.iter().enumerate() {
            window = rolled(window, *byte);
            let (word, bit) = slot(window, words);
            if self.filter[word] & bit != 0
                && let Some(start) = (last + 1).checked_sub(SHORTEST)
                && let Some(needle) = self.longest_at(&text[start..])
            {
                found.push(needle.cover(text, start..start + needle.bytes.len()));
            }
        }
    }

    /// Sorted, whatever the text begins with stands before it, and what stands right before it
    /// begins with all of those.
    fn longest_at(&self, text: &[u8]) -> Option<&Needle> {
        let after = self.sorted.partition_point(|needle| needle.bytes.as_slice() <= text);
        let mut candidate = after.checked_sub(1);
        while let Some(at) = candidate {
            if text.starts_with(&self.sorted[at].bytes) {
                return Some(&self.sorted[at]);
            }
            candidate = self.shorter[at];
        }
        None
    }
}

/// The last six bytes of a text, one byte on.
fn rolled(window: u64, byte: u8) -> u64 {
    window >> 8 | u64::from(byte) << 40
}

/// A bit of the filter; `words` is a power of two.
fn slot(window: u64, words: usize) -> (usize, u64) {
    let hash = window.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = usize::try_from(hash >> 40).unwrap_or_default() & (words - 1);
    (word, 1 << (hash >> 34 & 63))
}

#[cfg(test)]
mod tests;
