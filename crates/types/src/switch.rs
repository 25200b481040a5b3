//! What a person switched away without editing a file, and how far that reaches.
//!
//! A switch only takes away. Keeping them is the store's work, and going by them the guard's.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::{RoleId, ServerId};

/// How far a switch reaches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SwitchScope {
    Everywhere,
    /// In this folder and below it, by its real name.
    Folder(PathBuf),
    /// For one window of an agent, until it is closed.
    Window(WindowMark),
}

/// A window of an agent, whichever daemon it is attached to: the process at its other end. A number
/// that comes back has another start, and no process outlives its boot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowMark {
    pub boot: String,
    pub pid: u32,
    pub start: u64,
}

impl WindowMark {
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let (boot, pid, start) = (parts.next()?, parts.next()?, parts.next()?);
        let is_whole = parts.next().is_none() && !boot.is_empty();
        let mark =
            Self { boot: boot.to_owned(), pid: pid.parse().ok()?, start: start.parse().ok()? };
        is_whole.then_some(mark)
    }
}

impl fmt::Display for WindowMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { boot, pid, start } = self;
        write!(f, "{boot} {pid} {start}")
    }
}

impl fmt::Display for SwitchScope {
    /// Where it holds, after "off" or "in use".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => f.write_str("everywhere"),
            Self::Folder(folder) => write!(f, "in {}", folder.display()),
            Self::Window(_) => f.write_str("for this window"),
        }
    }
}

/// What a switch is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SwitchSubject {
    /// Nothing of this server.
    Off(ServerId),
    /// Only what this role shows; one for each scope.
    Role(RoleId),
}

/// One switch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonSwitch {
    pub scope: SwitchScope,
    pub subject: SwitchSubject,
}

/// What the switches come to in one folder; those of single windows come on top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwitchedAway {
    /// Servers that are off, each with the widest scope that says so.
    pub off: BTreeMap<ServerId, SwitchScope>,
    /// The role that is in use: that of the nearest folder, else the one of everywhere.
    pub role: Option<(RoleId, SwitchScope)>,
}

impl SwitchedAway {
    pub fn of(switches: &[PersonSwitch], folder: &Path) -> Self {
        let mut switched = Self::default();
        let counts = |scope: &SwitchScope| match scope {
            SwitchScope::Everywhere => true,
            SwitchScope::Folder(of) => folder.starts_with(of),
            SwitchScope::Window(_) => false,
        };
        let mut here: Vec<_> = switches.iter().filter(|one| counts(&one.scope)).collect();
        // Wide ones first: of folders that lie in each other, the outer has the shorter path.
        here.sort();
        for PersonSwitch { scope, subject } in here {
            match subject {
                SwitchSubject::Off(server) => {
                    switched.off.entry(server.clone()).or_insert_with(|| scope.clone());
                }
                SwitchSubject::Role(role) => switched.role = Some((role.clone(), scope.clone())),
            }
        }
        switched
    }

    pub fn is_nothing(&self) -> bool {
        self.off.is_empty() && self.role.is_none()
    }
}

#[cfg(test)]
mod tests;
