//! An entry as bytes, the same in a journal and in a row of the index.
//!
//! Every field is there, in the order of the struct; numbers and lengths in seven bits a byte. A field that
//! may be absent has its length plus one, and nothing is zero. What is read must be all there is: one entry
//! has one spelling.

use super::{AuditEntry, AuditKind};
use crate::time;

/// What an entry's bytes begin with; another number will be another form.
pub(crate) const FORM: u8 = 1;

/// An [`AuditEntry`] where its texts stand: of what is written and read for every call nothing is copied.
#[derive(Debug, Clone, Copy)]
pub struct WrittenEntry<'a> {
    pub at: u64,
    pub kind: AuditKind,
    pub correlation: &'a str,
    pub round: u32,
    pub principal: &'a str,
    pub client: Option<&'a str>,
    pub role: Option<&'a str>,
    pub session: Option<&'a str>,
    pub workspace: Option<&'a str>,
    pub server: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub outcome: Option<&'a str>,
    pub code: Option<&'a str>,
    pub duration_us: Option<u64>,
    pub body: &'a str,
}

impl<'a> WrittenEntry<'a> {
    /// The entry, if that is what these bytes are and nothing else.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = EntryBytes(bytes);
        if bytes.byte()? != FORM {
            return None;
        }
        let entry = Self {
            at: bytes.number()?,
            kind: AuditKind::parse(bytes.text()?)?,
            correlation: bytes.text()?,
            round: u32::try_from(bytes.number()?).ok()?,
            principal: bytes.text()?,
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
            body: bytes.text()?,
        };
        bytes.0.is_empty().then_some(entry)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Self {
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
        } = self;
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

    pub fn to_entry(self) -> AuditEntry {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        AuditEntry {
            at: self.at,
            kind: self.kind,
            correlation: self.correlation.to_owned(),
            round: self.round,
            principal: self.principal.to_owned(),
            client: owned(self.client),
            role: owned(self.role),
            session: owned(self.session),
            workspace: owned(self.workspace),
            server: owned(self.server),
            tool: owned(self.tool),
            outcome: owned(self.outcome),
            code: owned(self.code),
            duration_us: self.duration_us,
            body: self.body.to_owned(),
        }
    }

    /// What the entry counts for where bytes are bounded.
    pub(crate) fn weight(&self) -> u64 {
        let optional = [
            self.client,
            self.role,
            self.session,
            self.workspace,
            self.server,
            self.tool,
            self.outcome,
            self.code,
        ];
        let optional: usize = optional.into_iter().flatten().map(str::len).sum();
        let always = self.correlation.len() + self.principal.len() + self.body.len();
        (AuditEntry::OVERHEAD + always + optional) as u64
    }
}

impl<'a> From<&'a AuditEntry> for WrittenEntry<'a> {
    fn from(entry: &'a AuditEntry) -> Self {
        Self {
            at: time::kept(entry.at),
            kind: entry.kind,
            correlation: &entry.correlation,
            round: entry.round,
            principal: &entry.principal,
            client: entry.client.as_deref(),
            role: entry.role.as_deref(),
            session: entry.session.as_deref(),
            workspace: entry.workspace.as_deref(),
            server: entry.server.as_deref(),
            tool: entry.tool.as_deref(),
            outcome: entry.outcome.as_deref(),
            code: entry.code.as_deref(),
            duration_us: entry.duration_us,
            body: &entry.body,
        }
    }
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
    fn optional(&mut self) -> Option<Option<&'a str>> {
        match self.number()?.checked_sub(1) {
            None => Some(None),
            Some(length) => Some(Some(str::from_utf8(self.take(length)?).ok()?)),
        }
    }
}

#[cfg(test)]
mod tests;
