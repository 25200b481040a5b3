//! A server's standard error cut into lines, for whoever hears them as they come.
//!
//! The lines are as they were written: masking them and making them visible is for who shows them.
//! What is told with a failure is the business of the tail.

use super::process_listener::ProcessEars;

/// A longer line is only told to have been there: a part of it could hold a part of a secret, which
/// nobody would know for one.
const LINE_BYTES: usize = 16 * 1024;

/// The lines of one process.
pub(crate) struct Complaints {
    hear: Option<ProcessEars>,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    is_too_long: bool,
}

impl Complaints {
    pub(crate) fn new(hear: Option<ProcessEars>) -> Self {
        Self { hear, partial: Vec::new(), is_too_long: false }
    }

    /// Takes the next bytes, wherever they were cut.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        if self.hear.is_none() {
            return;
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.is_too_long |= self.partial.len() + piece.len() > LINE_BYTES;
            match self.is_too_long {
                true => self.partial.clear(),
                false => self.partial.extend_from_slice(piece),
            }
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// Tells the line so far. Also for the last one, which may have no end.
    pub(crate) fn end_line(&mut self) {
        let line = match std::mem::take(&mut self.is_too_long) {
            true => format!("(a line of more than {LINE_BYTES} bytes)").into(),
            false => String::from_utf8_lossy(&self.partial),
        };
        let line = line.trim_end();
        if let Some(hear) = self.hear.as_ref().filter(|_| !line.is_empty()) {
            hear.complains(line);
        }
        self.partial.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    fn heard(pieces: &[&[u8]]) -> Vec<String> {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let hear: ProcessEars = Arc::new(move |line: &str| kept.lock().push(line.to_owned()));
        let mut complaints = Complaints::new(Some(hear));
        for piece in pieces {
            complaints.feed(piece);
        }
        complaints.end_line();
        lines.lock().clone()
    }

    #[test]
    fn every_line_is_told_once_wherever_the_bytes_were_cut() {
        assert_eq!(heard(&[b"on", b"e\r\n\n  two\nthr", b"ee"]), ["one", "  two", "three"]);
        assert_eq!(heard(&[b"a\xff\x1b[2J\n"]), ["a\u{fffd}\u{1b}[2J"]);
    }

    #[test]
    fn an_endless_line_is_named_and_the_next_one_is_whole() {
        let lines = heard(&[&[b'x'; LINE_BYTES], &[b'y'; 4096], b"z\nnext\n"]);
        assert_eq!(lines, ["(a line of more than 16384 bytes)", "next"]);
    }
}
