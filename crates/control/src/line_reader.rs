//! LineReader as they come in: all that were read in one go, with every byte as it was.
//!
//! A line is kept until its end has come, however long it is, unless it is taken in parts: both ends of a
//! shim are the same user's, and the daemon refuses what is too long. What a line says is for others.

use std::io::{ErrorKind, Read, Result};

use memchr::{memchr, memrchr};

/// How much is asked for at once.
const AT_ONCE: usize = 64 * 1024;

/// What the buffer may keep after a long line.
const KEPT: usize = 4 * AT_ONCE;

/// What has come in.
#[derive(Debug, PartialEq, Eq)]
pub enum ArrivedLines<'b> {
    /// Whole lines, or at the end what stands after the last one.
    Whole(&'b [u8]),
    /// How a long line begins whose end has not come. It is still to be taken.
    Begun(&'b [u8]),
}

/// A stream and what of it was read and not taken yet.
#[derive(Debug)]
pub struct LineReader<R> {
    stream: R,
    buffer: Vec<u8>,
    /// What was handed out and goes with the next call.
    taken: usize,
    /// How far the buffer is filled.
    filled: usize,
}

impl<R: Read> LineReader<R> {
    pub fn new(stream: R) -> Self {
        Self { stream, buffer: vec![0; AT_ONCE], taken: 0, filled: 0 }
    }

    pub fn stream(&self) -> &R {
        &self.stream
    }

    /// The next line with its end, or what stands after the last one. Empty at the end.
    pub fn line(&mut self) -> Result<&[u8]> {
        self.until(|new| memchr(b'\n', new))
    }

    /// All lines that are there once at least one is whole. At the end what stands after the last
    /// one, and then nothing.
    pub fn batch(&mut self) -> Result<&[u8]> {
        self.until(|new| memrchr(b'\n', new))
    }

    /// The same, but that a long line is told of before its end has come.
    pub fn batch_or_beginning(&mut self) -> Result<ArrivedLines<'_>> {
        self.drop_taken();
        while memchr(b'\n', self.read_so_far()).is_none() {
            if self.filled >= KEPT {
                return Ok(ArrivedLines::Begun(self.read_so_far()));
            }
            if self.read()? == 0 {
                break;
            }
        }
        self.batch().map(ArrivedLines::Whole)
    }

    /// The next part of a line; with its end the last one. Empty at the end of the stream.
    pub fn part(&mut self) -> Result<&[u8]> {
        self.drop_taken();
        if self.filled == 0 {
            self.read()?;
        }
        let end = memchr(b'\n', self.read_so_far()).map_or(self.filled, |at| at + 1);
        self.taken = end;
        Ok(self.buffer.get(..end).unwrap_or_default())
    }

    fn read_so_far(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    fn until(&mut self, find: impl Fn(&[u8]) -> Option<usize>) -> Result<&[u8]> {
        self.drop_taken();
        let mut searched = 0;
        loop {
            let new = self.buffer.get(searched..self.filled).unwrap_or_default();
            if let Some(at) = find(new) {
                self.taken = searched + at + 1;
                break;
            }
            searched = self.filled;
            if self.read()? == 0 {
                self.taken = self.filled;
                break;
            }
        }
        Ok(self.buffer.get(..self.taken).unwrap_or_default())
    }

    fn read(&mut self) -> Result<usize> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.stream.read(self.buffer.get_mut(self.filled..).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.filled += count;
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn drop_taken(&mut self) {
        if self.taken > 0 {
            self.buffer.copy_within(self.taken..self.filled, 0);
            self.filled -= self.taken;
            self.taken = 0;
        }
        if self.buffer.len() > KEPT && self.filled <= AT_ONCE {
            self.buffer.truncate(AT_ONCE);
            self.buffer.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Gives these pieces, one at a time, as far as they fit.
    struct Pieces(VecDeque<Vec<u8>>);

    impl Pieces {
        fn new(pieces: &[&[u8]]) -> Self {
            Self(pieces.iter().map(|piece| piece.to_vec()).collect())
        }
    }

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            let Some(piece) = self.0.front_mut() else { return Ok(0) };
            let count = piece.len().min(into.len());
            into[..count].copy_from_slice(&piece[..count]);
            piece.drain(..count);
            if piece.is_empty() {
                self.0.pop_front();
            }
            Ok(count)
        }
    }

    #[test]
    fn a_batch_is_what_is_whole_and_nothing_is_changed() {
        let mut lines = LineReader::new(Pieces::new(&[b"a\r\n\n b", b"c", b"d\nlast", b" one"]));
        assert_eq!(lines.batch().unwrap(), b"a\r\n\n");
        assert_eq!(lines.batch().unwrap(), b" bcd\n");
        assert_eq!(lines.batch().unwrap(), b"last one");
        assert_eq!(lines.batch().unwrap(), b"");
        assert_eq!(lines.batch().unwrap(), b"");
    }

    #[test]
    fn lines_one_by_one_leave_the_rest_for_a_batch() {
        let mut lines = LineReader::new(Pieces::new(&[b"a\nb\nc\nd\ne", b"\n"]));
        assert_eq!(lines.line().unwrap(), b"a\n");
        assert_eq!(lines.line().unwrap(), b"b\n");
        assert_eq!(lines.batch().unwrap(), b"c\nd\n");
        assert_eq!(lines.batch().unwrap(), b"e\n");
    }

    #[test]
    fn a_long_line_is_told_of_before_its_end_and_taken_in_parts() {
        let long: Vec<u8> = (0..3 << 20).map(|at| b'a' + (at % 26) as u8).collect();
        let mut lines = LineReader::new(Pieces::new(&[b"first\n", &long, b"\nshort\n", &long]));
        assert_eq!(lines.batch_or_beginning().unwrap(), ArrivedLines::Whole(b"first\n"));
        for _ in 0..2 {
            let Ok(ArrivedLines::Begun(head)) = lines.batch_or_beginning() else { panic!() };
            assert!(head.len() >= KEPT && long.starts_with(head), "nothing of it is taken");
        }
        let mut whole = Vec::new();
        while !whole.ends_with(b"\n") {
            let part = lines.part().unwrap();
            assert!(!part.is_empty() && part.len() <= KEPT, "{}", part.len());
            whole.extend_from_slice(part);
        }
        assert!(whole.starts_with(&long) && whole.len() == long.len() + 1);
        assert!(lines.buffer.len() <= KEPT, "{}", lines.buffer.len());
        assert_eq!(lines.batch_or_beginning().unwrap(), ArrivedLines::Whole(b"short\n"));
        // One that never ends is told of as well, and ends with nothing.
        assert!(matches!(lines.batch_or_beginning(), Ok(ArrivedLines::Begun(_))));
        let mut left = long.len();
        while left > 0 {
            left -= lines.part().unwrap().len();
        }
        assert_eq!(lines.part().unwrap(), b"");
        // Somebody may want it whole after all.
        let mut lines = LineReader::new(Pieces::new(&[&long, b"\n"]));
        assert!(matches!(lines.batch_or_beginning(), Ok(ArrivedLines::Begun(_))));
        assert!(lines.batch().unwrap().starts_with(&long));
    }

    #[test]
    fn a_long_line_comes_whole_and_its_room_is_given_back() {
        let long: Vec<u8> = (0..3 << 20).map(|at| b'a' + (at % 26) as u8).collect();
        let mut lines = LineReader::new(Pieces::new(&[&long, b"\n", b"short\nrest"]));
        let first = lines.batch().unwrap();
        assert!(first.starts_with(&long) && first[long.len()..] == *b"\n");
        assert_eq!(lines.batch().unwrap(), b"short\n");
        assert_eq!(lines.buffer.len(), AT_ONCE);
        assert_eq!(lines.batch().unwrap(), b"rest");
    }
}
