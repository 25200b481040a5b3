//! A good server beside three bad ones in the same host: one that hangs, one that crashes, one that
//! floods. All are called all the time; the question is what the good one's callers notice.
//!
//! All four are processes. How often the crashing one was started is counted by itself, in a file.

mod report;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;
use toolgate_host::{Audience, Call, CallTarget, Host};
use toolgate_types::{OperationOutcome, ServerId};

use self::report::{Bad, Phase};
use crate::serving::process::WORD;
use crate::{Extent, Failure, world};

/// How many call each server at the same time.
const CALLERS: usize = 4;
/// What a caller does between two calls.
const PAUSE: Duration = Duration::from_millis(2);
const BAD: [&str; 3] = ["hangs", "crashes", "floods"];

/// The page, and whether the crashing server was started no more often than it may be.
pub(crate) fn run(extent: Extent) -> Result<(String, bool), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let folder = tempfile::tempdir()?;
    let starts = folder.path().join("starts");
    let (alone, together) = match extent {
        Extent::Whole => (Duration::from_secs(20), Duration::from_secs(65)),
        Extent::Tenth => (Duration::from_secs(1), Duration::from_secs(4)),
    };
    runtime.block_on(measure(&starts, alone, together))
}

async fn measure(
    starts: &Path,
    alone: Duration,
    together: Duration,
) -> Result<(String, bool), Failure> {
    let host = host(starts)?;
    let name = named(&host).await?;
    let before = Phase::new("alone, before", ask_for(&host, &name, alone).await?);
    let asked = [(); 3].map(|()| Arc::new(Asked::default()));
    let mut asking = JoinSet::new();
    for (server, asked) in BAD.iter().zip(&asked) {
        for _ in 0..CALLERS {
            asking.spawn(keep_asking(host.clone(), world::id(server)?, Arc::clone(asked)));
        }
    }
    let beside = Phase::new("beside the three", ask_for(&host, &name, together).await?);
    asking.shutdown().await;
    for server in BAD {
        host.close(&world::id(server)?).await;
    }
    let after = Phase::new("alone, after", ask_for(&host, &name, alone).await?);
    host.close_all().await;
    let bad = Bad {
        unanswered: asked[0].failed.load(Ordering::Relaxed),
        refused: asked[1].failed.load(Ordering::Relaxed),
        flooding_answered: asked[2].answered.load(Ordering::Relaxed),
        notifications: asked[2].said.load(Ordering::Relaxed),
        starts: report::starts(&std::fs::read_to_string(starts)?)?,
    };
    let page = report::write(&[before, beside, after], together, &bad)?;
    Ok((page, bad.starts.are_few()))
}

fn host(starts: &Path) -> Result<Host, Failure> {
    let me = std::env::current_exe()?;
    let config = world::config(json!({
        "good": { "command": me, "args": [WORD, "good"] },
        "hangs": { "command": me, "args": [WORD, "hangs"], "tool_timeout_ms": 1000 },
        "crashes": { "command": me, "args": [WORD, "crashes", starts] },
        "floods": { "command": me, "args": [WORD, "floods"], "tool_timeout_ms": 5000 },
    }))?;
    Ok(world::open().config(config).build())
}

/// The public name of a tool of the good server. Its list is fetched, and no other server started.
async fn named(host: &Host) -> Result<String, Failure> {
    let tool = "good_search_issues".to_owned();
    let exact = Call::new(CallTarget::exact(world::id("good")?, tool)).arguments(arguments());
    host.call(exact).await?;
    let view = host.view(&Audience::MODEL);
    let entry = view.resolve("good.good_search_issues").ok_or("the good server has no tool")?;
    Ok(entry.name().to_owned())
}

fn arguments() -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::from_string(r#"{"project":"octo/hello"}"#.to_owned())
        .unwrap_or_default()
}

/// Calls the good server for so long; gives the times that the calls took.
async fn ask_for(host: &Host, name: &str, long: Duration) -> Result<Vec<Duration>, Failure> {
    let until = Instant::now() + long;
    let mut asking = JoinSet::new();
    for _ in 0..CALLERS {
        let (host, call) =
            (host.clone(), Call::new(CallTarget::named(name)).arguments(arguments()));
        asking.spawn(async move {
            let mut times = Vec::new();
            while Instant::now() < until {
                let began = Instant::now();
                host.call(call.clone()).await?;
                times.push(began.elapsed());
                sleep(PAUSE).await;
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(caller) = asking.join_next().await {
        times.extend(caller??);
    }
    Ok(times)
}

/// What came of asking a bad server.
#[derive(Debug, Default)]
struct Asked {
    answered: AtomicU64,
    failed: AtomicU64,
    /// The highest number that it answered with.
    said: AtomicU64,
}

async fn keep_asking(host: Host, server: ServerId, asked: Arc<Asked>) {
    let call = Call::new(CallTarget::exact(server, "t"));
    loop {
        match host.call(call.clone()).await {
            Ok(outcome) => {
                asked.answered.fetch_add(1, Ordering::Relaxed);
                asked.said.fetch_max(number(&outcome), Ordering::Relaxed);
            }
            Err(_) => {
                asked.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
        sleep(PAUSE).await;
    }
}

fn number(outcome: &OperationOutcome) -> u64 {
    let OperationOutcome::Done(done) = outcome else { return 0 };
    let digits: String = done.result.get().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_default()
}
