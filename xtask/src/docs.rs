//! The generated pages: what `cargo xtask docs` writes and `tidy` holds current.
//!
//! It writes below `docs/` only, and only the generated part of a page that people also write.

pub mod attacks;
pub mod metrics;
pub mod reference;

use std::fs;

use anyhow::{Context, Result};

use crate::{Repository, requirements};

/// The reference of the configuration.
pub const REFERENCE: &str = "docs/config.md";

/// The table of what `/metrics` counts.
pub const METRICS: &str = "docs/metrics.md";

/// The table of the corpus of attacks.
pub const ATTACKS: &str = "docs/reports/attacks.md";

/// A page and the text it ought to have.
#[derive(Debug)]
pub struct DocPage {
    pub file: &'static str,
    pub text: String,
}

impl DocPage {
    /// Writes the page unless it is current; says whether it wrote.
    pub fn write(&self, repository: &Repository) -> Result<bool> {
        let path = repository.root().join(self.file);
        if fs::read_to_string(&path).is_ok_and(|text| text == self.text) {
            return Ok(false);
        }
        fs::write(&path, &self.text).with_context(|| format!("writing {}", self.file))?;
        Ok(true)
    }
}

/// Every generated page, as it ought to be.
pub fn pages(repository: &Repository) -> Result<Vec<DocPage>> {
    let tests = requirements::collect(repository)?.tests;
    let text = repository.source(requirements::PAGE)?;
    let rows = DocPage { file: requirements::PAGE, text: requirements::rewrite(&text, &tests) };
    let attacks = DocPage { file: ATTACKS, text: attacks::render(repository)? };
    Ok(vec![rows, configuration_reference(), metrics_table(), attacks])
}

/// The reference page of the configuration.
pub fn configuration_reference() -> DocPage {
    let text = reference::render(&toolgate_config::schema::json_schema());
    DocPage { file: REFERENCE, text }
}

/// The page of the metrics.
pub fn metrics_table() -> DocPage {
    DocPage { file: METRICS, text: metrics::render() }
}
