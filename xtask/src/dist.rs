//! `cargo xtask dist`: the program as it is published, built by what was counted while it served calls.
//!
//! `crates/cli/calls.profdata` says which branches of which functions a call takes, and how often; the compiler
//! then puts the few hundred kilobytes that calls run through beside each other and everything else out of their
//! way. A call takes a fifth less of the processor for it. A function that has changed since is built as if nothing
//! was known of it, so an old profile costs speed and nothing else; `scripts/calls-profile.sh` makes a new one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::bench::target_folder;

const PROFILE: &str = "crates/cli/calls.profdata";

/// An older LLVM cannot read what this one wrote.
const WRITTEN_BY_LLVM: u32 = 22;

/// What is inlined before anything is counted, which has to be the same in both builds. By itself LLVM takes as much
/// as it would in code that is not to be small, and the program is two megabytes larger for it.
const INLINED_BEFORE: &str = "-Cllvm-args=-preinline-threshold=20";

/// Which of its builds.
#[derive(Debug, Clone)]
pub enum DistBuild {
    /// The one that is published, by the profile.
    Published,
    /// One that counts, and writes what a new profile is made of into this folder.
    Counting(PathBuf),
}

/// Builds it and says where it is.
pub fn build(root: &Path, which: DistBuild) -> Result<PathBuf> {
    let compiler = RustCompiler::ask()?;
    let profile = match which {
        DistBuild::Counting(folder) => format!("-Cprofile-generate={}", folder.display()),
        DistBuild::Published if compiler.llvm < WRITTEN_BY_LLVM => {
            bail!("{PROFILE} is not for this Rust, whose LLVM is older than {WRITTEN_BY_LLVM}");
        }
        DistBuild::Published => {
            let profile = root.join(PROFILE);
            format!("-Cprofile-use={} -Cllvm-args=-no-pgo-warn-mismatch", profile.display())
        }
    };
    // What the caller asks for is asked for as well.
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut cargo = Command::new(env!("CARGO"));
    // With a target, what runs while it is built is not built so too.
    cargo.args(["build", "--package", "toolgate", "--profile", "dist", "--target"]);
    cargo.arg(&compiler.host).current_dir(root);
    cargo.env("RUSTFLAGS", format!("{flags} {profile} {INLINED_BEFORE}"));
    if !cargo.status()?.success() {
        bail!("the build failed");
    }
    Ok(target_folder(root).join(compiler.host).join("dist/toolgate"))
}

/// What is built with.
struct RustCompiler {
    host: String,
    /// The first number of its LLVM's version.
    llvm: u32,
}

impl RustCompiler {
    fn ask() -> Result<Self> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let said = Command::new(rustc).arg("-vV").output().context("asking rustc")?;
        Self::of(&String::from_utf8_lossy(&said.stdout))
    }

    fn of(said: &str) -> Result<Self> {
        let word = |name: &str| said.lines().find_map(|line| line.strip_prefix(name));
        let host = word("host: ").context("rustc does not say where it runs")?.to_owned();
        let llvm = word("LLVM version: ").and_then(|version| version.split('.').next());
        let llvm = llvm.and_then(|number| number.parse().ok()).unwrap_or_default();
        Ok(Self { host, llvm })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustc_says_of_itself_is_read() {
        let said = "rustc 1.95.0 (abc 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n\
            release: 1.95.0\nLLVM version: 22.1.2\n";
        let compiler = RustCompiler::of(said).unwrap();
        assert_eq!((compiler.host.as_str(), compiler.llvm), ("x86_64-unknown-linux-gnu", 22));
        assert_eq!(RustCompiler::of("host: here\n").unwrap().llvm, 0, "some other code generator");
        assert!(RustCompiler::of("rustc 1.95.0\n").is_err());
    }
}
