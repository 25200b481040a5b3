//! Error codes of both eras, by name.
//!
//! Which error of ours becomes which code is decided in one table elsewhere; this only knows what
//! the codes are.

use std::fmt;

use crate::id::write_digits;

/// The `code` of a JSON-RPC error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    pub const PARSE_ERROR: Self = Self(-32700);
    pub const INVALID_REQUEST: Self = Self(-32600);
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    pub const INVALID_PARAMS: Self = Self(-32602);
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// Up to 2025-11-25; from 2026-07-28 on it is [`Self::INVALID_PARAMS`].
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// 2026-07-28: a header says something else than the body, or is missing.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// 2026-07-28: the server needs what the client has not declared.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// 2026-07-28: the server does not speak the revision of this request.
    pub const UNSUPPORTED_VERSION: Self = Self(-32022);
    /// 2025-11-25 only: a person must open a URL first.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);

    /// Whether only a server of the modern era gives this code a meaning. Its absence says nothing
    /// about the era.
    pub fn is_modern(self) -> bool {
        matches!(
            self,
            Self::HEADER_MISMATCH | Self::MISSING_CLIENT_CAPABILITY | Self::UNSUPPORTED_VERSION
        )
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        if self.0 < 0 {
            out.push(b'-');
        }
        write_digits(out, self.0.unsigned_abs());
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
