//! Bytes as they are read, without a character cut in two: its beginning waits for the rest.

/// What is held back of one stream.
#[derive(Debug, Default)]
pub(super) struct WholeCharacters(Vec<u8>);

impl WholeCharacters {
    /// These bytes and what was held back before, up to the last whole character. What is no text passes
    /// as it is.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.0);
        all.extend_from_slice(bytes);
        self.0 = all.split_off(all.len() - begun(&all));
        all
    }

    /// What is still held back, at the end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// How many bytes at the end begin a character that goes on.
fn begun(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let length = match bytes[bytes.len() - back] {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_cut_wherever_the_bytes_are() {
        let text = "aß€𝄞z".as_bytes();
        for size in 1..=text.len() {
            let mut whole = WholeCharacters::default();
            let mut all = Vec::new();
            for piece in text.chunks(size) {
                let fed = whole.feed(piece);
                assert!(std::str::from_utf8(&fed).is_ok(), "{fed:?}");
                all.extend(fed);
            }
            assert!(whole.rest().is_empty());
            assert_eq!(all, text);
        }
    }

    #[test]
    fn what_is_no_text_passes_byte_for_byte() {
        let bytes: Vec<u8> = (0..=255).rev().collect();
        let mut whole = WholeCharacters::default();
        let mut all = Vec::new();
        for piece in bytes.chunks(7) {
            all.extend(whole.feed(piece));
        }
        all.extend(whole.rest());
        assert_eq!(all, bytes);
    }
}
