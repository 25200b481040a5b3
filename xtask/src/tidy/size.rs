//! No Rust file is longer than a person reads in one go.
//!
//! About 120 lines is the aim and 350 is large; this holds only the outer bound. Generated files say
//! `@generated` in their opening and are exempt.

use anyhow::Result;

use super::over;
use crate::{Finding, Repository};

pub const LONGEST: usize = 450;

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    let mut opening = text.lines().take_while(|line| line.starts_with("//!"));
    let lines = text.lines().count();
    if lines <= LONGEST || opening.any(|line| line.contains("@generated")) {
        return Vec::new();
    }
    vec![Finding::new(file, 0, format!("{lines} lines; split it, {LONGEST} is the most"))]
}
