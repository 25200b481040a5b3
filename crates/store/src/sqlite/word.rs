//! A column whose text is one of a few words; any other is a row that no Toolgate wrote.

use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};

pub(super) fn word<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| {
        let unknown = FromSqlError::Other(format!("unknown {column} {text:?}").into());
        let index = row.as_ref().column_index(column).unwrap_or_default();
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(unknown))
    })
}
