//! Runs the benchmark of the host library: a program of that crate, which prints what it measured.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::BenchExtent;

/// Builds and runs it with these words.
pub(crate) fn run(root: &Path, extent: BenchExtent, words: &[&str]) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    // One package alone would have other features of what it depends on, and all of it would be
    // built again beside what the tests were built from.
    cargo.args(["bench", "--workspace", "--bench", "host"]);
    if extent == BenchExtent::Tenth {
        cargo.args(["--profile", "dev"]);
    }
    cargo.arg("--").args(words);
    if extent == BenchExtent::Tenth {
        cargo.arg("--tenth");
    }
    if !cargo.current_dir(root).status()?.success() {
        bail!("the benchmark of the host failed");
    }
    Ok(())
}
