//! The page `docs/requirements.md`: its rows, who shows them, and how it is rewritten.
//!
//! It reads and writes the page only. What the tests claim is in `claims`; whether the two agree is
//! a check of `tidy`.

mod claims;

use std::collections::{BTreeMap, BTreeSet};

pub use claims::{ClaimingTest, TestClaims, claims_in, collect};

pub const PAGE: &str = "docs/requirements.md";
pub const PENDING: &str = "pending";

const COUNT: &str = "Rows shown:";

/// One row of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequirementRow {
    pub line: usize,
    pub id: String,
    pub shown_by: ShownBy,
}

/// The third cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownBy {
    Tests(Vec<String>),
    Later,
    Never,
    Pending,
    Unclear(String),
}

/// What was read from the page, with the lines that could not be.
#[derive(Debug, Default)]
pub struct RequirementsPage {
    pub rows: Vec<RequirementRow>,
    /// The line and the text of the count.
    pub count: Option<(usize, String)>,
    pub broken: Vec<(usize, String)>,
}

/// `S0-13`, `P11-2`, `C7`, `G1`, `E-3`.
pub fn is_id(text: &str) -> bool {
    ["S0", "S1", "S2", "S3", "S4", "P11", "C", "G", "E"].iter().any(|group| {
        text.strip_prefix(group).is_some_and(|rest| {
            let number = rest.strip_prefix('-').unwrap_or(rest);
            // `S0` and `P11` end in a digit themselves, so there the hyphen is what separates.
            let separated = number.len() < rest.len() || !group.ends_with(char::is_numeric);
            separated && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        })
    })
}

pub fn read(text: &str) -> RequirementsPage {
    let mut page = RequirementsPage::default();
    let mut in_table = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.starts_with(COUNT) {
            page.count = Some((number, count_of(line).0.to_owned()));
        }
        let Some(cells) = cells(line) else {
            in_table = false;
            continue;
        };
        match &cells[..] {
            [id, _, cell] if is_id(id) => {
                let row = RequirementRow { line: number, id: id.clone(), shown_by: shown_by(cell) };
                page.rows.push(row);
            }
            [id, ..] if is_id(id) => {
                let message = format!("row {id} has {} cells, not 3", cells.len());
                page.broken.push((number, message));
            }
            [first, ..] if first == "row" => in_table = true,
            [first, ..] if in_table && !is_rule(first) => {
                page.broken.push((number, format!("`{first}` is not the id of a row")));
            }
            _ => {}
        }
    }
    page
}

/// The sentence that the rows make true.
pub fn count_line(rows: &[RequirementRow]) -> String {
    let shown = rows.iter().filter(|row| matches!(row.shown_by, ShownBy::Tests(_))).count();
    format!("{COUNT} {shown} of {}.", rows.len())
}

/// The page with its third column and its count taken from the claims of the tests.
pub fn rewrite(text: &str, tests: &[ClaimingTest]) -> String {
    let mut shown: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for test in tests {
        for row in &test.rows {
            shown.entry(row).or_default().insert(&test.name);
        }
    }
    let rows: Vec<String> = text.lines().map(|line| rewrite_row(line, &shown)).collect();
    let count = count_line(&read(&rows.join("\n")).rows);
    let lines = rows.iter().map(|line| {
        let is_count = line.starts_with(COUNT);
        if is_count { format!("{count}{}\n", count_of(line).1) } else { format!("{line}\n") }
    });
    lines.collect()
}

fn rewrite_row(line: &str, shown: &BTreeMap<&str, BTreeSet<&str>>) -> String {
    let Some([id, text, cell]) = cells(line).and_then(|cells| <[String; 3]>::try_from(cells).ok())
    else {
        return line.to_owned();
    };
    if !is_id(&id) {
        return line.to_owned();
    }
    let cell = match shown.get(id.as_str()) {
        Some(names) => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        None if matches!(shown_by(&cell), ShownBy::Tests(_)) => PENDING.to_owned(),
        None => cell,
    };
    format!("| {id} | {text} | {cell} |")
}

/// The counting sentence and what the author wrote after it.
fn count_of(line: &str) -> (&str, &str) {
    line.split_at(line.find('.').map_or(line.len(), |stop| stop + 1))
}

/// The cells of a table line, trimmed; `\|` does not separate.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    for part in inner.split_inclusive('|') {
        let separates = part.ends_with('|') && !part.ends_with("\\|");
        let part = if separates { &part[..part.len() - 1] } else { part };
        if let Some(cell) = cells.last_mut() {
            cell.push_str(part);
        }
        if separates {
            cells.push(String::new());
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

fn is_rule(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'))
}

fn shown_by(cell: &str) -> ShownBy {
    let says = |word: &str| {
        cell.strip_prefix(word)
            .and_then(|rest| rest.strip_prefix(':'))
            .is_some_and(|reason| !reason.trim().is_empty())
    };
    if cell == PENDING {
        return ShownBy::Pending;
    }
    if says("later") {
        return ShownBy::Later;
    }
    if says("never") {
        return ShownBy::Never;
    }
    let names: Option<Vec<String>> = cell.split(',').map(|name| test_name(name.trim())).collect();
    names.map_or_else(|| ShownBy::Unclear(cell.to_owned()), ShownBy::Tests)
}

/// A test name in backticks, `` `crate/module::function` ``.
fn test_name(text: &str) -> Option<String> {
    let name = text.strip_prefix('`')?.strip_suffix('`')?;
    let is_name = name.contains('/') && name.contains("::") && !name.contains([' ', '`']);
    is_name.then(|| name.to_owned())
}
