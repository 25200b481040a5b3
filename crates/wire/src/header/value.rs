//! Values in `Mcp-Name` and `Mcp-Param-*`: plain where a header can carry them, base64 otherwise.
//!
//! The encoding is the one of the 2026-07-28 transport, `=?base64?…?=`, and nothing of the MIME
//! scheme it resembles.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// A header value that says nothing readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidValue {
    #[error("characters that a header cannot carry")]
    Characters,
    #[error("not valid base64")]
    Base64,
    #[error("not UTF-8 inside base64")]
    Utf8,
}

/// The value as a header carries it.
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    // Whitespace at the edges would be lost, and a text that looks encoded would be decoded.
    let is_padded = text.starts_with(' ') || text.ends_with(' ');
    let looks_encoded = text.starts_with(OPENING) && text.ends_with(CLOSING);
    if is_printable && !is_padded && !looks_encoded {
        return Cow::Borrowed(text);
    }
    let mut encoded = OPENING.to_owned();
    STANDARD.encode_string(text, &mut encoded);
    encoded.push_str(CLOSING);
    Cow::Owned(encoded)
}

/// What a header value means. Whitespace around it is not part of it.
pub fn decode_value(value: &[u8]) -> Result<Cow<'_, str>, InvalidValue> {
    let value = plain_value(value)?;
    let Some(inner) = value.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING))
    else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = STANDARD.decode(inner).map_err(|_| InvalidValue::Base64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| InvalidValue::Utf8)
}

/// The value as text, if it consists of what a header may carry.
pub(super) fn plain_value(value: &[u8]) -> Result<&str, InvalidValue> {
    let is_valid = value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let text = str::from_utf8(value).ok().filter(|_| is_valid).ok_or(InvalidValue::Characters)?;
    Ok(text.trim_matches([' ', '\t']))
}
