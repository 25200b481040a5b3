//! Builds and runs one benchmark of the workspace, which prints what it measured.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::BenchExtent;

/// Runs it with these words; of a tenth on the debug build, with `tenth` added.
pub(crate) fn run(
    root: &Path,
    extent: BenchExtent,
    name: &str,
    words: &[&str],
    tenth: &str,
) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    // One package alone would have other features of what it depends on, and all of it would be
    // built again beside what the tests were built from.
    cargo.args(["bench", "--workspace", "--bench", name]);
    if extent == BenchExtent::Tenth {
        cargo.args(["--profile", "dev"]);
    }
    cargo.arg("--").args(words);
    if extent == BenchExtent::Tenth {
        cargo.arg(tenth);
    }
    if !cargo.current_dir(root).status()?.success() {
        bail!("the benchmark `{name}` failed");
    }
    Ok(())
}
