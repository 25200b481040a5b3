//! What SQLite said, in the words of [`StoreError`].
//!
//! Nothing is retried here: waiting for another process is SQLite's busy timeout.

use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};

use crate::StoreError;

pub(super) fn failure(path: &Path, error: &Error) -> StoreError {
    match error {
        // A value that no version of this program writes.
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => StoreError::corrupt(path, error.to_string()),
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            // The index of the log could not be made longer, and that it cannot be asked for its
            // length, which has the same code, does not happen to an open file.
            Some(ErrorCode::SystemIoFailure) if extended(error) == ffi::SQLITE_IOERR_SHMSIZE => {
                StoreError::Full
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::corrupt(path, error.to_string())
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                StoreError::folder(path, error.to_string())
            }
            _ => StoreError::Other { what: error.to_string() },
        },
    }
}

fn extended(error: &Error) -> i32 {
    error.sqlite_error().map_or(ffi::SQLITE_OK, |error| error.extended_code)
}

/// What went wrong: with the database, or with a file beside it.
#[derive(Debug)]
pub(super) enum IndexFailure {
    Database(Error),
    File(StoreError),
}

impl IndexFailure {
    /// As it is told, with the place of the database.
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Database(error) => failure(path, &error),
            Self::File(error) => error,
        }
    }
}

impl From<Error> for IndexFailure {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for IndexFailure {
    fn from(error: StoreError) -> Self {
        Self::File(error)
    }
}

#[cfg(test)]
mod tests;
