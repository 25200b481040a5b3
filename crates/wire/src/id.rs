//! Request ids: kept exactly as they came, compared by what they mean.
//!
//! The gate's own ids are small whole numbers, so those are held as such and cost nothing to match.
//! Every other id keeps its spelling for the way back: `1.0`, `"a\/b"`, a number of twenty digits.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde_json::value::RawValue;

use crate::json::{Decimal, RawStr, write_string};

/// An id, borrowed from the message it came in. Also the form of progress tokens and subscription
/// ids, which follow the same rules.
#[derive(Clone, Copy)]
pub struct Id<'a>(Spelling<'a>);

#[derive(Clone, Copy)]
enum Spelling<'a> {
    /// Plain digits, which have one spelling only.
    Plain(u64),
    /// A JSON string or any other JSON number, as text.
    Json(&'a str),
}

/// What an id is compared by.
enum Meaning<'a> {
    Number(Decimal<'a>),
    /// A number that is beyond comparing by value.
    Unwieldy(&'a str),
    Text(Cow<'a, [u8]>),
}

impl<'a> Id<'a> {
    /// A JSON string or number; `None` for every other value.
    pub fn from_raw(raw: &'a RawValue) -> Option<Self> {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => {}
            _ => return None,
        }
        // JSON has no sign or zeros before a number, so what parses has no other spelling.
        Some(Self(json.parse().map_or(Spelling::Json(json), Spelling::Plain)))
    }

    /// The number, if it is one of ours: whole and not negative, however it is spelled.
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Spelling::Plain(number) => Some(number),
            Spelling::Json(json) => Decimal::parse(json)?.to_i128()?.try_into().ok(),
        }
    }

    /// The text, if it is a string.
    pub fn as_text(&self) -> Option<Cow<'a, str>> {
        match self.0 {
            Spelling::Plain(_) => None,
            Spelling::Json(json) => RawStr::from_json(json)?.text(),
        }
    }

    /// Appends the id as it came.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self.0 {
            Spelling::Plain(number) => write_digits(out, number),
            Spelling::Json(json) => out.extend_from_slice(json.as_bytes()),
        }
    }

    pub fn to_buf(&self) -> IdBuf {
        match self.0 {
            Spelling::Plain(number) => IdBuf(Owned::Plain(number)),
            Spelling::Json(json) => IdBuf(Owned::Json(json.into())),
        }
    }

    fn meaning(&self) -> Option<Meaning<'a>> {
        let Spelling::Json(json) = self.0 else { return None };
        Some(match RawStr::from_json(json) {
            Some(text) => Meaning::Text(text.bytes()),
            None => Decimal::parse(json).map_or(Meaning::Unwieldy(json), Meaning::Number),
        })
    }
}

impl From<u64> for Id<'_> {
    fn from(number: u64) -> Self {
        Self(Spelling::Plain(number))
    }
}

impl PartialEq for Id<'_> {
    fn eq(&self, other: &Self) -> bool {
        if let (Spelling::Plain(one), Spelling::Plain(other)) = (self.0, other.0) {
            return one == other;
        }
        match (self.meaning(), other.meaning()) {
            (Some(Meaning::Number(one)), Some(Meaning::Number(other))) => one == other,
            (Some(Meaning::Text(one)), Some(Meaning::Text(other))) => one == other,
            (Some(Meaning::Unwieldy(one)), Some(Meaning::Unwieldy(other))) => one == other,
            (None, Some(Meaning::Number(_))) | (Some(Meaning::Number(_)), None) => {
                self.as_u64().is_some() && self.as_u64() == other.as_u64()
            }
            _ => false,
        }
    }
}

impl Eq for Id<'_> {}

impl Hash for Id<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(number) = self.as_u64() {
            return state.write_u64(number);
        }
        match self.meaning() {
            Some(Meaning::Number(number)) => number.hash_into(state),
            Some(Meaning::Text(text)) => text.hash(state),
            Some(Meaning::Unwieldy(json)) => json.hash(state),
            None => {}
        }
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Spelling::Plain(number) => number.fmt(f),
            Spelling::Json(json) => f.write_str(json),
        }
    }
}

impl fmt::Debug for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

/// An id that outlives its message.
#[derive(Clone)]
pub struct IdBuf(Owned);

#[derive(Clone)]
enum Owned {
    Plain(u64),
    Json(Box<str>),
}

impl IdBuf {
    pub fn as_id(&self) -> Id<'_> {
        match &self.0 {
            Owned::Plain(number) => Id(Spelling::Plain(*number)),
            Owned::Json(json) => Id(Spelling::Json(json)),
        }
    }

    /// A string id with this text.
    pub fn from_text(text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + 2);
        write_string(&mut json, text);
        Self(Owned::Json(String::from_utf8_lossy(&json).into()))
    }
}

impl From<u64> for IdBuf {
    fn from(number: u64) -> Self {
        Self(Owned::Plain(number))
    }
}

impl From<Id<'_>> for IdBuf {
    fn from(id: Id<'_>) -> Self {
        id.to_buf()
    }
}

impl PartialEq for IdBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_id() == other.as_id()
    }
}

impl Eq for IdBuf {}

impl Hash for IdBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_id().hash(state);
    }
}

impl fmt::Display for IdBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_id().fmt(f)
    }
}

impl fmt::Debug for IdBuf {
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
