//! Why a token could not be made, listed or ended. For the person at the terminal; what a caller is
//! told is elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toolgate_store::{StoreError, TokenName};

use super::FIRST;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TokenError {
    #[error("there is already a token `{name}`")]
    Taken { name: TokenName },
    #[error("the name `{FIRST}` is for the token that `toolgate serve` makes itself")]
    Reserved,
    #[error("a token must expire later than now")]
    AlreadyExpired,
    #[error("the system gave no random bytes: {why}")]
    NoRandomness { why: String },
    #[error("cannot keep a token in {}: {why}", path.display())]
    File { path: PathBuf, why: String },
    #[error("another process has held {} for too long", path.display())]
    Busy { path: PathBuf },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TokenError {
    /// What the person can do, as a sentence of its own.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Taken { .. } => Some("Choose another name, or revoke that token first."),
            Self::Reserved => Some("Choose another name."),
            Self::File { .. } => Some(
                "Use a folder that belongs to you and that nobody else can write (chmod 700), or \
                 set XDG_STATE_HOME.",
            ),
            Self::Busy { .. } => Some("Try again, and look for a Toolgate process that hangs."),
            Self::AlreadyExpired | Self::NoRandomness { .. } => None,
            Self::Store(error) => error.hint(),
        }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        Self::File { path: path.into(), why: error.to_string() }
    }
}
