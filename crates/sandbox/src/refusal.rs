//! What walls refused, as far as somebody saw it. What nobody saw is for others to guess from what a program
//! complains about.

use std::fmt;

/// A rule of the walls that a process ran into. What a network of names refuses is told to its
/// `NetworkListener`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WallRefusal {
    /// A name in the workspace that stays as it is, or stays away, seen from the workspace.
    Protected(String),
    /// Something was to be written where nothing may be.
    WriteOutside,
    /// The same in a folder that is not even seen there, so that it seems not to exist.
    WriteHidden,
    /// Somebody out there was to be reached, or a name looked up, by a process without a network.
    NetworkOff,
}

/// The rule, and what to do about it.
impl fmt::Display for WallRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protected(name) => write!(f, "`{name}` is protected: read-only in the workspace"),
            Self::WriteOutside => f.write_str(
                "write outside the workspace: name the folder under `writable` of its entry",
            ),
            Self::WriteHidden => f.write_str(
                "write outside the workspace, in a folder that is hidden there: name it under \
                 `writable` of its entry",
            ),
            Self::NetworkOff => f.write_str("network is off: set `allow_network` of its entry"),
        }
    }
}
