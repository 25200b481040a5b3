//! Only `store` has SQL: no other crate holds a statement, in tests neither.
//!
//! It looks at how string literals begin. Statements put together from pieces would pass; that the
//! driver is a dependency of `store` alone is held by `imports`.

use anyhow::Result;

use super::over;
use crate::source::{LexedSource, room};
use crate::{Finding, Repository};

/// In capitals a verb alone is enough; in small letters only what no sentence begins with.
const CAPITALS: [&str; 12] = [
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    // `DELETE` alone is also a method of HTTP.
    "DELETE FROM ",
    "REPLACE INTO ",
    "CREATE ",
    "ALTER TABLE ",
    "DROP ",
    "PRAGMA ",
    "BEGIN IMMEDIATE",
    "ATTACH DATABASE ",
    "VACUUM",
];
const SMALL: [&str; 8] = [
    "select * from ",
    "select count(",
    "insert into ",
    "delete from ",
    "create table ",
    "create index ",
    "alter table ",
    "pragma ",
];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let mut findings = over(repository, repository.rust_files(), check_text)?;
    let files = repository.files().filter(|file| file.ends_with(".sql") && !may(file));
    findings.extend(files.map(|file| Finding::new(file, 0, "SQL outside crates/store")));
    Ok(findings)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    if may(file) {
        return Vec::new();
    }
    let literals = LexedSource::new(text).literals;
    let statements = literals.into_iter().filter(|literal| is_sql(&literal.text));
    statements
        .map(|literal| {
            let start: String = literal.text.trim_start().chars().take(30).collect();
            let message = format!("SQL outside crates/store: `{}`", start.trim_end());
            Finding::new(file, literal.line, message)
        })
        .collect()
}

/// `xtask` names the statements in order to find them.
fn may(file: &str) -> bool {
    room(file) == Some("store") || file.starts_with("xtask/")
}

fn is_sql(literal: &str) -> bool {
    let text = literal.split_whitespace().collect::<Vec<_>>().join(" ") + " ";
    CAPITALS.iter().chain(&SMALL).any(|start| text.starts_with(start))
        || (text.starts_with("WITH ") && text.contains(" AS ("))
}
