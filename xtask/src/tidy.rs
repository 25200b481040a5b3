//! The rules of the repository that a program can hold, one file each.
//!
//! A check reads and reports; it repairs nothing. Rules that need judgement are for reviewers.

pub mod generated;
pub mod imports;
pub mod no_policy;
pub mod openings;
pub mod printing;
pub mod raw_json;
pub mod requirements;
pub mod size;
pub mod spawning;
pub mod sql;
pub mod terminal;
pub mod workplace;

use anyhow::Result;

use crate::source::{self, Source, without_tests};
use crate::{Finding, Repository};

/// A rule by its name.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    pub name: &'static str,
    pub run: fn(&Repository) -> Result<Vec<Finding>>,
}

pub const CHECKS: [Check; 12] = [
    Check { name: "imports", run: imports::check },
    Check { name: "openings", run: openings::check },
    Check { name: "spawning", run: spawning::check },
    Check { name: "sql", run: sql::check },
    Check { name: "raw_json", run: raw_json::check },
    Check { name: "no_policy", run: no_policy::check },
    Check { name: "printing", run: printing::check },
    Check { name: "terminal", run: terminal::check },
    Check { name: "requirements", run: requirements::check },
    Check { name: "generated", run: generated::check },
    Check { name: "workplace", run: workplace::check },
    Check { name: "size", run: size::check },
];

/// Runs a check of one text over the given files.
fn over<'f>(
    repository: &Repository,
    files: impl Iterator<Item = &'f str>,
    check: impl Fn(&str, &str) -> Vec<Finding>,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in files {
        findings.extend(check(file, &repository.source(file)?));
    }
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// The code that ships: without comments, literals and test items; empty for a test file.
fn shipped_code(file: &str, text: &str) -> String {
    if source::is_test(file) {
        return String::new();
    }
    without_tests(&Source::new(text).code)
}
