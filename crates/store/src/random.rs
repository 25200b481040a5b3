//! Bytes that nobody can guess.

use crate::StoreError;

/// From the operating system and not from SQLite's `randomblob`, which goes on with the time and
/// the number of the process where it cannot read `/dev/urandom`. This fails instead.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Other {
        what: format!("the system gave no random bytes: {error}"),
    })?;
    Ok(bytes)
}
