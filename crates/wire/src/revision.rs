//! The revisions of the protocol, their order, and the two eras they fall into.
//!
//! Which revision a connection ends up with is negotiated by whoever holds it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use toolgate_types::Era;

/// A revision that Toolgate speaks, ordered by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProtocolRevision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a known revision of the protocol")]
pub struct UnknownRevision;

impl ProtocolRevision {
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];
    pub const NEWEST: Self = Self::V2026_07_28;
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// What an HTTP request without `MCP-Protocol-Version` and without a session is taken to be.
    pub const WITHOUT_HEADER: Self = Self::V2025_03_26;

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// Whether several messages may come in one JSON array.
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Whether HTTP requests carry `MCP-Protocol-Version`.
    pub fn has_version_header(self) -> bool {
        self >= Self::V2025_06_18
    }
}

impl FromStr for ProtocolRevision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text).ok_or(UnknownRevision)
    }
}

impl fmt::Display for ProtocolRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
