//! Every Rust file opens with `//!`, and a module is `foo.rs`, never `foo/mod.rs`.
//!
//! It cannot tell whether the opening says anything true.

use anyhow::Result;

use super::over;
use crate::{Finding, Repository};

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let opening = text.lines().next().and_then(|line| line.strip_prefix("//!"));
    if opening.is_none_or(|words| words.trim().is_empty()) {
        let message =
            "does not open with `//!`: what this is, and what it deliberately does not do";
        findings.push(Finding::new(file, 1, message));
    }
    if file.ends_with("/mod.rs") {
        findings.push(Finding::new(file, 0, "a module is `foo.rs` beside `foo/`, not `mod.rs`"));
    }
    findings
}
