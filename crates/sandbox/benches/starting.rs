//! What walls cost at the start: `true` run to its end as a bare child, behind its reapers, behind walls, and
//! behind those that `bwrap` builds where that is here, turn by turn in one run. `--tenth` only shows that it works.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and fails loudly"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use toolgate_sandbox::{
    Description, Environment, HelperPath, ProcessSpawner, SandboxGround, SandboxRoom,
    SpawnConditions, SpawnError,
};
use toolgate_types::ConfigText;
use toolgate_types::config::{InheritEnv, NetworkAccess, OuterWall, SandboxProfile};

const PROGRAM: &str = "/bin/true";

fn main() {
    toolgate_sandbox::init();
    let is_tenth = std::env::args().any(|word| word == "--tenth");
    // `cargo bench` says so to every benchmark; `cargo test` does not run this one.
    let runs = if is_tenth { 20 } else { 400 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(runs));
}

async fn measure(runs: usize) {
    let workspace = tempfile::tempdir().unwrap();
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    let description = described(workspace.path());
    let unconfined = SpawnConditions::unconfined();
    let mut confined = SpawnConditions::unconfined();
    confined.confinement.profile = SandboxProfile::Default;
    confined.confinement.network = NetworkAccess::Off;
    confined.room =
        SandboxRoom { workspace: Some(workspace.path().to_owned()), ..SandboxRoom::default() };
    let through = ProcessSpawner::new(HelperPath::current_exe());
    through.stand_on(SandboxGround {
        outer: OuterWall::Bwrap,
        search_path: std::env::var_os("PATH"),
        ..SandboxGround::default()
    });
    let [mut bare, mut reaped, mut walled, mut built] = [(); 4].map(|()| Vec::with_capacity(runs));
    for _ in 0..runs {
        bare.push(bare_run());
        reaped.push(run(&spawner, &description, &unconfined).await.unwrap());
        match run(&spawner, &description, &confined).await {
            Ok(took) => walled.push(took),
            Err(error) => return println!("SKIPPED: {error}"),
        }
        built.extend(run(&through, &description, &confined).await);
    }
    println!("| how | p50 | p95 | p50 above bare | p95 above bare |\n|---|---|---|---|---|");
    let [bare, reaped, walled] = [bare, reaped, walled].map(Quantiles::of);
    let built = (!built.is_empty()).then(|| Quantiles::of(built));
    let built = built.as_ref().map(|built| ("behind walls of bwrap", built));
    let own = [("bare", &bare), ("behind reapers", &reaped), ("behind walls", &walled)];
    for (how, seen) in own.into_iter().chain(built) {
        let ms = |took: Duration| took.as_secs_f64() * 1000.0;
        println!(
            "| {how} | {:.1} ms | {:.1} ms | {:.1} ms | {:.1} ms |",
            ms(seen.p50),
            ms(seen.p95),
            ms(seen.p50.saturating_sub(bare.p50)),
            ms(seen.p95.saturating_sub(bare.p95)),
        );
    }
}

struct Quantiles {
    p50: Duration,
    p95: Duration,
}

impl Quantiles {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { p50: times[times.len() / 2], p95: times[times.len() * 95 / 100] }
    }
}

fn bare_run() -> Duration {
    let began = Instant::now();
    let status = Command::new(PROGRAM).stdin(Stdio::null()).status();
    assert!(status.unwrap().success());
    began.elapsed()
}

/// Until its end is known; that nothing is left of it takes no longer.
async fn run(
    spawner: &ProcessSpawner,
    description: &Description,
    how: &SpawnConditions,
) -> Result<Duration, SpawnError> {
    let began = Instant::now();
    let mut child = spawner.spawn(description, how).await?;
    assert!(child.wait().await.is_success());
    Ok(began.elapsed())
}

fn described(folder: &Path) -> Description {
    Description {
        program: ConfigText::Plain(PROGRAM.into()),
        args: Vec::new(),
        folder: folder.to_owned(),
        env: IndexMap::new(),
        pass: Vec::new(),
        inherit: InheritEnv::None,
        source: Environment::default(),
    }
}
