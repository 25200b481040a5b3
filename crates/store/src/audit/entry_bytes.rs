//! An entry as bytes, the same in a journal and in a row of the index.
//!
//! Every field is there, in the order of the struct; numbers and lengths in seven bits a byte. A field that
//! may be absent has its length plus one, and nothing is zero. What is read must be all there is: one entry
//! has one spelling.

use super::{AuditEntry, AuditKind};
use crate::time;

/// What an entry's bytes begin with; another number will be another form.
const FORM: u8 = 1;

pub(crate) fn write_entry(entry: &AuditEntry, out: &mut Vec<u8>) {
    let AuditEntry {
        at,
        kind,
        correlation,
        round,
        principal,
        client,
        role,
        session,
        workspace,
        server,
        tool,
        outcome,
        code,
        duration_us,
        body,
    } = entry;
    out.push(FORM);
    write_number(time::kept(*at), out);
    write_text(kind.as_str(), out);
    write_text(correlation, out);
    write_number(u64::from(*round), out);
    write_text(principal, out);
    for field in [client, role, session, workspace, server, tool, outcome, code] {
        match field {
            Some(text) => {
                write_number(text.len() as u64 + 1, out);
                out.extend_from_slice(text.as_bytes());
            }
            None => out.push(0),
        }
    }
    match duration_us {
        Some(micros) => {
            out.push(1);
            write_number(*micros, out);
        }
        None => out.push(0),
    }
    write_text(body, out);
}

/// The entry, if that is what these bytes are and nothing else.
pub(crate) fn read_entry(bytes: &[u8]) -> Option<AuditEntry> {
    let mut bytes = EntryBytes(bytes);
    if bytes.byte()? != FORM {
        return None;
    }
    let entry = AuditEntry {
        at: bytes.number()?,
        kind: AuditKind::parse(bytes.text()?)?,
        correlation: bytes.text()?.to_owned(),
        round: u32::try_from(bytes.number()?).ok()?,
        principal: bytes.text()?.to_owned(),
        client: bytes.optional()?,
        role: bytes.optional()?,
        session: bytes.optional()?,
        workspace: bytes.optional()?,
        server: bytes.optional()?,
        tool: bytes.optional()?,
        outcome: bytes.optional()?,
        code: bytes.optional()?,
        duration_us: match bytes.byte()? {
            0 => None,
            1 => Some(bytes.number()?),
            _ => return None,
        },
        body: bytes.text()?.to_owned(),
    };
    bytes.0.is_empty().then_some(entry)
}

/// The body alone, of bytes that are known to be an entry.
pub(crate) fn body_of(bytes: &[u8]) -> Option<&str> {
    let mut bytes = EntryBytes(bytes.strip_prefix(&[FORM])?);
    let _at = bytes.number()?;
    let (_kind, _correlation) = (bytes.text()?, bytes.text()?);
    let _round = bytes.number()?;
    let _principal = bytes.text()?;
    for _client_to_code in 0..8 {
        if let Some(length) = bytes.number()?.checked_sub(1) {
            bytes.take(length)?;
        }
    }
    if bytes.byte()? == 1 {
        let _duration = bytes.number()?;
    }
    bytes.text()
}

pub(crate) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_number(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

/// What is still to be read.
pub(crate) struct EntryBytes<'a>(pub(crate) &'a [u8]);

impl<'a> EntryBytes<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            // The last byte has room for one bit, and no number ends in a zero that says nothing.
            if (shift == 63 && part > 1) || (byte == 0 && shift > 0) {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        str::from_utf8(self.take(length)?).ok()
    }

    /// Nothing at all, or what is there.
    fn optional(&mut self) -> Option<Option<String>> {
        match self.number()?.checked_sub(1) {
            None => Some(None),
            Some(length) => Some(Some(str::from_utf8(self.take(length)?).ok()?.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
