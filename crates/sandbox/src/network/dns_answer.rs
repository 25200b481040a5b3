//! Answers to questions of DNS: an address for a name that may be reached, nothing for everything else.
//! No question leaves the sandbox.

use std::net::Ipv4Addr;

/// What a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameLookup {
    Address(Ipv4Addr),
    Unknown,
    /// There is no room for another name.
    Full,
}

const HEADER: usize = 12;
const ADDRESS: u16 = 1;
const INTERNET: u16 = 1;

/// What a name has inside stays so; but a program may outlive what was allowed.
const SECONDS: u32 = 60;

const FORMAT_ERROR: u8 = 1;
const SERVER_FAILURE: u8 = 2;
const NO_SUCH_NAME: u8 = 3;
const NOT_IMPLEMENTED: u8 = 4;

/// The answer to one question; `None` where there is nobody to answer. The name is looked up whatever is
/// asked of it.
pub(super) fn answer(query: &[u8], look_up: impl FnOnce(&str) -> NameLookup) -> Option<Vec<u8>> {
    let (header, rest) = query.split_at_checked(HEADER)?;
    let [id_high, id_low, flags, _, counts @ ..] = header else { return None };
    // An answer is not answered, or two of us would talk for ever.
    if flags & 0x80 != 0 {
        return None;
    }
    let said = |code: u8, question: &[u8], address: Option<Ipv4Addr>| {
        let wants_recursion = flags & 1;
        let mut out = vec![*id_high, *id_low, 0x80 | wants_recursion | flags & 0x78, 0x80 | code];
        let count = |there: bool| [0, u8::from(there)];
        out.extend(count(!question.is_empty()));
        out.extend(count(address.is_some()));
        out.extend([0; 4]);
        out.extend(question);
        if let Some(address) = address {
            // The name as it stands in the question.
            out.extend([0xc0, 0x0c]);
            out.extend(ADDRESS.to_be_bytes());
            out.extend(INTERNET.to_be_bytes());
            out.extend(SECONDS.to_be_bytes());
            out.extend([0, 4]);
            out.extend(address.octets());
        }
        Some(out)
    };
    if flags & 0x78 != 0 {
        return said(NOT_IMPLEMENTED, &[], None);
    }
    if counts.get(..2) != Some(&[0, 1]) {
        return said(FORMAT_ERROR, &[], None);
    }
    let Some((name, length)) = name_of(rest) else { return said(FORMAT_ERROR, &[], None) };
    let (Some(question), Some([a, b, c, d])) =
        (rest.get(..length + 4), rest.get(length..length + 4))
    else {
        return said(FORMAT_ERROR, &[], None);
    };
    let (kind, class) = (u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d]));
    match look_up(&name) {
        NameLookup::Address(address) if kind == ADDRESS && class == INTERNET => {
            said(0, question, Some(address))
        }
        // The name is there and has nothing of what was asked.
        NameLookup::Address(_) => said(0, question, None),
        NameLookup::Unknown => said(NO_SUCH_NAME, question, None),
        NameLookup::Full => said(SERVER_FAILURE, question, None),
    }
}

/// The name at the beginning, and how many bytes it has. A question has no reason to point elsewhere.
fn name_of(bytes: &[u8]) -> Option<(String, usize)> {
    let (mut name, mut at) = (String::new(), 0);
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1;
        match length {
            0 => return Some((name, at)),
            1..=63 if name.len() < 256 => {}
            _ => return None,
        }
        let label = bytes.get(at..at + length)?;
        // A dot within a label is no dot between two.
        if !label.is_ascii() || label.contains(&b'.') {
            return None;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(std::str::from_utf8(label).ok()?);
        at += length;
    }
}

#[cfg(test)]
pub(super) mod tests;
