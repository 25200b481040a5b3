//! One pass over JSON text: checks it, and tells the caller where keys and values stand.
//!
//! It builds nothing. The caller walks an object or an array with a closure that takes each value;
//! what the closure does not look into is skipped with the same checks.

use serde_json::value::RawValue;

use super::keys::SeenKeys;
use super::number::scan_number;
use super::raw::checked;
use super::strings::{RawStr, find_special};
use super::{ExpectedToken, ScanFault};

#[derive(Debug)]
pub(crate) struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
    depth_left: u8,
    keys: SeenKeys,
}

impl<'a> JsonScanner<'a> {
    /// The text must be shorter than 4 GiB; places in it are kept as `u32`.
    pub(crate) fn new(text: &'a str, depth: u8) -> Self {
        Self { text, at: 0, depth_left: depth, keys: SeenKeys::new() }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The next byte that is no whitespace, not yet taken.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.peek_past_whitespace(),
        }
    }

    fn peek_past_whitespace(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// After the last value: nothing but whitespace.
    pub(crate) fn end(&mut self) -> Result<(), ScanFault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fault(ExpectedToken::End)),
        }
    }

    /// One value of any kind, checked.
    pub(crate) fn skip(&mut self) -> Result<(), ScanFault> {
        match self.peek() {
            Some(b'"') => self.skip_string().map(drop),
            Some(b'{') => self.object(|scanner, _| scanner.skip()),
            Some(b'[') => self.array(Self::skip),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.fault(ExpectedToken::Value)),
        }
    }

    /// One value of any kind, checked, as it is spelled.
    pub(crate) fn value(&mut self) -> Result<&'a RawValue, ScanFault> {
        self.peek();
        let from = self.at;
        self.skip()?;
        self.since(from)
    }

    /// The text from a place up to here, which must be one value that was just taken.
    pub(crate) fn since(&self, from: usize) -> Result<&'a RawValue, ScanFault> {
        checked(self.text.get(from..self.at).unwrap_or_default())
    }

    pub(crate) fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Takes a value with `take`. If it is JSON but not of a kind we pass on (a key twice, too
    /// deep), takes it unchecked instead and gives the fault beside it.
    pub(crate) fn tolerate<T>(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<T, ScanFault>,
    ) -> Result<Result<T, (&'a RawValue, ScanFault)>, ScanFault> {
        let (from, depth, mark) = (self.place(), self.depth_left, self.keys.mark());
        match take(self) {
            Ok(taken) => Ok(Ok(taken)),
            Err(fault) if fault.is_local() => {
                (self.at, self.depth_left) = (from, depth);
                self.keys.forget(mark);
                Ok(Err((self.unchecked()?, fault)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// `serde_json` skips without recursion, so this ends at any depth.
    fn unchecked(&mut self) -> Result<&'a RawValue, ScanFault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(raw)) => {
                self.at += values.byte_offset();
                Ok(raw)
            }
            _ => Err(self.fault(ExpectedToken::Value)),
        }
    }

    /// An object; the closure takes the value of each key.
    pub(crate) fn object<F>(&mut self, mut member: F) -> Result<(), ScanFault>
    where
        F: FnMut(&mut Self, RawStr<'a>) -> Result<(), ScanFault>,
    {
        self.enter(b'{')?;
        let mark = self.keys.mark();
        let mut any_escaped = false;
        if !self.take(b'}') {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(self.fault(ExpectedToken::Key));
                }
                let from = self.at + 1;
                let escaped = self.skip_string()?;
                any_escaped |= escaped;
                let key = self.text.get(from..self.at - 1).unwrap_or_default();
                self.keys.push(self.text, from, key.len());
                if !self.take(b':') {
                    return Err(self.fault(ExpectedToken::Colon));
                }
                member(self, RawStr::scanned(key, escaped))?;
                if self.is_last(b'}')? {
                    break;
                }
            }
        }
        self.depth_left += 1;
        match self.keys.close(mark, any_escaped, self.text) {
            None => Ok(()),
            Some((at, length)) => Err(ScanFault::Duplicate { at, length }),
        }
    }

    /// An array; the closure takes each item.
    pub(crate) fn array<F>(&mut self, mut item: F) -> Result<(), ScanFault>
    where
        F: FnMut(&mut Self) -> Result<(), ScanFault>,
    {
        self.enter(b'[')?;
        if !self.take(b']') {
            loop {
                item(self)?;
                if self.is_last(b']')? {
                    break;
                }
            }
        }
        self.depth_left += 1;
        Ok(())
    }

    /// A string, and whether it has escapes; the scanner stands before its quote.
    #[inline]
    fn skip_string(&mut self) -> Result<bool, ScanFault> {
        let mut escaped = false;
        self.at += 1;
        loop {
            self.at = find_special(self.text.as_bytes(), self.at);
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.fault(ExpectedToken::NoControlCharacter)),
                None => return Err(self.fault(ExpectedToken::StringEnd)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ScanFault> {
        let escape = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        self.at += match escape {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', a, b, c, d, ..]
                if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
            {
                6
            }
            _ => return Err(self.fault(ExpectedToken::Escape)),
        };
        Ok(())
    }

    fn number(&mut self) -> Result<(), ScanFault> {
        match scan_number(self.text.as_bytes().get(self.at..).unwrap_or_default()) {
            Ok(length) => {
                self.at += length;
                Ok(())
            }
            Err(length) => {
                self.at += length;
                Err(self.fault(ExpectedToken::Digit))
            }
        }
    }

    fn word(&mut self, word: &str) -> Result<(), ScanFault> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.fault(ExpectedToken::Word));
        }
        self.at += word.len();
        Ok(())
    }

    fn enter(&mut self, opening: u8) -> Result<(), ScanFault> {
        if !self.take(opening) {
            return Err(self.fault(ExpectedToken::Value));
        }
        match self.depth_left.checked_sub(1) {
            Some(left) => {
                self.depth_left = left;
                Ok(())
            }
            None => Err(ScanFault::TooDeep { at: self.at as u32 }),
        }
    }

    /// After a member or an item: a comma, or the end of the container.
    #[inline]
    fn is_last(&mut self, closing: u8) -> Result<bool, ScanFault> {
        let is_last = match self.peek() {
            Some(b',') => false,
            Some(byte) if byte == closing => true,
            _ => return Err(self.fault(ExpectedToken::CommaOrEnd)),
        };
        self.at += 1;
        Ok(is_last)
    }

    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn fault(&self, wanted: ExpectedToken) -> ScanFault {
        ScanFault::Syntax { at: self.at as u32, wanted }
    }
}
