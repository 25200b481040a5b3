//! Writing events.
//!
//! A message is written as one data line if it is one line. The name and the id of an event must not
//! break out of theirs, so they are checked.

use memchr::memchr2;
use thiserror::Error;

use super::{MESSAGE, SseEvent};
use crate::id::write_digits;

/// A name or an id that the format cannot carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("`{field}` of an event must not contain a line break or NUL")]
pub struct FieldError {
    pub field: &'static str,
}

/// Appends an event. The usual name is left out, since it is what readers assume.
pub fn write_event(
    out: &mut Vec<u8>,
    event: &SseEvent<'_>,
    retry_ms: Option<u64>,
) -> Result<(), FieldError> {
    check("event", event.name)?;
    if let Some(id) = event.id {
        check("id", id)?;
    }
    out.reserve(event.data.len() + 64);
    if event.name != MESSAGE {
        write_field(out, b"event: ", event.name.as_bytes());
    }
    if let Some(id) = event.id {
        write_field(out, b"id: ", id.as_bytes());
    }
    if let Some(retry) = retry_ms {
        out.extend_from_slice(b"retry: ");
        write_digits(out, retry);
        out.push(b'\n');
    }
    let mut rest = event.data;
    while let Some(at) = memchr2(b'\n', b'\r', rest) {
        let (line, after) = rest.split_at(at);
        write_field(out, b"data: ", line);
        let is_pair = after.starts_with(b"\r\n");
        rest = after.get(1 + usize::from(is_pair)..).unwrap_or_default();
    }
    write_field(out, b"data: ", rest);
    out.push(b'\n');
    Ok(())
}

/// Appends a comment, which readers ignore and proxies take for life.
pub fn write_comment(out: &mut Vec<u8>, text: &str) {
    for line in text.split(['\n', '\r']) {
        write_field(out, b": ", line.as_bytes());
    }
    out.push(b'\n');
}

fn write_field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(value);
    out.push(b'\n');
}

fn check(field: &'static str, value: &str) -> Result<(), FieldError> {
    if value.contains(['\n', '\r', '\0']) { Err(FieldError { field }) } else { Ok(()) }
}
