//! `cargo xtask dist`: the program as it is published, built by what was counted while it served calls.
//!
//! `crates/cli/calls.profdata` says which branches of which functions a call takes, and how often; the compiler
//! then puts the few hundred kilobytes that calls run through beside each other and everything else out of their
//! way. A call takes a fifth less of the processor for it. A function that has changed since is built as if nothing
//! was known of it, so an old profile costs speed and nothing else; `scripts/calls-profile.sh` makes a new one.
//!
//! Only the crates that calls run through are built so: in all others it makes the program larger for nothing. That
//! is why this program stands between cargo and the compiler meanwhile.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::bench::target_folder;

const PROFILE: &str = "crates/cli/calls.profdata";

/// An older LLVM cannot read what this one wrote.
const WRITTEN_BY_LLVM: u32 = 22;

/// What is inlined before anything is counted, which has to be the same in both builds. By itself LLVM takes as much
/// as it would in code that is not to be small, which made the program 0.2 MB larger and no faster.
const INLINED_BEFORE: &str = "-Cllvm-args=-preinline-threshold=20";

/// What changed since the profile was made is not worth a word.
const QUIET: &str = "-Cllvm-args=-no-pgo-warn-mismatch";

/// Which of its builds.
#[derive(Debug, Clone)]
pub enum DistBuild {
    /// The one that is published, by the profile.
    Published,
    /// One that counts, and writes what a new profile is made of into this folder.
    Counting(PathBuf),
}

/// The flags that [`compile`] adds, where it is what cargo starts in the compiler's place.
const ADDED_FLAGS: &str = "TOOLGATE_DIST_FLAGS";

/// As cargo itself does: paths may have spaces.
const BETWEEN_FLAGS: &str = "\u{1f}";

/// What calls run through.
const COUNTED_CRATES: [&str; 44] = [
    "arc_swap",
    "block_buffer",
    "bytes",
    "digest",
    "futures_channel",
    "futures_core",
    "futures_util",
    "hashbrown",
    "http",
    "http_body",
    "http_body_util",
    "httparse",
    "hyper",
    "hyper_util",
    "indexmap",
    "itoa",
    "jsonschema",
    "lock_api",
    "memchr",
    "mio",
    "parking_lot",
    "parking_lot_core",
    "pin_project_lite",
    "ring",
    "rusqlite",
    "serde_core",
    "serde_json",
    "sha2",
    "smallvec",
    "tokio",
    "tokio_util",
    "toolgate_audit",
    "toolgate_auth",
    "toolgate_gateway",
    "toolgate_guard",
    "toolgate_host",
    "toolgate_mask",
    "toolgate_store",
    "toolgate_types",
    "toolgate_upstream",
    "toolgate_wire",
    "tracing_core",
    "try_lock",
    "want",
];

/// Builds it and says where it is.
pub fn build(root: &Path, which: DistBuild) -> Result<PathBuf> {
    let compiler = RustCompiler::ask()?;
    let mut cargo = Command::new(env!("CARGO"));
    // With a target, what runs while it is built can be told from what is built.
    cargo.args(["build", "--package", "toolgate", "--profile", "dist", "--target"]);
    cargo.arg(&compiler.host).current_dir(root);
    let folder = match which {
        DistBuild::Counting(counted) => {
            let flags = format!("-Cprofile-generate={} {INLINED_BEFORE}", counted.display());
            cargo.env("RUSTFLAGS", flags);
            target_folder(root).join("counting")
        }
        DistBuild::Published if compiler.llvm < WRITTEN_BY_LLVM => {
            bail!("{PROFILE} is not for this Rust, whose LLVM is older than {WRITTEN_BY_LLVM}");
        }
        DistBuild::Published => {
            let profile = root.join(PROFILE);
            let used = format!("-Cprofile-use={}", profile.display());
            let flags = [&used, INLINED_BEFORE, QUIET].join(BETWEEN_FLAGS);
            cargo.env("RUSTC_WRAPPER", std::env::current_exe()?).env(ADDED_FLAGS, flags);
            // A folder for each profile: cargo does not know that it goes by one.
            target_folder(root).join(format!("dist-{:016x}", mark_of(&profile)?))
        }
    };
    cargo.env("CARGO_TARGET_DIR", &folder);
    if !cargo.status()?.success() {
        bail!("the build failed");
    }
    Ok(folder.join(compiler.host).join("dist/toolgate"))
}

/// Another one for each profile.
fn mark_of(profile: &Path) -> Result<u64> {
    let mut mark = DefaultHasher::new();
    std::fs::read(profile).context("reading the profile")?.hash(&mut mark);
    Ok(mark.finish())
}

/// Whether cargo started this program in the compiler's place.
pub fn is_compiler() -> bool {
    std::env::var_os(ADDED_FLAGS).is_some()
}

/// The compiler, as cargo wants it, with what is added for a crate that is counted.
pub fn compile(words: &[String]) -> Result<ExitCode> {
    let (compiler, words) = words.split_first().context("which compiler?")?;
    let mut compiler = Command::new(compiler);
    compiler.args(words);
    if is_counted(words) {
        compiler.args(std::env::var(ADDED_FLAGS)?.split(BETWEEN_FLAGS));
    }
    let code = compiler.status()?.code().unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Of what is built, and not of what builds it.
fn is_counted(words: &[String]) -> bool {
    let behind = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).map(String::as_str)
    };
    behind("--target").is_some()
        && behind("--crate-name").is_some_and(|name| COUNTED_CRATES.contains(&name))
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
    fn only_what_calls_run_through_is_counted_and_nothing_that_runs_while_it_is_built() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(is_counted(&words("--crate-name tokio --target here src/lib.rs")));
        assert!(!is_counted(&words("--crate-name tokio src/lib.rs")), "of a build script");
        assert!(!is_counted(&words("--crate-name clap_builder --target here")));
        assert!(!is_counted(&words("-vV")));
        assert!(COUNTED_CRATES.is_sorted());
    }

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
