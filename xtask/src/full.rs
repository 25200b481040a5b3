//! `cargo xtask full`: what continuous integration runs a tenth of, run whole.
//!
//! The verbs `bench` and `soak` are these same steps, one at a time. What is measured, and what
//! counts as a failure, is for each step to say.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::bench::{self, BenchExtent};
use crate::soak;

/// A step that is too long for every change.
#[derive(Debug, Clone, Copy)]
pub struct FullStep {
    pub verb: &'static str,
    /// Where what it returns is kept, from the repository's root.
    pub report: &'static str,
    pub run: fn(&Path) -> Result<String>,
}

pub const WHOLE_BENCH: FullStep = FullStep {
    verb: "bench",
    report: "docs/reports/configuration.md",
    run: |root| bench::run(root, BenchExtent::Whole),
};

pub const WHOLE_SOAK: FullStep = FullStep {
    verb: "soak",
    report: "docs/reports/orphans.md",
    run: |root| soak::run(root, soak::WHOLE_SOAK_ROUNDS),
};

pub const FULL_STEPS: [FullStep; 2] = [WHOLE_BENCH, WHOLE_SOAK];

impl FullStep {
    /// Runs it, and keeps and returns its report.
    pub fn run_and_keep(&self, root: &Path) -> Result<String> {
        let report = (self.run)(root)?;
        fs::write(root.join(self.report), &report)
            .with_context(|| format!("writing {}", self.report))?;
        Ok(report)
    }
}

/// Runs one step after another and says how long each took. After one that failed the others still
/// run: whoever waited for hours wants to know of all.
pub fn run(root: &Path, steps: &[FullStep], mut say: impl FnMut(&str)) -> Result<()> {
    let mut failed = Vec::new();
    for step in steps {
        let began = Instant::now();
        say(&format!("full: {}", step.verb));
        match step.run_and_keep(root) {
            Ok(report) => say(&report),
            Err(error) => {
                say(&format!("full: {} failed: {error:#}", step.verb));
                failed.push(step.verb);
            }
        }
        say(&format!("full: {} s for: {}", began.elapsed().as_secs(), step.verb));
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
