//! The two eras of the protocol.

/// How a connection says who is there and what it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// Once, with the handshake `initialize`; up to 2025-11-25.
    Legacy,
    /// With every request; from 2026-07-28 on.
    Modern,
}

impl Era {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}
