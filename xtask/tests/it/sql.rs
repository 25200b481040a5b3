//! Statements are found in literals, and sentences are left alone.
//!
//! That the driver is nobody else's dependency is tested with the imports.

use crate::sample::repository;
use xtask::tidy::sql::{check, check_text};

const FILE: &str = "crates/audit/src/search.rs";

#[test]
fn statements_are_found() {
    for bad in [
        "SELECT id FROM calls",
        "\\n    INSERT INTO a VALUES (1)",
        "\\\n  UPDATE a SET b = 1",
        "DELETE FROM a",
        "CREATE TABLE a (b)",
        "PRAGMA journal_mode",
        "BEGIN IMMEDIATE",
        "VACUUM",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "select * from calls",
        "delete from calls",
        "pragma user_version",
    ] {
        let text = format!("const A: &str = \"{bad}\";");
        assert_eq!(check_text(FILE, &text).len(), 1, "{bad}");
    }
    assert_eq!(check_text(FILE, "const A: &str = r#\"\n  SELECT \"a\" FROM b\"#;").len(), 1);
    assert_eq!(check_text("crates/cli/tests/it/a.rs", "f(\"SELECT 1\")").len(), 1);
}

#[test]
fn sentences_and_comments_are_not() {
    for good in [
        "Select a server",
        "Update the file, or set it again",
        "select one from the list",
        "with tools as (well as) prompts",
        "Create the folder first",
        "SELECTED",
        "DELETE",
        "DELETE /mcp",
    ] {
        let text = format!("// SELECT 1\nconst A: &str = \"{good}\";");
        assert_eq!(check_text(FILE, &text), [], "{good}");
    }
}

#[test]
fn the_store_may() {
    assert_eq!(check_text("crates/store/src/a.rs", "f(\"SELECT 1\")"), []);
}

#[test]
fn a_file_of_sql_is_found_outside_the_store() {
    let files = [("crates/audit/a.sql", ""), ("crates/store/migrations/b.sql", "")];
    let (_folder, repository) = repository(&files);
    let findings = check(&repository).unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].file, "crates/audit/a.sql");
}
