//! The Rust `mcp-proxy` of the registry, beside which calls are measured: one version, built from source below
//! cargo's target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{BenchExtent, target_folder};

const VERSION: &str = "0.6.0";

/// The program, where it is or can be had. A tenth uses the one that is there and fetches none.
#[allow(clippy::print_stderr, reason = "a comparison that is missing must be seen")]
pub(super) fn other_proxy(root: &Path, extent: BenchExtent) -> Option<PathBuf> {
    let folder = target_folder(root).join("beside").join(VERSION);
    let program = folder.join("bin/mcp-proxy");
    if program.is_file() {
        return Some(program);
    }
    if extent == BenchExtent::Tenth {
        return None;
    }
    let installed = Command::new(env!("CARGO"))
        .args(["install", "mcp-proxy", "--locked", "--version", VERSION])
        // Without it, it knows the older era only.
        .args(["--features", "protocol-2026-07-28", "--root"])
        .arg(&folder)
        .env("CARGO_TARGET_DIR", folder.join("build"))
        .current_dir(root)
        .status();
    if !installed.is_ok_and(|status| status.success()) || !program.is_file() {
        eprintln!(
            "SKIPPED: `mcp-proxy` {VERSION} cannot be had, and nothing is measured beside it"
        );
        return None;
    }
    Some(program)
}
