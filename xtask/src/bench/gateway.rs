//! Runs the benchmark and the soak of the gateway: a program of that crate, which starts the real
//! gate and prints what it measured.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::{Extent, build};

/// Which of the two.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Bench,
    Soak,
}

/// Builds both programs and runs this part. The whole of it also writes its report.
pub(crate) fn run(root: &Path, extent: Extent, part: Part) -> Result<()> {
    let gate = build(root, extent)?;
    let mut cargo = Command::new(env!("CARGO"));
    // As for the host: one package alone would be built anew with other features.
    cargo.args(["bench", "--workspace", "--bench", "load"]);
    if extent == Extent::Tenth {
        cargo.args(["--profile", "dev"]);
    }
    cargo.args(["--", part.word(), "--gate"]).arg(gate);
    match extent {
        Extent::Whole => cargo.arg("--reports").arg(root.join("docs/reports")),
        Extent::Tenth => cargo.arg("--tenth"),
    };
    if !cargo.current_dir(root).status()?.success() {
        bail!("the {} of the gateway failed", part.word());
    }
    Ok(())
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Soak => "soak",
        }
    }
}
