//! Why there are no walls for a process, and so no process.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why walls cannot be planned. The entry is at fault, unless it is said otherwise.
#[derive(Debug, Error)]
pub enum WallError {
    #[error("the path {0:?} holds a NUL character")]
    Nul(PathBuf),
    #[error("{} cannot be shown to it: {source}", path.display())]
    Unreal { path: PathBuf, source: io::Error },
    #[error("{} is a whole home or more: nothing that may write there is confined", .0.display())]
    TooWide(PathBuf),
    #[error("{} must stay as it is and is a link, which cannot be held", .0.display())]
    ProtectedLink(PathBuf),
    #[error("no such piece of a profile: {0}")]
    UnknownPiece(String),
    #[error("{0} counts from a home, and there is none")]
    NoHome(String),
    #[error("{0} counts from a workspace, and there is none")]
    NoWorkspace(String),
    #[error("its working directory {} is not among the folders that it may see", .0.display())]
    FolderUnseen(PathBuf),
    #[error("its program {} cannot be shown to it", .0.display())]
    ProgramUnseen(PathBuf),
    #[error(
        "a network of names needs walls of our own, and `outer` says that a container is the wall"
    )]
    NamesInContainer,
    #[error("the profile `seatbelt` cannot hold a network of names")]
    NamesWithSeatbelt,
    #[error("the path {0:?} cannot be written into a profile of `seatbelt`")]
    Unquotable(PathBuf),
    #[error("there is no /usr/bin/sandbox-exec here")]
    NoSeatbelt,
    #[error("learning needs walls of our own, and `outer` says that a container is the wall")]
    LearnInContainer,
    #[error("what is installed for it alone needs a root of our own, built by nobody else")]
    PackageElsewhere,
    #[error("`bwrap` is to build them and is in no folder of PATH")]
    NoBubblewrap,
    #[error("`bwrap` is to build them, and {} {why}", path.display())]
    UnfitBubblewrap { path: PathBuf, why: &'static str },
}

impl WallError {
    /// What the person can do, as a sentence of its own.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::TooWide(_) => "Work in a folder of its own, or name a narrower one.",
            Self::ProtectedLink(_) => "Replace the link by what it leads to.",
            Self::UnknownPiece(_) => "Known are @cargo, @node, @python and @go.",
            Self::NamesInContainer | Self::NamesWithSeatbelt => {
                "Write `allow_network = true` or `false`."
            }
            Self::FolderUnseen(_) => "Name the folder under `readable` or `writable`.",
            Self::Unreal { .. } => "Create it, or take it out of `readable` and `writable`.",
            Self::PackageElsewhere => {
                "Install the server yourself, and write its program as the command."
            }
            Self::NoBubblewrap => {
                "Install bubblewrap (0.8 or newer) with the system's packages, or leave `[sandbox] outer` out."
            }
            Self::UnfitBubblewrap { .. } => {
                "Install bubblewrap (0.8 or newer) with the system's packages: a file of root's, not setuid."
            }
            _ => return None,
        })
    }
}
