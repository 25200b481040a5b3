//! `MCP-Session-Id`: what an id of a legacy session may look like.
//!
//! Making one that cannot be guessed, and knowing whose it is, is for the gateway.

use std::fmt;

use thiserror::Error;

/// The longest id that is taken; some servers put a signed token there.
const LONGEST: usize = 4096;

/// A session id: visible ASCII, nothing else. It opens a session, so it does not show itself.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HeaderSessionId(Box<str>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a session id is 1 to {LONGEST} visible ASCII characters")]
pub struct InvalidSessionId;

impl HeaderSessionId {
    pub fn parse(value: &[u8]) -> Result<Self, InvalidSessionId> {
        let is_valid = (1..=LONGEST).contains(&value.len())
            && value.iter().all(|byte| byte.is_ascii_graphic());
        match str::from_utf8(value) {
            Ok(text) if is_valid => Ok(Self(text.into())),
            _ => Err(InvalidSessionId),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HeaderSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({} characters)", self.0.len())
    }
}
