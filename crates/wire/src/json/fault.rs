//! What can be wrong with a text as JSON.
//!
//! Two forms of the same thing: a small one that the scanner carries on its way out, and a public
//! one that can name the key and outlives the text. Neither holds more of the payload than a key.

use thiserror::Error;

use super::strings::RawStr;

/// What the scanner expected where it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedToken {
    Value,
    Key,
    Colon,
    CommaOrEnd,
    Digit,
    Word,
    Escape,
    StringEnd,
    NoControlCharacter,
    End,
}

impl ExpectedToken {
    fn words(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::Key => "a key",
            Self::Colon => "`:`",
            Self::CommaOrEnd => "`,` or the end of the list",
            Self::Digit => "a digit",
            Self::Word => "`true`, `false` or `null`",
            Self::Escape => "a valid escape",
            Self::StringEnd => "the end of the string",
            Self::NoControlCharacter => "no control character in a string",
            Self::End => "nothing more",
        }
    }
}

/// Where and why the scanner stopped; small, since every step may return it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanFault {
    Syntax { at: u32, wanted: ExpectedToken },
    TooDeep { at: u32 },
    Duplicate { at: u32, length: u32 },
}

impl ScanFault {
    /// Whether the text around it can still be read: it is JSON, only not of a kind we pass on.
    pub(crate) fn is_local(self) -> bool {
        !matches!(self, Self::Syntax { .. })
    }

    pub(crate) fn explain(self, text: &str) -> JsonError {
        match self {
            Self::Syntax { at, wanted } => {
                JsonError::Syntax { at: at as usize, wanted: wanted.words() }
            }
            Self::TooDeep { at } => JsonError::TooDeep { at: at as usize },
            Self::Duplicate { at, length } => {
                let (from, to) = (at as usize, at as usize + length as usize);
                let body = text.get(from..to).unwrap_or_default();
                JsonError::DuplicateKey { key: RawStr::new(body).shown(), at: from }
            }
        }
    }
}

/// A text that is not JSON, or JSON that different readers would read differently.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JsonError {
    #[error("not JSON: expected {wanted} at byte {at}")]
    Syntax { at: usize, wanted: &'static str },
    #[error("nested too deep at byte {at}")]
    TooDeep { at: usize },
    #[error("the key `{key}` appears twice in one object (byte {at})")]
    DuplicateKey { key: String, at: usize },
}
