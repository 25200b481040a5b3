//! Runs the benchmark of the guard, which prints what it measured.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::BenchExtent;

/// Builds and runs it; of a tenth each case once, untimed.
pub(crate) fn run(root: &Path, extent: BenchExtent) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    // The whole workspace, for the reason that the host's benchmark has.
    cargo.args(["bench", "--workspace", "--bench", "deciding"]);
    if extent == BenchExtent::Tenth {
        cargo.args(["--profile", "dev", "--", "--test"]);
    }
    if !cargo.current_dir(root).status()?.success() {
        bail!("the benchmark of the guard failed");
    }
    Ok(())
}
