//! The rules of the repository that a program can hold, one file each.
//!
//! A check reads and reports; it repairs nothing. Rules that need judgement are for reviewers.

pub mod circles;
pub mod generated;
pub mod imports;
pub mod no_policy;
pub mod openings;
pub mod prints;
pub mod raw_json;
pub mod requirements;
pub mod settings;
pub mod size;
pub mod spawns;
pub mod sql;
pub mod terminal;
pub mod type_names;
pub mod workplace;

use anyhow::Result;

use crate::source::{self, LexedSource, without_tests};
use crate::{Finding, Repository};

/// A rule by its name.
#[derive(Debug, Clone, Copy)]
pub struct TidyRule {
    pub name: &'static str,
    pub run: fn(&Repository) -> Result<Vec<Finding>>,
}

pub const CHECKS: [TidyRule; 15] = [
    TidyRule { name: "imports", run: imports::check },
    TidyRule { name: "circles", run: circles::check },
    TidyRule { name: "type_names", run: type_names::check },
    TidyRule { name: "openings", run: openings::check },
    TidyRule { name: "spawning", run: spawns::check },
    TidyRule { name: "sql", run: sql::check },
    TidyRule { name: "raw_json", run: raw_json::check },
    TidyRule { name: "no_policy", run: no_policy::check },
    TidyRule { name: "printing", run: prints::check },
    TidyRule { name: "terminal", run: terminal::check },
    TidyRule { name: "requirements", run: requirements::check },
    TidyRule { name: "settings", run: settings::check },
    TidyRule { name: "generated", run: generated::check },
    TidyRule { name: "workplace", run: workplace::check },
    TidyRule { name: "size", run: size::check },
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
    without_tests(&LexedSource::new(text).code)
}
