//! Request ids: kept exactly as they came, compared by what they mean.
//!
//! The gate's own ids are small whole numbers, so those are held as such and cost nothing to match.
//! Every other id keeps its spelling for the way back: `1.0`, `"a\/b"`, a number of twenty digits.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde_json::value::RawValue;

use crate::json::{ExactDecimal, RawStr, write_string};

/// An id, borrowed from the message it came in. Also the form of progress tokens and subscription
/// ids, which follow the same rules.
#[derive(Clone, Copy)]
pub struct MessageId<'a>(IdSpelling<'a>);

#[derive(Clone, Copy)]
enum IdSpelling<'a> {
    /// Plain digits, which have one spelling only.
    Plain(u64),
    /// A JSON string or any other JSON number, as text.
    Json(&'a str),
}

/// What an id is compared by.
enum IdMeaning<'a> {
    Number(ExactDecimal<'a>),
    /// A number that is beyond comparing by value.
    Unwieldy(&'a str),
    Text(Cow<'a, [u8]>),
}

impl<'a> MessageId<'a> {
    /// A JSON string or number; `None` for every other value.
    pub fn from_raw(raw: &'a RawValue) -> Option<Self> {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => {}
            _ => return None,
        }
        // JSON has no sign or zeros before a number, so what parses has no other spelling.
        Some(Self(json.parse().map_or(IdSpelling::Json(json), IdSpelling::Plain)))
    }

    /// The number, if it is one of ours: whole and not negative, however it is spelled.
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            IdSpelling::Plain(number) => Some(number),
            IdSpelling::Json(json) => ExactDecimal::parse(json)?.to_i128()?.try_into().ok(),
        }
    }

    /// The text, if it is a string.
    pub fn as_text(&self) -> Option<Cow<'a, str>> {
        match self.0 {
            IdSpelling::Plain(_) => None,
            IdSpelling::Json(json) => RawStr::from_json(json)?.text(),
        }
    }

    /// Appends the id as it came.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self.0 {
            IdSpelling::Plain(number) => write_digits(out, number),
            IdSpelling::Json(json) => out.extend_from_slice(json.as_bytes()),
        }
    }

    /// How long it is as it came.
    pub(crate) fn length(&self) -> usize {
        match self.0 {
            IdSpelling::Plain(number) => {
                number.checked_ilog10().map_or(1, |power| power as usize + 1)
            }
            IdSpelling::Json(json) => json.len(),
        }
    }

    pub fn to_buf(&self) -> MessageIdBuf {
        match self.0 {
            IdSpelling::Plain(number) => MessageIdBuf(OwnedSpelling::Plain(number)),
            IdSpelling::Json(json) => MessageIdBuf(OwnedSpelling::Json(json.into())),
        }
    }

    fn meaning(&self) -> Option<IdMeaning<'a>> {
        let IdSpelling::Json(json) = self.0 else { return None };
        Some(match RawStr::from_json(json) {
            Some(text) => IdMeaning::Text(text.bytes()),
            None => ExactDecimal::parse(json).map_or(IdMeaning::Unwieldy(json), IdMeaning::Number),
        })
    }
}

impl From<u64> for MessageId<'_> {
    fn from(number: u64) -> Self {
        Self(IdSpelling::Plain(number))
    }
}

impl PartialEq for MessageId<'_> {
    fn eq(&self, other: &Self) -> bool {
        if let (IdSpelling::Plain(one), IdSpelling::Plain(other)) = (self.0, other.0) {
            return one == other;
        }
        match (self.meaning(), other.meaning()) {
            (Some(IdMeaning::Number(one)), Some(IdMeaning::Number(other))) => one == other,
            (Some(IdMeaning::Text(one)), Some(IdMeaning::Text(other))) => one == other,
            (Some(IdMeaning::Unwieldy(one)), Some(IdMeaning::Unwieldy(other))) => one == other,
            (None, Some(IdMeaning::Number(_))) | (Some(IdMeaning::Number(_)), None) => {
                self.as_u64().is_some() && self.as_u64() == other.as_u64()
            }
            _ => false,
        }
    }
}

impl Eq for MessageId<'_> {}

impl Hash for MessageId<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(number) = self.as_u64() {
            return state.write_u64(number);
        }
        match self.meaning() {
            Some(IdMeaning::Number(number)) => number.hash_into(state),
            Some(IdMeaning::Text(text)) => text.hash(state),
            Some(IdMeaning::Unwieldy(json)) => json.hash(state),
            None => {}
        }
    }
}

impl fmt::Display for MessageId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IdSpelling::Plain(number) => number.fmt(f),
            IdSpelling::Json(json) => f.write_str(json),
        }
    }
}

impl fmt::Debug for MessageId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

/// An id that outlives its message.
#[derive(Clone)]
pub struct MessageIdBuf(OwnedSpelling);

#[derive(Clone)]
enum OwnedSpelling {
    Plain(u64),
    Json(Box<str>),
}

impl MessageIdBuf {
    pub fn as_id(&self) -> MessageId<'_> {
        match &self.0 {
            OwnedSpelling::Plain(number) => MessageId(IdSpelling::Plain(*number)),
            OwnedSpelling::Json(json) => MessageId(IdSpelling::Json(json)),
        }
    }

    /// A string id with this text.
    pub fn from_text(text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + 2);
        write_string(&mut json, text);
        Self(OwnedSpelling::Json(String::from_utf8_lossy(&json).into()))
    }
}

impl From<u64> for MessageIdBuf {
    fn from(number: u64) -> Self {
        Self(OwnedSpelling::Plain(number))
    }
}

impl From<MessageId<'_>> for MessageIdBuf {
    fn from(id: MessageId<'_>) -> Self {
        id.to_buf()
    }
}

impl PartialEq for MessageIdBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_id() == other.as_id()
    }
}

impl Eq for MessageIdBuf {}

impl Hash for MessageIdBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_id().hash(state);
    }
}

impl fmt::Display for MessageIdBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_id().fmt(f)
    }
}

impl fmt::Debug for MessageIdBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_id(), f)
    }
}

/// A whole number in decimal; on the path of every request, so without the formatter.
pub(crate) fn write_digits(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut from = digits.len();
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (number % 10) as u8;
        number /= 10;
        from -= 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(from..).unwrap_or_default());
}

#[cfg(test)]
mod tests;
