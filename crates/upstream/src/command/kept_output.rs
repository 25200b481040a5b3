//! What is held of a command's output: its beginning, and its end where it is longer than that. However
//! much a command prints, no more is held.

use toolgate_types::PrintedStream;

/// So much of standard output is held whole; what is longer goes to a file, where there is one.
pub(super) const WHOLE: usize = 1 << 20;
/// How much is held of the end of what is longer.
const TAIL: usize = 64 << 10;
/// How much is held of standard error: what a program says last is why it ended.
const STDERR_TAIL: usize = 16 << 10;
/// How much of it a caller is told.
const STDERR_LINES: usize = 40;

/// Both streams.
#[derive(Debug)]
pub(super) struct KeptOutput {
    pub(super) stdout: KeptStream,
    pub(super) stderr: KeptStream,
}

impl Default for KeptOutput {
    fn default() -> Self {
        Self { stdout: KeptStream::new(WHOLE, TAIL), stderr: KeptStream::new(0, STDERR_TAIL) }
    }
}

impl KeptOutput {
    pub(super) fn feed(&mut self, stream: PrintedStream, bytes: &[u8]) {
        match stream {
            PrintedStream::Stdout => self.stdout.feed(bytes),
            PrintedStream::Stderr => self.stderr.feed(bytes),
        }
    }

    /// Holds nothing but how much there was.
    pub(super) fn only_count(&mut self, (stdout, stderr): (u64, u64)) {
        (self.stdout.total, self.stderr.total) = (stdout, stderr);
    }

    /// Both, one after the other; nothing where nothing was printed.
    pub(super) fn text(&self) -> Option<String> {
        let stdout = self.stdout.text();
        let stderr = self.stderr_tail().map(|tail| format!("[stderr]\n{tail}"));
        let parts = [Some(stdout).filter(|text| !text.is_empty()), stderr];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// The end of what it said on both streams, in small letters.
    pub(super) fn complaint(&self) -> String {
        let stdout = self.stdout.text();
        let from = stdout.ceil_char_boundary(stdout.len().saturating_sub(STDERR_TAIL));
        let said = [self.stderr.text(), stdout[from..].to_owned()].join("\n");
        said.to_lowercase()
    }

    /// The last lines of standard error.
    pub(super) fn stderr_tail(&self) -> Option<String> {
        let text = self.stderr.text();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let from = lines.len().saturating_sub(STDERR_LINES);
        let tail = lines[from..].join("\n");
        (!tail.is_empty()).then_some(tail)
    }
}

/// One stream.
#[derive(Debug)]
pub(super) struct KeptStream {
    head: Vec<u8>,
    head_most: usize,
    tail: Vec<u8>,
    tail_most: usize,
    total: u64,
}

impl KeptStream {
    fn new(head_most: usize, tail_most: usize) -> Self {
        Self { head: Vec::new(), head_most, tail: Vec::new(), tail_most, total: 0 }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_most - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        // Not with every piece, so that little is moved.
        if self.tail.len() > 2 * self.tail_most {
            self.tail.drain(..self.tail.len() - self.tail_most);
        }
    }

    /// How much there was in all.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// All of it, where all of it is held.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        self.tail.is_empty().then_some(&self.head)
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// What is held, with a mark where something is not.
    pub(super) fn text(&self) -> String {
        let from = self.tail.len().saturating_sub(self.tail_most);
        let tail = &self.tail[from..];
        let left_out = self.total - (self.head.len() + tail.len()) as u64;
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if left_out > 0 {
            text.push_str(&format!("\n[{left_out} bytes are left out here]\n"));
        }
        text.push_str(&String::from_utf8_lossy(tail));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_held_whole_and_of_the_rest_beginning_and_end() {
        let mut kept = KeptStream::new(4, 3);
        kept.feed(b"ab");
        assert_eq!((kept.whole(), kept.text().as_str()), (Some(&b"ab"[..]), "ab"));
        kept.feed(b"cd");
        assert_eq!(kept.whole(), Some(&b"abcd"[..]));
        kept.feed(b"ef");
        assert_eq!((kept.whole(), kept.text().as_str()), (None, "abcdef"));
        kept.feed(b"ghijklmnop");
        assert_eq!(kept.text(), "abcd\n[9 bytes are left out here]\nnop");
        assert_eq!(kept.total(), 16);
    }

    #[test]
    fn however_much_comes_little_is_held() {
        let mut kept = KeptOutput::default();
        for _ in 0..2_000 {
            kept.feed(PrintedStream::Stdout, &[b'x'; 8192]);
            kept.feed(PrintedStream::Stderr, &[b'y'; 8192]);
        }
        let held = |one: &KeptStream| one.head.len() + one.tail.len();
        assert!(held(&kept.stdout) <= WHOLE + 3 * TAIL, "{}", held(&kept.stdout));
        assert!(held(&kept.stderr) <= 3 * STDERR_TAIL, "{}", held(&kept.stderr));
    }
}
