//! `cargo xtask soak`: ends the program the hard way, again and again, and looks for what it left;
//! has a host serve a good server's callers beside bad servers; and has the gateway serve many
//! clients and sessions.
//!
//! Linux only: it reads `/proc`. It kills no process but those it started.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::bench::{BUILD_AS_TESTS, BenchExtent, gateway, program};

/// With fewer rounds it is only seen that it works.
pub const WHOLE_SOAK_ROUNDS: usize = 20;
const SERVERS: usize = 10;
/// How long anything may outlive the program that started it.
const LIMIT: Duration = Duration::from_secs(2);

/// Kills a program with ten servers up, `rounds` times; the report says how long the last of their
/// processes lived. The reports on bad neighbours and on the gateway are others, which their
/// programs write.
pub fn run(root: &Path, rounds: usize) -> Result<String> {
    if rounds < WHOLE_SOAK_ROUNDS {
        program::run(root, BenchExtent::Tenth, "host", &["neighbours"], "--tenth")?;
        gateway::run(root, BenchExtent::Tenth, gateway::BenchPart::Soak)?;
    } else {
        let report = root.join("docs/reports/neighbours.md");
        let report = report.to_str().context("the path of the repository is not text")?;
        program::run(root, BenchExtent::Whole, "host", &["neighbours", "--report", report], "")?;
        gateway::run(root, BenchExtent::Whole, gateway::BenchPart::Soak)?;
    }
    let program = build(root)?;
    let npx = npx_server(root);
    let with_npx = match npx.is_empty() {
        true => "No server from npm is installed here, so none was among them.",
        false => "One more server is from npm, started through `npx`.",
    };
    let mut report = format!(
        "# Nothing stays behind\n\n\
         `cargo xtask soak`: a program with {SERVERS} local servers is killed with `SIGKILL`. Each \
         server has a child, a grandchild in a session of its own and one that was forked twice, \
         all deaf to `SIGHUP` and `SIGTERM`. {with_npx} All must be gone within {} s.\n\n\
         | round | processes before | gone after |\n|---|---|---|\n",
        LIMIT.as_secs()
    );
    for round in 1..=rounds {
        let mark = format!("{}-{round}", std::process::id());
        let began = Instant::now();
        let mut held = hold(&program, &mark, &npx)?;
        // A tenth runs where others use the machine too: as long as it took to come up, then.
        let is_tenth = rounds < WHOLE_SOAK_ROUNDS;
        let limit = if is_tenth { LIMIT.max(began.elapsed()) } else { LIMIT };
        let before = marked(&mark)?.len();
        // Every server is there, with its three followers.
        if before < SERVERS * 4 {
            bail!("round {round}: only {before} processes came up");
        }
        held.kill()?;
        held.wait()?;
        let after = gone(&mark, limit)
            .with_context(|| format!("round {round}: something outlived the program"))?;
        report.push_str(&format!("| {round} | {before} | {} ms |\n", after.as_millis()));
    }
    Ok(report)
}

/// The server that `scripts/real-servers.sh` installed, if it ran here: `npx` starts a shell that
/// starts Node, a family of its own.
fn npx_server(root: &Path) -> Vec<String> {
    let folder = target(root).join("peers/servers");
    let installed = folder.join("node_modules/.bin/mcp-server-everything").exists();
    let npx = Command::new("npx").arg("--version").output().is_ok_and(|out| out.status.success());
    if !installed || !npx {
        return Vec::new();
    }
    let folder = folder.display().to_string();
    let command = ["npx", "--no-install", "--prefix", &folder, "mcp-server-everything"];
    command.map(str::to_owned).to_vec()
}

fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    root.join(target.map_or_else(|| "target".into(), PathBuf::from))
}

fn build(root: &Path) -> Result<PathBuf> {
    let built = Command::new(env!("CARGO")).args(BUILD_AS_TESTS).current_dir(root).status()?;
    if !built.success() {
        bail!("the build failed");
    }
    Ok(target(root).join("debug/examples/hold_servers"))
}

fn hold(program: &Path, mark: &str, npx: &[String]) -> Result<Child> {
    let mut held = Command::new(program)
        .args([&SERVERS.to_string(), mark])
        .args(npx)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = held.stdout.take().context("no standard output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    if line.trim() != "ready" {
        held.kill()?;
        bail!("the servers did not come up");
    }
    Ok(held)
}

/// Waits until no process carries the mark, and says how long that took.
fn gone(mark: &str, limit: Duration) -> Result<Duration> {
    let began = Instant::now();
    loop {
        let left = marked(mark)?;
        if left.is_empty() {
            return Ok(began.elapsed());
        }
        if began.elapsed() > limit {
            bail!("{} processes are left: {left:?}", left.len());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Every process whose environment carries the mark, wherever it was re-parented to.
fn marked(mark: &str) -> Result<Vec<u32>> {
    let wanted = format!("TOOLGATE_SOAK={mark}");
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").context("this needs /proc")? {
        let entry = entry?;
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // A process may end while it is looked at; a zombie has no environment any more.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes()) {
            found.push(pid);
        }
    }
    Ok(found)
}
