//! The last lines of a server's standard error, bounded in lines and bytes.
//!
//! A line is kept whole or not at all: masking is for who shows it, and half a secret is not known.

use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;

use toolgate_types::visible;

const LINES: usize = 20;
const LINE_BYTES: usize = 8 * 1024;

/// Keeps the last few lines; a server that writes for days costs no more than one that wrote once.
#[derive(Debug, Default)]
pub(crate) struct StderrTail(Mutex<TailLines>);

#[derive(Debug, Default)]
struct TailLines {
    lines: VecDeque<String>,
    /// The start of a line whose end has not come yet; one byte more than is kept tells that the
    /// line is too long.
    partial: Vec<u8>,
}

impl StderrTail {
    fn kept(&self) -> MutexGuard<'_, TailLines> {
        self.0.lock()
    }

    /// Takes the next bytes, wherever they were cut.
    pub(crate) fn feed(&self, bytes: &[u8]) {
        let mut kept = self.kept();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = (LINE_BYTES + 1).saturating_sub(kept.partial.len());
            kept.partial.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                kept.end_line();
            }
        }
    }

    /// The lines joined, an unfinished last one included; nothing if there were none.
    pub(crate) fn text(&self) -> Option<String> {
        let kept = self.kept();
        let mut lines: Vec<String> = kept.lines.iter().cloned().collect();
        lines.extend(shown(&kept.partial));
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl TailLines {
    fn end_line(&mut self) {
        if let Some(line) = shown(&std::mem::take(&mut self.partial)) {
            if self.lines.len() == LINES {
                self.lines.pop_front();
            }
            self.lines.push_back(line);
        }
    }
}

fn shown(line: &[u8]) -> Option<String> {
    if line.len() > LINE_BYTES {
        return Some(format!("(a line of more than {LINE_BYTES} bytes)"));
    }
    let text = visible(String::from_utf8_lossy(line).trim_end());
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines_and_makes_them_visible() {
        let tail = StderrTail::default();
        assert_eq!(tail.text(), None);
        for n in 0..100 {
            tail.feed(format!("line {n}\r\n").as_bytes());
        }
        tail.feed(b"  \n\x1b[31m");
        tail.feed(b"red\xff\nhalf");
        let text = tail.text().unwrap();
        assert!(text.starts_with("line 81\n"), "{text}");
        assert!(text.ends_with("\\u{1b}[31mred\u{fffd}\nhalf"), "{text}");
    }

    #[test]
    fn an_endless_line_costs_a_fixed_amount_and_no_part_of_it_is_told() {
        let tail = StderrTail::default();
        for _ in 0..1000 {
            tail.feed(&[b'x'; 4096]);
        }
        assert!(tail.kept().partial.len() <= LINE_BYTES + 1);
        let remark = "(a line of more than 8192 bytes)";
        assert_eq!(tail.text().as_deref(), Some(remark));
        tail.feed(b"\nshort\n");
        tail.feed(&[b'y'; LINE_BYTES]);
        let whole = "y".repeat(LINE_BYTES);
        assert_eq!(tail.text().unwrap(), format!("{remark}\nshort\n{whole}"));
    }
}
