//! A message that is too long to hold, made short as it passes by: every long string of it ends
//! early, with a mark, and everything else is copied.
//!
//! Only brackets, strings and the members at the top are looked at; whether what comes out is a
//! message is found out by reading it as one. What was left out of it is looked at as it passes, so
//! that the two together are known to be JSON. The memory it takes is what comes out, and that is
//! bounded.

mod unheld_text;

use std::ops::Range;

use memchr::memchr2;
use toolgate_types::{CutMark, CutString};

use unheld_text::UnheldText;

/// How much of a key at the top is looked at; those that count are shorter.
const KEY: usize = 16;

/// How a message is made short.
#[derive(Debug, Clone)]
pub struct AbridgeRules {
    /// The most that is kept of a string, in bytes as it is written.
    pub string: usize,
    /// The most that may come out.
    pub whole: usize,
    /// What a string that was cut ends with.
    pub mark: CutMark,
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
    /// Where the rests are of all strings that were cut so far.
    rests: Vec<Range<u64>>,
    unheld: UnheldText,
}

#[derive(Debug, Default)]
struct OpenString {
    length: u64,
    /// Where what is left out of it begins.
    cut_at: Option<u64>,
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
    /// Where in the message the rests of the strings are that were cut, by their numbers. Nothing if one of
    /// them is no text: then the message is no JSON.
    pub rests: Option<Vec<Range<u64>>>,
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
            rests: Vec::new(),
            unheld: UnheldText::default(),
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            // Most of a long message is in strings that are cut already.
            if let Some(string) = &mut self.string
                && string.cut_at.is_some()
                && matches!(string.escape, EscapeState::Outside)
            {
                let skipped = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                if skipped > 0 {
                    let (unheld, after) = rest.split_at(skipped);
                    self.unheld.plain(unheld);
                    string.length += skipped as u64;
                    self.at += skipped as u64;
                    rest = after;
                    continue;
                }
                self.unheld.interrupted();
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
        let rests = self.unheld.is_sound().then_some(self.rests);
        AbridgedMessage { bytes, result: self.result, length: self.at, rests }
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
                string.cut_at.get_or_insert(self.at);
            }
        }
        let is_cut = string.cut_at.is_some();
        match string.escape {
            EscapeState::Begun if is_cut => self.unheld.escaped(byte),
            EscapeState::Digits(..) if is_cut => self.unheld.digit(byte),
            // What is plain there was looked at all at once, but for its first byte.
            EscapeState::Outside if is_cut && byte != b'\\' => self.unheld.plain(&[byte]),
            _ => {}
        }
        string.length += 1;
        string.advance(byte);
        if is_key && self.member.key.len() < KEY {
            self.member.key.push(byte);
        }
        if !is_cut {
            self.push(byte);
        }
    }

    fn end_string(&mut self) {
        if let Some(OpenString { cut_at: Some(cut_at), length, .. }) = self.string.take() {
            let cut = CutString { number: self.rests.len(), length };
            self.rests.push(cut_at..self.at);
            self.rules.mark.of(cut).bytes().for_each(|byte| self.push(byte));
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
