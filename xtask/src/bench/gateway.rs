//! Runs the benchmarks and the soak of the gateway: a program of that crate, which starts the real
//! gate and prints what it measured.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::other_proxy::other_proxy;
use super::{BenchExtent, build};

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchPart {
    Bench,
    Growth,
    Soak,
}

/// Builds both programs and runs this part. The whole of it also writes its report.
pub(crate) fn run(root: &Path, extent: BenchExtent, part: BenchPart) -> Result<()> {
    let gate = build(root, extent)?;
    let mut cargo = Command::new(env!("CARGO"));
    // As for the host: one package alone would be built anew with other features.
    cargo.args(["bench", "--workspace", "--bench", "load"]);
    if extent == BenchExtent::Tenth {
        cargo.args(["--profile", "dev"]);
    }
    cargo.args(["--", part.word(), "--gate"]).arg(gate);
    if let (BenchPart::Bench, Some(beside)) = (part, other_proxy(root, extent)) {
        cargo.arg("--beside").arg(beside);
    }
    match extent {
        BenchExtent::Whole => cargo.arg("--reports").arg(root.join("docs/reports")),
        BenchExtent::Tenth => cargo.arg("--tenth"),
    };
    if !cargo.current_dir(root).status()?.success() {
        bail!("the {} of the gateway failed", part.word());
    }
    Ok(())
}

impl BenchPart {
    fn word(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Growth => "growth",
            Self::Soak => "soak",
        }
    }
}
