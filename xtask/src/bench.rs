//! `cargo xtask bench`: how long the command line takes, as a ratio to starting it at all, and what
//! the benchmarks of the host library, of the guard, of the searches and of the gateway measure.
//!
//! Run by hand; the reports on the command line and on the gateway go under `docs/reports/`, those
//! on host and guard are written by whoever has read their figures. Nothing here passes or fails by
//! time.

pub(crate) mod gateway;
mod other_proxy;
pub(crate) mod program;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::dist::{self, DistBuild};

const SERVERS: usize = 200;

type FileMaker = fn() -> String;

/// One command line that is timed.
struct TimedCommand {
    what: &'static str,
    arguments: &'static [&'static str],
    file: Option<(&'static str, FileMaker)>,
}

const CASES: [TimedCommand; 5] = [
    TimedCommand { what: "start (`--version`)", arguments: &["--version"], file: None },
    TimedCommand {
        what: "`config show`, 200 servers, TOML",
        arguments: &["config", "show"],
        file: Some(("toolgate.toml", as_toml)),
    },
    TimedCommand {
        what: "`config show --json`, 200 servers, TOML",
        arguments: &["config", "show", "--json"],
        file: Some(("toolgate.toml", as_toml)),
    },
    TimedCommand {
        what: "`config show`, 200 servers, JSON with `mcp.servers`",
        arguments: &["config", "show"],
        file: Some((".codelia/config.json", as_json)),
    },
    TimedCommand {
        what: "`list`, 200 servers, TOML",
        arguments: &["list"],
        file: Some(("toolgate.toml", as_toml)),
    },
];

/// How much of the benchmark is run, and on which build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchExtent {
    /// The build that is published; its report is worth keeping.
    Whole,
    /// The debug build, only to see that the benchmark works.
    Tenth,
}

/// Times every case and returns the report; what the other benchmarks say is printed by them.
pub fn run(root: &Path, extent: BenchExtent) -> Result<String> {
    program::run(root, extent, "host", &["tools", "calls"], "--tenth")?;
    // Criterion's own word for once, untimed.
    program::run(root, extent, "deciding", &[], "--test")?;
    program::run(root, extent, "starting", &[], "--tenth")?;
    program::run(root, extent, "searching", &[], "--tenth")?;
    program::run(root, extent, "file_search", &[], "--tenth")?;
    program::run(root, extent, "documents", &[], "--tenth")?;
    gateway::run(root, extent, gateway::BenchPart::Bench)?;
    let binary = build(root, extent)?;
    let runs = if extent == BenchExtent::Whole { 200 } else { 20 };
    let world = std::env::temp_dir().join(format!("toolgate-bench-{}", std::process::id()));
    let report = time_all(&binary, &world, runs);
    fs::remove_dir_all(&world).context("removing the benchmark's folder")?;
    report
}

/// How the gate grows with what there is; it prints, and of the whole writes, its report by itself.
pub fn grow(root: &Path, extent: BenchExtent) -> Result<()> {
    gateway::run(root, extent, gateway::BenchPart::Growth)
}

/// Programs of the debug build, by the choice that the tests are built with: any other one has other
/// features, and builds half of the workspace once more.
pub(crate) const BUILD_AS_TESTS: [&str; 4] = ["test", "--quiet", "--workspace", "--no-run"];

fn build(root: &Path, extent: BenchExtent) -> Result<PathBuf> {
    if extent == BenchExtent::Whole {
        return dist::build(root, DistBuild::Published);
    }
    if !Command::new(env!("CARGO")).args(BUILD_AS_TESTS).current_dir(root).status()?.success() {
        bail!("the build failed");
    }
    Ok(target_folder(root).join("debug/toolgate"))
}

pub(crate) fn target_folder(root: &Path) -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    root.join(target)
}

fn time_all(binary: &Path, world: &Path, runs: usize) -> Result<String> {
    let mut report = format!(
        "# The configuration on the command line\n\n\
         `cargo xtask bench`, {runs} runs each, whole process from start to end, in \
         one run on one machine. The ratio is to starting the program at all.\n\n\
         | what | median | p90 | ratio of medians |\n|---|---|---|---|\n"
    );
    let mut start = None;
    for case in &CASES {
        let folder = world.join(case.file.map_or("empty", |(name, _)| name).replace('/', "-"));
        fs::create_dir_all(&folder)?;
        if let Some((name, text)) = case.file {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, text())?;
        }
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            times.push(once(binary, case.arguments, &folder)?);
        }
        times.sort_unstable();
        let median = times[times.len() / 2];
        let p90 = times[times.len() * 9 / 10];
        let ratio = median.as_secs_f64() / start.get_or_insert(median).as_secs_f64();
        writeln!(
            report,
            "| {} | {:.1} ms | {:.1} ms | {ratio:.1} |",
            case.what,
            ms(median),
            ms(p90)
        )?;
    }
    Ok(report)
}

fn once(binary: &Path, arguments: &[&str], folder: &Path) -> Result<Duration> {
    let started = Instant::now();
    let status = Command::new(binary)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder.join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    let took = started.elapsed();
    if !status.success() {
        bail!("{} {} failed", binary.display(), arguments.join(" "));
    }
    Ok(took)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn as_toml() -> String {
    let mut text = "version = 1\n".to_owned();
    for n in 0..SERVERS {
        let body = if n % 2 == 0 {
            "command = \"npx\"\nargs = [\"-y\", \"@example/server\", \".\"]\nenv = { NODE_ENV = \"production\" }"
        } else {
            "url = \"https://example.com/mcp\"\nheaders = { \"X-Workspace\" = \"demo\" }\nenabled_tools = [\"search\"]"
        };
        text.push_str(&format!("\n[servers.server-{n}]\n{body}\nrequest_timeout_ms = 20000\n"));
    }
    text
}

fn as_json() -> String {
    let servers: Vec<String> = (0..SERVERS)
        .map(|n| {
            format!(
                "\"server-{n}\": {{ \"transport\": \"http\", \"url\": \"https://example.com/mcp\", \
                 \"enabled\": true, \"request_timeout_ms\": 30000 }}"
            )
        })
        .collect();
    format!("{{ \"version\": 1, \"mcp\": {{ \"servers\": {{\n{}\n}} }} }}\n", servers.join(",\n"))
}
