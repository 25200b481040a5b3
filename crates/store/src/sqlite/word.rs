//! A column whose text has a form of its own; any other is a row that no Toolgate wrote.

use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};

pub(super) fn word<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    parsed(row, column, &row.get::<_, String>(column)?, parse)
}

/// The same by the place of the column, where many rows are read.
pub(super) fn word_at<T>(
    row: &Row<'_>,
    place: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(place)?.as_str()?;
    parse(text).ok_or_else(|| {
        let column = row.as_ref().column_name(place).unwrap_or("?");
        unknown(column, place, text)
    })
}

/// The same where there may be none.
pub(super) fn optional_word<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| parsed(row, column, &text, parse)).transpose()
}

fn parsed<T>(
    row: &Row<'_>,
    column: &str,
    text: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    parse(text)
        .ok_or_else(|| unknown(column, row.as_ref().column_index(column).unwrap_or_default(), text))
}

/// A column whose bytes are not what they should be.
pub(super) fn unreadable(row: &Row<'_>, column: &str, why: &str) -> rusqlite::Error {
    let place = row.as_ref().column_index(column).unwrap_or_default();
    let why = FromSqlError::Other(why.to_owned().into());
    rusqlite::Error::FromSqlConversionFailure(place, Type::Blob, Box::new(why))
}

fn unknown(column: &str, place: usize, text: &str) -> rusqlite::Error {
    let unknown = FromSqlError::Other(format!("unknown {column} {text:?}").into());
    rusqlite::Error::FromSqlConversionFailure(place, Type::Text, Box::new(unknown))
}
