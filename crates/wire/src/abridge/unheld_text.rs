//! Whether the part of a string that nobody holds is text as JSON has it: what is held is found out by
//! reading it.

/// Takes such parts in any pieces.
#[derive(Debug, Default)]
pub(super) struct UnheldText {
    is_broken: bool,
    /// The beginning of a character whose rest is still to come.
    begun: Vec<u8>,
}

/// The longest character in UTF-8.
const CHARACTER: usize = 4;

impl UnheldText {
    /// Bytes that are neither a quote nor part of an escape.
    pub(super) fn plain(&mut self, bytes: &[u8]) {
        if self.is_broken {
            return;
        }
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first()
            && !self.begun.is_empty()
        {
            self.begun.push(*byte);
            rest = after;
            self.look_at_begun();
        }
        // A loop without a way out of it, which is many bytes at a time.
        let has_controls = rest.iter().fold(false, |found, byte| found | (*byte < 0x20));
        match std::str::from_utf8(rest) {
            Ok(_) => {}
            Err(error) if error.error_len().is_none() => {
                self.begun.extend_from_slice(&rest[error.valid_up_to()..]);
            }
            Err(_) => self.is_broken = true,
        }
        self.is_broken |= has_controls;
    }

    fn look_at_begun(&mut self) {
        match std::str::from_utf8(&self.begun) {
            Ok(_) => self.begun.clear(),
            Err(error) if error.error_len().is_none() && self.begun.len() < CHARACTER => {}
            Err(_) => {
                self.is_broken = true;
                self.begun.clear();
            }
        }
    }

    /// A quote or a backslash comes.
    pub(super) fn interrupted(&mut self) {
        self.is_broken |= !self.begun.is_empty();
    }

    /// The character after a backslash.
    pub(super) fn escaped(&mut self, byte: u8) {
        self.is_broken |= !br#""\/bfnrtu"#.contains(&byte);
    }

    /// One of the four after `\u`.
    pub(super) fn digit(&mut self, byte: u8) {
        self.is_broken |= !byte.is_ascii_hexdigit();
    }

    pub(super) fn is_sound(&self) -> bool {
        !self.is_broken
    }
}
