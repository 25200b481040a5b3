//! No file tells where it was written: no path of a developer's machine.
//!
//! It looks for the prefixes below at the start of a path; names of people or hosts are for
//! reviewers.

use anyhow::Result;

use crate::{Finding, Repository};

const PLACES: [&str; 2] = ["/work/", "/root/"];

/// The lock file is cargo's; this check and its test name the places in order to find them.
const EXEMPT: [&str; 3] =
    ["Cargo.lock", "xtask/src/tidy/workplace.rs", "xtask/tests/it/workplace.rs"];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in repository.files().filter(|file| !EXEMPT.contains(file)) {
        if let Some(text) = repository.text(file)? {
            findings.extend(check_text(file, &text));
        }
    }
    Ok(findings)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for place in PLACES.iter().filter(|place| starts_a_path(line, place)) {
            let message = format!("mentions a path below `{place}`");
            findings.push(Finding::new(file, index + 1, message));
        }
    }
    findings
}

/// `/home/me/work/x`, `../work/x` and `$HOME/work/x` go on from something; those are fine.
fn starts_a_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"_-.~*>})]".contains(c))
    })
}
