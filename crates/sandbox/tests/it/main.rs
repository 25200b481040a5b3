//! Starting and ending processes, from outside and with real ones.
//!
//! Every wait has a limit that only a hang reaches. This file holds what the modules share: how an
//! actor is started and listened to. It tests nothing itself. Linux only, as the promises are.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "clippy.toml exempts tests, not what tests share"
)]

mod detaching;
mod ending;
mod failing;
mod many;
mod orphans;
mod process;
mod starting;
mod walls;

use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::Duration;

use indexmap::IndexMap;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader, Lines};
use tokio::process::ChildStdout;
use tokio::time::timeout;
use toolgate_sandbox::{
    ChildProcess, Description, Environment, HelperPath, ProcessSpawner, SpawnConditions,
};
use toolgate_types::ConfigText;
use toolgate_types::config::InheritEnv;

use crate::process::Process;

/// The folder with copies of the programs below, for a user who may not see where they were built.
const PROGRAMS: &str = "TOOLGATE_TEST_PROGRAMS";

static HELPER: LazyLock<String> = LazyLock::new(|| built(env!("CARGO_BIN_EXE_toolgate-reap")));
static ACTOR: LazyLock<String> =
    LazyLock::new(|| built(env!("CARGO_BIN_EXE_toolgate-sandbox-actor")));

fn built(program: &str) -> String {
    match (std::env::var(PROGRAMS), Path::new(program).file_name()) {
        (Ok(folder), Some(name)) => format!("{folder}/{}", name.display()),
        _ => program.to_owned(),
    }
}

/// Only something that hangs takes so long.
const HANG: Duration = Duration::from_secs(120);

fn spawner() -> ProcessSpawner {
    ProcessSpawner::new(HelperPath::at(HELPER.as_str()))
}

/// An actor in `/` with an empty environment.
fn actor(part: &[&str]) -> Description {
    command(&ACTOR, part)
}

fn command(program: &str, args: &[&str]) -> Description {
    Description {
        program: ConfigText::Plain(program.into()),
        args: args.iter().map(|word| ConfigText::Plain((*word).into())).collect(),
        folder: Path::new("/").into(),
        env: IndexMap::new(),
        pass: Vec::new(),
        inherit: InheritEnv::None,
        source: Environment::default(),
    }
}

async fn spawn(description: &Description) -> ChildProcess {
    spawner().spawn(description, &SpawnConditions::unconfined()).await.unwrap()
}

/// A running actor, and what it says line by line.
async fn running(part: &[&str]) -> (ChildProcess, Said<ChildStdout>) {
    let mut child = spawn(&actor(part)).await;
    let said = Said::new(child.stdout.take().unwrap());
    (child, said)
}

/// Everything an actor says until it ends.
async fn all_said(description: &Description) -> Vec<String> {
    let mut child = spawn(description).await;
    let mut said = Said::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    while let Some(line) = said.next().await {
        lines.push(line);
    }
    assert!(within(child.wait()).await.is_success());
    lines
}

struct Said<R>(Lines<BufReader<R>>);

impl<R: AsyncRead + Unpin> Said<R> {
    fn new(stream: R) -> Self {
        Self(BufReader::new(stream).lines())
    }

    async fn next(&mut self) -> Option<String> {
        within(self.0.next_line()).await.unwrap()
    }

    /// The lines up to the one that starts like this, with it.
    async fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().await.unwrap();
            let last = line.starts_with(start);
            lines.push(line);
            if last {
                return lines;
            }
        }
    }
}

/// A program that embeds the crate. Dropping it is `kill -9`.
struct Embedder {
    program: std::process::Child,
    process: Process,
}

impl Embedder {
    fn start(part: &[&str]) -> (Self, Said<ChildStdout>) {
        let mut command = std::process::Command::new(ACTOR.as_str());
        command.args(part).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let said = Said::new(ChildStdout::from_std(program.stdout.take().unwrap()).unwrap());
        (Self { process: Process::of(program.id()), program }, said)
    }
}

impl Drop for Embedder {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(HANG, future).await.unwrap()
}
