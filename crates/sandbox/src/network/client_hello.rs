//! The host that a TLS connection says it is for: the server name in its first message.
//!
//! Only what stands there in the clear is read, and nothing of it is believed beyond that.

/// More than any first message has; one that is longer is none.
pub(super) const LONGEST_HELLO: usize = 64 * 1024;

/// What the first bytes of a connection are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FirstBytes {
    /// Not the beginning of a TLS connection.
    Other,
    /// The beginning of one, and more is needed.
    Incomplete,
    Hello(SaidServerName),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SaidServerName {
    Named(String),
    None,
    /// It says several things, or makes no sense.
    Garbled,
}

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;

pub(super) fn look_at(bytes: &[u8]) -> FirstBytes {
    match bytes {
        [] => return FirstBytes::Incomplete,
        [HANDSHAKE] | [HANDSHAKE, 3, ..] => {}
        _ => return FirstBytes::Other,
    }
    let garbled = FirstBytes::Hello(SaidServerName::Garbled);
    // The message may be spread over records; each has a length of its own.
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        if let [kind, a, b, c, body @ ..] = message.as_slice() {
            if *kind != CLIENT_HELLO {
                return garbled;
            }
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if let Some(body) = body.get(..length) {
                return FirstBytes::Hello(server_name(body).unwrap_or(SaidServerName::Garbled));
            }
        }
        let [kind, _, _, a, b, after @ ..] = rest else { return FirstBytes::Incomplete };
        let length = usize::from(u16::from_be_bytes([*a, *b]));
        if *kind != HANDSHAKE || length == 0 {
            return garbled;
        }
        let (Some(part), after) = (after.get(..length), after.get(length..)) else {
            return FirstBytes::Incomplete;
        };
        message.extend_from_slice(part);
        rest = after.unwrap_or_default();
    }
}

/// What a whole first message says; `None` if it makes no sense.
fn server_name(body: &[u8]) -> Option<SaidServerName> {
    let mut body = Bytes(body);
    body.take(2 + 32)?;
    body.take_short_list()?;
    body.take_list()?;
    body.take_short_list()?;
    if body.0.is_empty() {
        return Some(SaidServerName::None);
    }
    let mut extensions = Bytes(body.take_list()?);
    let mut said = SaidServerName::None;
    while !extensions.0.is_empty() {
        let kind = extensions.take_number()?;
        let content = extensions.take_list()?;
        if kind != SERVER_NAME {
            continue;
        }
        let mut names = Bytes(Bytes(content).take_list()?);
        while !names.0.is_empty() {
            let [kind] = names.take(1)? else { return None };
            let name = names.take_list()?;
            // One name, once: whoever says two means one of them to be overlooked.
            if *kind != HOST_NAME || said != SaidServerName::None {
                return None;
            }
            said = SaidServerName::Named(String::from_utf8(name.to_vec()).ok()?);
        }
    }
    Some(said)
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn take_number(&mut self) -> Option<u16> {
        self.take(2).and_then(|two| two.try_into().ok()).map(u16::from_be_bytes)
    }

    /// With a length of two bytes before it.
    fn take_list(&mut self) -> Option<&'a [u8]> {
        let length = self.take_number()?;
        self.take(usize::from(length))
    }

    /// With a length of one byte before it.
    fn take_short_list(&mut self) -> Option<&'a [u8]> {
        let length = self.take(1)?.first().copied()?;
        self.take(usize::from(length))
    }
}

#[cfg(test)]
pub(super) mod tests;
