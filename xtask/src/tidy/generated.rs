//! The reference of the configuration and the table of metrics are what `cargo xtask docs` would
//! write.
//!
//! The generated column of the requirements is held by `requirements`, which says more exactly what
//! is wrong with it.

use anyhow::Result;

use crate::docs::{self, DocPage};
use crate::{Finding, Repository};

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for page in [docs::configuration_reference(), docs::metrics_table()] {
        findings.extend(compare(repository, &page)?);
    }
    Ok(findings)
}

/// A finding at the first line that differs.
pub fn compare(repository: &Repository, page: &DocPage) -> Result<Option<Finding>> {
    if !repository.files().any(|file| file == page.file) {
        return Ok(Some(Finding::new(page.file, 0, "is missing: run `cargo xtask docs`")));
    }
    let text = repository.source(page.file)?;
    if text == page.text {
        return Ok(None);
    }
    let same = text.lines().zip(page.text.lines()).take_while(|(is, ought)| is == ought).count();
    Ok(Some(Finding::new(page.file, same + 1, "is not current: run `cargo xtask docs`")))
}
