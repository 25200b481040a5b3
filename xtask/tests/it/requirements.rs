//! A page that does not tell the truth is found, and rewritten where a program can.
//!
//! How claims are read from tests is tested beside it, in `claims`.

use crate::sample::{lines, repository};
use xtask::requirements::{ClaimingTest, TestClaims, claims_in, is_id, rewrite};
use xtask::tidy::requirements::{check, compare};
use xtask::{docs, requirements};

fn page(count: &str, rows: &[&str]) -> String {
    let head = "| row | what Toolgate does | shown by |\n|---|---|---|";
    format!("# Requirements\n\n{count}\n\n{head}\n{}\n", rows.join("\n"))
}

/// Tests of `crates/config/tests/it/a.rs`, each with what it claims.
fn claims(tests: &[(&str, &str)]) -> TestClaims {
    let body =
        |(name, rows): &(&str, &str)| format!("/// Shows: {rows}.\n#[test]\nfn {name}() {{}}\n");
    let found =
        claims_in("crates/config/tests/it/a.rs", &tests.iter().map(body).collect::<String>());
    assert_eq!(found.findings, []);
    found
}

fn tests(tests: &[(&str, &str)]) -> Vec<ClaimingTest> {
    claims(tests).tests
}

#[test]
fn ids_are_those_of_the_page() {
    for good in ["S0-1", "S4-46", "P11-3", "C1", "C31", "G5", "E-10"] {
        assert!(is_id(good), "{good}");
    }
    for bad in ["S5-1", "S0-", "S01", "P11", "C", "C-x", "c1", "S0-1b", "row"] {
        assert!(!is_id(bad), "{bad}");
    }
}

#[test]
fn a_true_page_has_no_findings() {
    let page = page(
        "Rows shown: 2 of 4. The rest says why.",
        &[
            "| S0-1 | a \\| b | `config/a::one`, `config/a::two` |",
            "| S0-2 | b | `config/a::one` |",
            "| C1 | c | later: waits for the gateway |",
            "| C31 | d | never: the design decided otherwise |",
        ],
    );
    assert_eq!(compare(&page, claims(&[("one", "S0-1, S0-2"), ("two", "S0-1")])), []);
}

#[test]
fn each_lie_is_found() {
    let shown = "Rows shown: 1 of 1.";
    let unshown = "Rows shown: 0 of 1.";
    for (count, row, message) in [
        (unshown, "| S0-1 | a | pending |", "7: row S0-1 is pending: show it, or say why not yet"),
        (
            unshown,
            "| S0-1 | a | later: |",
            "7: row S0-1: `later:` is no `later: …`, `never: …` or list of tests",
        ),
        (
            unshown,
            "| S0-1 | a | |",
            "7: row S0-1: `` is no `later: …`, `never: …` or list of tests",
        ),
        (
            shown,
            "| S0-1 | a | `config/a::no` |",
            "7: row S0-1 names `config/a::no`, which does not exist",
        ),
        (
            shown,
            "| S0-1 | a | `config/a::idle` |",
            "7: row S0-1 names `config/a::idle`, which does not claim it",
        ),
        (
            "Rows shown: 7 of 9.",
            "| S0-1 | a | later: b |",
            "3: says `Rows shown: 7 of 9.`, ought to say `Rows shown: 0 of 1.`",
        ),
        ("", "| S0-1 | a | later: b |", "0: does not say `Rows shown: 0 of 1.`"),
    ] {
        let mut claims = claims(&[("idle", "S0-1")]);
        claims.tests[0].rows.clear();
        assert_eq!(lines(&compare(&page(count, &[row]), claims)), [message]);
    }
}

#[test]
fn broken_tables_are_found() {
    let row = "| S0-1 | a | later: b |";
    let page = page("Rows shown: 0 of 2.", &[row, row, "| S9-9 | a | b |", "| S0-2 | a |"]);
    assert_eq!(
        lines(&compare(&page, TestClaims::default())),
        [
            "8: row S0-1 is there twice",
            "9: `S9-9` is not the id of a row",
            "10: row S0-2 has 2 cells, not 3"
        ]
    );
    assert_eq!(lines(&compare("Rows shown: 0 of 0.", TestClaims::default())), ["0: has no rows"]);
}

#[test]
fn tests_that_claim_too_much_are_found() {
    let rows: Vec<String> = (1..=6).map(|n| format!("| S0-{n} | a | `config/a::six` |")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let six = claims(&[("six", "S0-1, S0-2, S0-3, S0-4, S0-5, S0-6")]);
    let found = lines(&compare(&page("Rows shown: 6 of 6.", &rows), six));
    assert_eq!(found, ["3: `config/a::six` claims 6 rows, 5 is the most"]);

    let page = page("Rows shown: 0 of 1.", &["| S0-1 | a | later: b |"]);
    let found = lines(&compare(&page, claims(&[("one", "S0-1, S4-99")])));
    assert_eq!(
        found,
        [
            "3: `config/a::one` claims S0-1, whose row does not name it: run `cargo xtask docs`",
            "3: `config/a::one` claims S4-99, which is no row of docs/requirements.md",
        ]
    );
}

#[test]
fn a_missing_page_is_found() {
    let (_folder, repository) = repository(&[("README.md", "")]);
    assert_eq!(lines(&check(&repository).unwrap()), ["0: is missing"]);
}

#[test]
fn rewriting_fills_the_third_column_and_keeps_the_rest() {
    let before = page(
        "Rows shown: 9 of 9. By hand.",
        &[
            "| S0-1 | a \\| b | pending |",
            "| S0-2 | b | `config/a::gone` |",
            "| S0-3 | c | later: d |",
            "| S0-4 | c | later: but shown |",
        ],
    );
    let after = page(
        "Rows shown: 2 of 4. By hand.",
        &[
            "| S0-1 | a \\| b | `config/a::one`, `config/a::two` |",
            "| S0-2 | b | pending |",
            "| S0-3 | c | later: d |",
            "| S0-4 | c | `config/a::two` |",
        ],
    );
    let tests = tests(&[("two", "S0-1, S0-4"), ("one", "S0-1")]);
    assert_eq!(rewrite(&before, &tests), after);
    assert_eq!(rewrite(&after, &tests), after);
}

#[test]
fn the_verb_writes_the_page_once() {
    let (folder, repository) = repository(&[
        (requirements::PAGE, &page("Rows shown: 0 of 1.", &["| S0-1 | a | pending |"])),
        ("crates/config/src/a.rs", "/// Shows: S0-1.\n#[test]\nfn one() {}\n"),
    ]);
    assert!(!check(&repository).unwrap().is_empty());
    let written = |page: &docs::DocPage| page.write(&repository).unwrap();
    assert!(docs::pages(&repository).unwrap().iter().any(written));
    let text = std::fs::read_to_string(folder.path().join(requirements::PAGE)).unwrap();
    assert!(text.contains("| S0-1 | a | `config/a::one` |"), "{text}");
    assert!(check(&repository).unwrap().is_empty());
    let rows = docs::pages(&repository).unwrap().swap_remove(0);
    assert!(!rows.write(&repository).unwrap());
}
