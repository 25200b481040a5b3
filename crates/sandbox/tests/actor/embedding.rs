//! Parts of a program that embeds the crate, with itself as the helper.

use std::fs;
use std::time::Duration;

use indexmap::IndexMap;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::timeout;
use toolgate_sandbox::{
    ChildProcess, Description, Environment, HelperPath, ProcessSpawner, SpawnConditions,
};
use toolgate_types::ConfigText;
use toolgate_types::config::InheritEnv;

use crate::say;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn description(part: &[&str]) -> Description {
    Description {
        program: ConfigText::Plain(std::env::current_exe().unwrap().to_str().unwrap().into()),
        args: part.iter().map(|word| ConfigText::Plain((*word).into())).collect(),
        folder: "/".into(),
        env: IndexMap::new(),
        pass: Vec::new(),
        inherit: InheritEnv::None,
        source: Environment::default(),
    }
}

async fn spawn(part: &[&str]) -> ChildProcess {
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.spawn(&description(part), &SpawnConditions::unconfined()).await.unwrap()
}

/// Starts that many of a part, says what they say up to their "ready", and stays.
pub(crate) fn start(count: usize, part: &[&str]) {
    run(async {
        let mut children = Vec::new();
        for _ in 0..count {
            let mut child = spawn(part).await;
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            loop {
                let line = lines.next_line().await.unwrap().unwrap();
                say(&line);
                if line.starts_with("ready") {
                    break;
                }
            }
            children.push((child, lines));
        }
        say("all up");
        std::future::pending::<()>().await;
    });
}

/// Starts and ends that many, one after the other, in every way there is, and says so of each; then
/// says again and again what was open before and what is open now.
pub(crate) fn cycles(count: usize) {
    run(async {
        cycle(0).await;
        let before = open();
        for index in 0..count {
            cycle(index).await;
            say("one ended");
        }
        say("all ended");
        loop {
            say(&format!("{before} {}", open()));
            // What was dropped is collected in the background.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

async fn cycle(index: usize) {
    match index % 3 {
        0 => drop(spawn(&["stay"]).await.shutdown(Duration::ZERO).await),
        1 => drop(spawn(&["stay"]).await),
        // About as long as a start takes, so that it is given up at every stage.
        _ => drop(timeout(Duration::from_millis(index as u64 % 4), spawn(&["stay"])).await),
    }
}

fn open() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}
