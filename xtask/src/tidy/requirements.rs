//! `docs/requirements.md` tells the truth: each row names tests that exist and claim it.
//!
//! It compares names and claims. Whether a test really shows what it claims is for reviewers.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::requirements::{
    self, ClaimingTest, PAGE, RequirementRow, RequirementsPage, ShownBy, TestClaims,
};
use crate::{Finding, Repository};

/// A test that claims more shows none of them well.
pub const MOST_ROWS: usize = 5;

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    if !repository.files().any(|file| file == PAGE) {
        return Ok(vec![Finding::new(PAGE, 0, "is missing")]);
    }
    let claims = requirements::collect(repository)?;
    Ok(compare(&repository.source(PAGE)?, claims))
}

pub fn compare(text: &str, claims: TestClaims) -> Vec<Finding> {
    let page = requirements::read(text);
    let mut findings = claims.findings;
    check_page(&page, &mut findings);
    let tests: BTreeMap<&str, &ClaimingTest> =
        claims.tests.iter().map(|test| (test.name.as_str(), test)).collect();
    for row in &page.rows {
        let messages = check_row(row, &tests);
        findings.extend(messages.map(|message| Finding::new(PAGE, row.line, message)));
    }
    for test in &claims.tests {
        let messages = check_test(test, &page.rows);
        findings.extend(messages.map(|message| Finding::new(&test.file, test.line, message)));
    }
    findings.sort();
    findings
}

/// What the page says about itself.
fn check_page(page: &RequirementsPage, findings: &mut Vec<Finding>) {
    let mut add = |line, message: String| findings.push(Finding::new(PAGE, line, message));
    for (line, message) in &page.broken {
        add(*line, message.clone());
    }
    if page.rows.is_empty() {
        add(0, "has no rows".to_owned());
    }
    let mut seen = BTreeSet::new();
    for row in page.rows.iter().filter(|row| !seen.insert(&row.id)) {
        add(row.line, format!("row {} is there twice", row.id));
    }
    let ought = requirements::count_line(&page.rows);
    match &page.count {
        Some((_, is)) if *is == ought => {}
        Some((line, is)) => add(*line, format!("says `{is}`, ought to say `{ought}`")),
        None => add(0, format!("does not say `{ought}`")),
    }
}

/// The row against the tests it names.
fn check_row(
    row: &RequirementRow,
    tests: &BTreeMap<&str, &ClaimingTest>,
) -> impl Iterator<Item = String> {
    let id = &row.id;
    let messages: Vec<String> = match &row.shown_by {
        ShownBy::Later | ShownBy::Never => Vec::new(),
        ShownBy::Pending => vec![format!("row {id} is pending: show it, or say why not yet")],
        ShownBy::Unclear(cell) => {
            vec![format!("row {id}: `{cell}` is no `later: …`, `never: …` or list of tests")]
        }
        ShownBy::Tests(names) => names
            .iter()
            .filter_map(|name| match tests.get(name.as_str()) {
                None => Some(format!("row {id} names `{name}`, which does not exist")),
                Some(test) if !test.rows.contains(id) => {
                    Some(format!("row {id} names `{name}`, which does not claim it"))
                }
                Some(_) => None,
            })
            .collect(),
    };
    messages.into_iter()
}

/// The test against the rows it claims.
fn check_test(test: &ClaimingTest, rows: &[RequirementRow]) -> impl Iterator<Item = String> {
    let name = &test.name;
    let mut messages = Vec::new();
    if test.rows.len() > MOST_ROWS {
        messages.push(format!("`{name}` claims {} rows, {MOST_ROWS} is the most", test.rows.len()));
    }
    for id in &test.rows {
        let row = rows.iter().find(|row| row.id == *id);
        match row.map(|row| &row.shown_by) {
            None => messages.push(format!("`{name}` claims {id}, which is no row of {PAGE}")),
            Some(ShownBy::Tests(names)) if names.contains(name) => {}
            Some(_) => messages.push(format!(
                "`{name}` claims {id}, whose row does not name it: run `cargo xtask docs`"
            )),
        }
    }
    messages.into_iter()
}
