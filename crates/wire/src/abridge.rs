//! A message that is too long to hold, made short as it passes by: every long string of it ends
//! early, with a mark, and everything else is copied.
//!
//! Only brackets, strings and the members at the top are looked at; whether what comes out is a
//! message is found out by reading it as one. The memory it takes is what comes out, and that is
//! bounded.

use std::ops::Range;

use memchr::memchr2;

/// How much of a key at the top is looked at; those that count are shorter.
const KEY: usize = 16;

/// How a message is made short.
#[derive(Debug, Clone)]
pub struct AbridgeRules {
    /// The most that is kept of a string, in bytes as it is written.
    pub string: usize,
    /// The most that may come out.
    pub whole: usize,
    /// What a string that was cut ends with, before its full length: ASCII that needs no escape, and
    /// that nobody else can know.
    pub mark: String,
}

/// Takes a message in any pieces.
#[derive(Debug)]
pub struct MessageAbridger {
    rules: AbridgeRules,
    out: Vec<u8>,
    is_too_long: bool,
    /// How many bytes were taken.
    at: u64,
    depth: u32,
    string: Option<OpenString>,
    /// The member at the top that is being read.
    member: TopMember,
    result: Option<Range<u64>>,
}

#[derive(Debug, Default)]
struct OpenString {
    length: u64,
    is_cut: bool,
    escape: EscapeState,
    /// The last character was the first half of a pair.
    is_half: bool,
}

/// Where in an escape.
#[derive(Debug, Default, Clone, Copy)]
enum EscapeState {
    #[default]
    Outside,
    /// After the backslash.
    Begun,
    /// So many digits of four are there, and their value.
    Digits(u8, u16),
}

#[derive(Debug, Default)]
struct TopMember {
    key: Vec<u8>,
    /// What comes is its value.
    has_colon: bool,
    begins: Option<u64>,
    /// After the last byte of it that is no blank.
    ends: u64,
}

/// What a message came to.
#[derive(Debug)]
pub struct AbridgedMessage {
    /// Nothing if even this is too long.
    pub bytes: Option<Vec<u8>>,
    /// Where in the message its result stands.
    pub result: Option<Range<u64>>,
    pub length: u64,
}

impl MessageAbridger {
    pub fn new(rules: AbridgeRules) -> Self {
        Self {
            rules,
            out: Vec::new(),
            is_too_long: false,
            at: 0,
            depth: 0,
            string: None,
            member: TopMember::default(),
            result: None,
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            // Most of a long message is in strings that are cut already.
            if let Some(string) = &mut self.string
                && string.is_cut
                && matches!(string.escape, EscapeState::Outside)
            {
                let skipped = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                if skipped > 0 {
                    string.length += skipped as u64;
                    self.at += skipped as u64;
                    rest = &rest[skipped..];
                    continue;
                }
            }
            if self.string.is_some() {
                self.in_string(*byte);
            } else {
                self.outside(*byte);
            }
            self.at += 1;
            rest = after;
        }
    }

    pub fn finish(self) -> AbridgedMessage {
        let bytes = (!self.is_too_long && self.string.is_none()).then_some(self.out);
        AbridgedMessage { bytes, result: self.result, length: self.at }
    }

    fn push(&mut self, byte: u8) {
        if self.out.len() >= self.rules.whole {
            self.is_too_long = true;
            self.out = Vec::new();
        }
        if !self.is_too_long {
            self.out.push(byte);
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => return,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_member(),
            b':' if self.depth == 1 && !self.member.has_colon => {
                self.member.has_colon = true;
                return self.push(byte);
            }
            _ => {}
        }
        if self.depth >= 1 && self.member.has_colon {
            self.member.begins.get_or_insert(self.at);
            self.member.ends = self.at + 1;
        }
        match byte {
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'"' => self.string = Some(OpenString::default()),
            _ => {}
        }
        self.push(byte);
    }

    fn in_string(&mut self, byte: u8) {
        let is_key = self.depth == 1 && !self.member.has_colon;
        let Some(string) = &mut self.string else { return };
        if matches!(string.escape, EscapeState::Outside) {
            if byte == b'"' {
                return self.end_string();
            }
            let begins_character = byte & 0b1100_0000 != 0b1000_0000;
            let is_long = string.length >= self.rules.string as u64;
            if is_long && begins_character && !string.is_half {
                string.is_cut = true;
            }
        }
        string.length += 1;
        string.advance(byte);
        let is_cut = string.is_cut;
        if is_key && self.member.key.len() < KEY {
            self.member.key.push(byte);
        }
        if !is_cut {
            self.push(byte);
        }
    }

    fn end_string(&mut self) {
        if let Some(OpenString { is_cut: true, length, .. }) = self.string.take() {
            let mark = format!("{}{length};", self.rules.mark);
            mark.bytes().for_each(|byte| self.push(byte));
        }
        if self.member.has_colon {
            self.member.ends = self.at + 1;
        }
        self.push(b'"');
    }

    fn end_member(&mut self) {
        let TopMember { key, begins, ends, .. } = std::mem::take(&mut self.member);
        if key == b"result" {
            self.result = begins.map(|begins| begins..ends);
        }
    }
}

impl OpenString {
    /// A cut comes between characters only, and a pair of escapes is one.
    fn advance(&mut self, byte: u8) {
        match (self.escape, byte) {
            (EscapeState::Outside, b'\\') => self.escape = EscapeState::Begun,
            (EscapeState::Outside, _) => self.is_half = false,
            (EscapeState::Begun, b'u') => self.escape = EscapeState::Digits(0, 0),
            (EscapeState::Begun, _) => {
                self.escape = EscapeState::Outside;
                self.is_half = false;
            }
            (EscapeState::Digits(count, value), digit) => {
                let digit = char::from(digit).to_digit(16).unwrap_or(0);
                let value = value << 4 | u16::try_from(digit).unwrap_or(0);
                self.escape = EscapeState::Digits(count + 1, value);
                if count == 3 {
                    self.is_half = (0xd800..0xdc00).contains(&value);
                    self.escape = EscapeState::Outside;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
