//! The chain from its checkpoint to its end, one row in memory at a time.

use rusqlite::{Connection, Error};

use super::row;
use crate::audit::chain::{ChainWalk, broken};
use crate::{AuditHead, AuditVerdict, AuditVisitor};

pub(super) fn verify(
    connection: &mut Connection,
    expected: Option<AuditHead>,
    mut visit: AuditVisitor,
) -> rusqlite::Result<AuditVerdict> {
    // One transaction: a checkpoint from before a pruning would not fit the rows from after it.
    let transaction = connection.transaction()?;
    let checkpoint = row::checkpoint(&transaction)?;
    let mut walk = ChainWalk::begin(checkpoint.map(|checkpoint| checkpoint.place.head), expected);
    let mut select = transaction.prepare_cached("SELECT * FROM audit ORDER BY sequence")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let row = match row::read(row) {
            Ok(row) => row,
            Err(error) if is_no_value_of_ours(&error) => {
                return Ok(broken(walk.due(), format!("it cannot be read: {error}")));
            }
            Err(error) => return Err(error),
        };
        if let Err(verdict) = walk.step(&row) {
            return Ok(verdict);
        }
        visit(&row);
    }
    Ok(walk.end())
}

/// Somebody wrote what we never do; a page that cannot be read is another matter.
pub(super) fn is_no_value_of_ours(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
    )
}
