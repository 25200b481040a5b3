//! Why a server's packages are not there. Each says whose fault it is, and what to do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use toolgate_sandbox::SpawnError;
use toolgate_store::StoreError;
use toolgate_types::config::BadPackageServer;

#[derive(Debug, Error)]
pub enum PackageError {
    #[error("{0}")]
    Entry(#[from] BadPackageServer),
    #[error("its packages were never fetched")]
    NotFixed,
    #[error("this program keeps no packages, so nothing can be fetched for it")]
    NoFolder,
    #[error("`{program}` is needed to fetch it and was not found")]
    NoProgram { program: String },
    #[error("{0}")]
    Start(SpawnError),
    #[error("{step} failed: {said}")]
    Step { step: &'static str, said: String },
    #[error("{step} took longer than {minutes} minutes")]
    Slow { step: &'static str, minutes: u64 },
    #[error("the package {0} comes without a hash, so it cannot be fixed")]
    NoHash(String),
    #[error("what {0} wrote cannot be understood")]
    Odd(&'static str),
    #[error("{package} has no program that it could be started by: it has {has}")]
    NoSuchProgram { package: String, has: String },
    #[error(
        "the registry {0} cannot be reached from behind walls: write its full name or its address"
    )]
    Registry(String),
    #[error("cannot use {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PackageError {
    pub(super) fn folder(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Folder { path, source }
    }

    /// What the person can do, as a sentence of its own.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Entry(_) => Some(BadPackageServer::HINT),
            Self::NotFixed => Some("`toolgate trust` fetches them, and fixes their versions."),
            Self::NoProgram { .. } => Some("Install it, and see that it is found by PATH."),
            Self::NoHash(_) | Self::NoSuchProgram { .. } => {
                Some("Install the server yourself, and write its program as the command.")
            }
            Self::Start(error) => error.hint(),
            _ => None,
        }
    }
}
