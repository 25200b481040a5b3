//! Which three bytes stand beside each other somewhere in a text, as far as kinds of bytes are told apart.
//!
//! A short text has too few pieces for a table of those: what stands there by chance is taken for it. Here nothing
//! does; in exchange a large letter is taken for a small one, and a sign for another of its kind.

/// The letters, the digits, and what [`kind`] says of the rest.
const KINDS: usize = 26 + 10 + 6;

/// One bit for each three kinds.
const BITS: usize = KINDS * KINDS * KINDS;

/// The longest text that is looked for here too: a longer one has pieces enough.
const LONGEST: usize = 8;

/// Those of some texts.
#[derive(Debug, Clone)]
pub(super) struct TrioTable(Vec<u8>);

impl Default for TrioTable {
    fn default() -> Self {
        Self(vec![0; BITS.div_ceil(8)])
    }
}

impl TrioTable {
    pub(super) fn add(&mut self, text: &str) {
        for trio in trios(text) {
            self.0[trio / 8] |= 1 << (trio % 8);
        }
    }

    /// As it is kept.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn is_covered_by(&self, kept: &[u8]) -> bool {
        kept.len() == self.0.len() && self.0.iter().zip(kept).all(|(own, kept)| own & !kept == 0)
    }
}

/// Those of a text that is looked for, where it is short.
pub(super) fn sought(part: &str) -> Vec<usize> {
    if part.len() > LONGEST { Vec::new() } else { trios(part).collect() }
}

/// Whether they are all in a table that was kept; of another length, it says nothing.
pub(super) fn may_have(kept: &[u8], sought: &[usize]) -> bool {
    let is_set = |trio: &usize| kept[trio / 8] & (1 << (trio % 8)) != 0;
    kept.len() != BITS.div_ceil(8) || sought.iter().all(is_set)
}

fn trios(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(3).map(|trio| {
        trio.iter().fold(0, |number, byte| number * KINDS + usize::from(KIND[usize::from(*byte)]))
    })
}

/// Of each byte.
const KIND: [u8; 256] = {
    let (mut all, mut byte) = ([0; 256], 0);
    while byte < 256 {
        all[byte] = kind(byte as u8);
        byte += 1;
    }
    all
};

const fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' => byte - b'0' + 26,
        0..=b' ' => 36,
        b'"' | b'\'' | b'`' => 37,
        b'{' | b'}' | b'[' | b']' | b'(' | b')' | b':' | b',' | b';' => 38,
        b'-' | b'_' | b'.' | b'/' | b'\\' => 39,
        0x80.. => 40,
        _ => 41,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(texts: &[&str]) -> TrioTable {
        let mut table = TrioTable::default();
        texts.iter().for_each(|text| table.add(text));
        table
    }

    #[test]
    fn every_kind_has_a_number_of_its_own_below_their_count() {
        let mut seen = [false; KINDS];
        KIND.iter().for_each(|kind| seen[usize::from(*kind)] = true);
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn a_short_text_is_found_where_it_is_and_nearly_nowhere_else() {
        let kept = table(&["{\"error\":\"no such branch\"}", "zzz 999"]);
        let may = |part| may_have(kept.bytes(), &sought(part));
        for part in ["suc", "bran", "\":\"", "zzz", "z 9", "999", "no such"] {
            assert!(may(part), "{part}");
        }
        for part in ["ran!", "xyz", "~~~", "998", "err:"] {
            assert!(!may(part), "{part}");
        }
        // Too short, or so long that others tell.
        assert!(may("") && may("xy") && sought("rhododendron").is_empty());
    }

    #[test]
    fn it_covers_what_was_added_and_nothing_else() {
        let kept = table(&["the first", "and more"]);
        assert!(table(&["first"]).is_covered_by(kept.bytes()));
        assert!(!table(&["second"]).is_covered_by(kept.bytes()));
        assert!(!table(&["first"]).is_covered_by(&kept.bytes()[1..]));
    }
}
