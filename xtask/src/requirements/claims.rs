//! What the tests claim: a line `/// Shows: S0-13, S0-14.` in the doc comment of a test function.
//!
//! It finds tests by their attribute and names them by their file; it does not run them. A test made
//! by a macro of our own would not be seen.

use std::collections::HashMap;

use anyhow::Result;

use super::is_id;
use crate::source::{LexedSource, words};
use crate::{Finding, Repository};

const CLAIM: &str = "Shows:";

/// A test function and the rows it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimingTest {
    pub name: String,
    pub file: String,
    pub line: usize,
    pub rows: Vec<String>,
}

/// All tests, and the claims that cannot be read.
#[derive(Debug, Default)]
pub struct TestClaims {
    pub tests: Vec<ClaimingTest>,
    pub findings: Vec<Finding>,
}

/// The tests of the workspace. The fuzz targets are no tests.
pub fn collect(repository: &Repository) -> Result<TestClaims> {
    let mut all = TestClaims::default();
    for file in repository.rust_files().filter(|file| !file.starts_with("fuzz/")) {
        let found = claims_in(file, &repository.source(file)?);
        all.tests.extend(found.tests);
        all.findings.extend(found.findings);
    }
    Ok(all)
}

/// The tests of one file.
pub fn claims_in(file: &str, text: &str) -> TestClaims {
    let source = LexedSource::new(text);
    let docs: HashMap<usize, &str> = source
        .comments
        .iter()
        .filter_map(|comment| Some((comment.line, comment.text.strip_prefix("///")?.trim())))
        .collect();
    let mut claims = TestClaims::default();
    let mut block = ItemPreamble::default();
    let mut depth = 0_usize;
    for (index, code) in source.code.lines().enumerate() {
        let line = index + 1;
        if let Some(doc) = docs.get(&line) {
            block.docs.push(doc);
        }
        let is_attribute = depth > 0 || code.trim_start().starts_with("#[");
        if is_attribute {
            block.attributes.push_str(code.trim());
            depth = (depth + code.matches('[').count()).saturating_sub(code.matches(']').count());
        }
        if let Some(function) = function_in(code) {
            claims.add(file, line, function, &block);
        }
        if !is_attribute && !code.trim().is_empty() {
            block = ItemPreamble::default();
        }
    }
    claims
}

/// The doc comment and the attributes before an item.
#[derive(Default)]
struct ItemPreamble<'s> {
    docs: Vec<&'s str>,
    attributes: String,
}

impl TestClaims {
    fn add(&mut self, file: &str, line: usize, function: &str, block: &ItemPreamble<'_>) {
        let is_test =
            ["#[test]", "#[tokio::test"].iter().any(|mark| block.attributes.contains(mark));
        let name = format!("{}::{function}", module(file));
        let mut finding = |message: String| self.findings.push(Finding::new(file, line, message));
        let (rows, problem) = rows_of(&block.docs);
        if let Some(problem) = problem {
            finding(format!("`{function}`: {problem}"));
        }
        if !is_test {
            if !rows.is_empty() {
                finding(format!("`{function}` claims rows and is not a test"));
            }
            return;
        }
        if !rows.is_empty() && block.attributes.contains("#[ignore") {
            finding(format!("`{function}` claims rows and is ignored"));
        }
        self.tests.push(ClaimingTest { name, file: file.to_owned(), line, rows });
    }
}

/// The rows after `Shows:` up to the full stop, and what is wrong with them.
fn rows_of(docs: &[&str]) -> (Vec<String>, Option<String>) {
    let Some(start) = docs.iter().position(|line| line.starts_with(CLAIM)) else {
        return (Vec::new(), None);
    };
    let text = docs[start..].join(" ");
    let Some((list, _)) = text[CLAIM.len()..].split_once('.') else {
        return (Vec::new(), Some(format!("`{CLAIM}` without a full stop")));
    };
    let (rows, odd): (Vec<&str>, Vec<&str>) =
        list.split(',').map(str::trim).partition(|row| is_id(row));
    let problem = (!odd.is_empty()).then(|| format!("claims `{}`, not a row", odd.join(", ")));
    (rows.into_iter().map(str::to_owned).collect(), problem)
}

fn function_in(code: &str) -> Option<&str> {
    let mut words = words(code).map(|(_, word, _)| word);
    words.find(|word| *word == "fn")?;
    words.next()
}

/// `crates/config/tests/it/discovery.rs` → `config/discovery`.
fn module(file: &str) -> String {
    let below = file.strip_prefix("crates/").unwrap_or(file);
    let below = below.strip_suffix(".rs").unwrap_or(below);
    let Some((room, path)) = below.split_once('/') else { return below.to_owned() };
    let path = path.strip_prefix("src/").or_else(|| path.strip_prefix("tests/it/")).unwrap_or(path);
    format!("{room}/{}", path.replace('/', "::"))
}
