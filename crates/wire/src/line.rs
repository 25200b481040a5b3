//! Newline framing, as on stdio: bytes in any pieces become lines, messages become lines.
//!
//! A line is not looked into. Servers print other things than messages, and only reading a line as
//! a message tells; what is done about it is for the caller.

use memchr::{memchr, memchr2};

/// How much of a line that is too long is kept, enough to find an id in.
const HEAD: usize = 256;
/// What the buffer may keep between lines after a long one.
const KEPT_CAPACITY: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One line, or the place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodedLine<'a> {
    /// Without its line end; never blank.
    Whole(&'a [u8]),
    /// A line beyond the cap, told as soon as it is and skipped from there on.
    TooLong { head: &'a [u8] },
    /// A piece of a line beyond the cap, where those are followed.
    Part(&'a [u8]),
    /// All of that line was handed out.
    PartsEnd,
}

/// Cuts a stream into lines. It buffers at most one line, and that only up to the cap.
#[derive(Debug)]
pub struct LineDecoder {
    longest: usize,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    /// What `partial` holds was handed out and goes with the next call.
    is_spent: bool,
    is_skipping: bool,
    is_first: bool,
    /// Lines beyond the cap are handed out as they come.
    follows_long: bool,
    long: LongLine,
}

/// Whether a line beyond the cap is being handed out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LongLine {
    #[default]
    None,
    Within,
    /// Only its end is left to be told.
    Ended,
}

impl LineDecoder {
    /// `longest` counts the bytes before the newline.
    pub fn new(longest: usize) -> Self {
        Self {
            longest,
            partial: Vec::new(),
            is_spent: false,
            is_skipping: false,
            is_first: true,
            follows_long: false,
            long: LongLine::None,
        }
    }

    /// The same, but a line beyond the cap comes in parts instead of being skipped.
    pub fn following(longest: usize) -> Self {
        Self { follows_long: true, ..Self::new(longest) }
    }

    /// Takes bytes off the front of `input` up to the end of the next line. `None` means that all
    /// of it was taken: come back with more.
    pub fn next<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Option<DecodedLine<'s>> {
        self.drop_spent();
        if self.long == LongLine::Ended {
            self.long = LongLine::None;
            return Some(DecodedLine::PartsEnd);
        }
        loop {
            if input.is_empty() {
                return None;
            }
            if self.long == LongLine::Within {
                return Some(self.part(input));
            }
            if self.goes_beyond(input) {
                self.long = LongLine::Within;
                self.is_first = false;
                if !self.partial.is_empty() {
                    self.is_spent = true;
                    return Some(DecodedLine::Part(&self.partial));
                }
                continue;
            }
            let Some(end) = memchr(b'\n', input) else {
                let rest = std::mem::take(input);
                return self.keep(rest);
            };
            let (line, rest) = input.split_at(end);
            *input = rest.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.is_skipping) {
                continue;
            }
            if self.partial.len() + line.len() > self.longest {
                return Some(self.too_long(line));
            }
            let was_first = std::mem::take(&mut self.is_first);
            if self.partial.is_empty() {
                match content(line, was_first) {
                    Some(line) => return Some(DecodedLine::Whole(line)),
                    None => continue,
                }
            }
            self.partial.extend_from_slice(line);
            if content(&self.partial, was_first).is_none() {
                self.partial.clear();
                continue;
            }
            self.is_spent = true;
            return content(&self.partial, was_first).map(DecodedLine::Whole);
        }
    }

    /// The stream has ended: what stands after the last newline, if anything.
    pub fn finish(&mut self) -> Option<DecodedLine<'_>> {
        self.drop_spent();
        self.is_skipping = false;
        self.is_spent = true;
        let was_first = std::mem::take(&mut self.is_first);
        content(&self.partial, was_first).map(DecodedLine::Whole)
    }

    fn goes_beyond(&self, input: &[u8]) -> bool {
        let line = || memchr(b'\n', input).unwrap_or(input.len());
        // Looked for only where the end of the line matters.
        self.follows_long
            && self.partial.len() + input.len() > self.longest
            && self.partial.len() + line() > self.longest
    }

    fn part<'i>(&mut self, input: &mut &'i [u8]) -> DecodedLine<'i> {
        let Some(end) = memchr(b'\n', input) else {
            return DecodedLine::Part(std::mem::take(input));
        };
        let (part, rest) = input.split_at(end);
        *input = rest.get(1..).unwrap_or_default();
        self.long = LongLine::Ended;
        DecodedLine::Part(part)
    }

    /// The rest of the input has no line end.
    fn keep(&mut self, rest: &[u8]) -> Option<DecodedLine<'_>> {
        if self.is_skipping {
            return None;
        }
        if self.partial.len() + rest.len() > self.longest {
            self.is_skipping = true;
            return Some(self.too_long(rest));
        }
        self.partial.extend_from_slice(rest);
        None
    }

    fn too_long(&mut self, rest: &[u8]) -> DecodedLine<'_> {
        // Never more than the cap, or the head would depend on how the stream was cut.
        let head = HEAD.min(self.longest);
        let missing = head.saturating_sub(self.partial.len());
        self.partial.truncate(head);
        self.partial.extend(rest.iter().take(missing));
        self.is_spent = true;
        self.is_first = false;
        DecodedLine::TooLong { head: &self.partial }
    }

    fn drop_spent(&mut self) {
        if std::mem::take(&mut self.is_spent) {
            self.partial.clear();
            self.partial.shrink_to(KEPT_CAPACITY);
        }
    }
}

/// The line without the carriage return that Windows puts before the newline, unless it is blank;
/// some programs open their first line with a byte order mark.
fn content(line: &[u8], is_first: bool) -> Option<&[u8]> {
    let line = match line.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if is_first => rest,
        _ => line,
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.trim_ascii().is_empty()).then_some(line)
}

/// Ends the message that was written to `out` from `start` on as one line. A newline in a message
/// can only stand between tokens, so it goes, together with the indentation after it.
pub fn end_line(out: &mut Vec<u8>, start: usize) {
    let message = out.get(start..).unwrap_or_default();
    if memchr2(b'\n', b'\r', message).is_some() {
        let mut line = Vec::with_capacity(message.len());
        push_without_newlines(&mut line, message);
        out.truncate(start);
        out.extend_from_slice(&line);
    }
    out.push(b'\n');
}

/// Appends a message as one line.
pub fn write_line(out: &mut Vec<u8>, message: &[u8]) {
    out.reserve(message.len() + 1);
    push_without_newlines(out, message);
    out.push(b'\n');
}

fn push_without_newlines(out: &mut Vec<u8>, message: &[u8]) {
    let mut rest = message;
    while let Some(at) = memchr2(b'\n', b'\r', rest) {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before);
        rest = after.trim_ascii_start();
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests;
