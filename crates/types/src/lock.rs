//! What a project's `toolgate.lock` holds tools to be. It can only tighten: a tool that is not what
//! it says asks a person, and nothing that it says makes one ask less.

use std::collections::BTreeMap;

use crate::Digest;

/// The file's name, beside the project's configuration.
pub const LOCK_FILE: &str = "toolgate.lock";

/// The lock of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProjectLock {
    /// There is none.
    #[default]
    Absent,
    /// By server and tool, the hash of the definition as the server sends it.
    Names(BTreeMap<String, BTreeMap<String, Digest>>),
    /// There is one and it says nothing that can be understood: nothing is as it says.
    Unreadable,
}

/// What a lock says of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockedTool {
    /// Nothing, nor of its server.
    Free,
    To(Digest),
    /// Its server is there and it is not.
    Unnamed,
}

impl ProjectLock {
    pub fn holds(&self, server: &str, tool: &str) -> LockedTool {
        match self {
            Self::Absent => LockedTool::Free,
            Self::Unreadable => LockedTool::Unnamed,
            Self::Names(servers) => match servers.get(server) {
                Some(tools) => {
                    tools.get(tool).map_or(LockedTool::Unnamed, |hash| LockedTool::To(*hash))
                }
                None => LockedTool::Free,
            },
        }
    }
}
