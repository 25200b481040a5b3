//! The load generator, a process of its own: so many callers, each with its connection and one call
//! at a time, for so long.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::client::{Asked, Client, Place};
use crate::process::cpu_of;
use crate::server::Era;

/// What is called, by how many, for how long.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) place: Place,
    pub(crate) era: Era,
    /// The tool that is called; nothing asks for the list instead.
    pub(crate) tool: Option<String>,
    pub(crate) callers: usize,
    pub(crate) warm: Duration,
    pub(crate) time: Duration,
    /// The process whose CPU time is looked at.
    pub(crate) watched: u32,
}

/// What came of it. Times are in microseconds.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) calls: usize,
    pub(crate) seconds: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Of the watched process, for all calls.
    pub(crate) cpu: f64,
}

/// As long as what tools are told.
const TEXT: &str = "is:open label:bug sort:updated in the repository octo/hello, thirty of them";

/// Follows the plan and prints what came of it.
pub(crate) fn run(plan: &str) -> Result<(), Failure> {
    let plan: Plan = serde_json::from_str(plan)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(&plan))?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

/// Has the callers call, first to get warm and then in earnest.
pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let mut clients = Vec::new();
    for _ in 0..plan.callers {
        clients.push(Client::open(&plan.place, plan.era).await?);
    }
    let (mut clients, _) = all(clients, plan, plan.warm).await?;
    let (used, began) = (cpu_of(plan.watched)?, Instant::now());
    let (back, mut times) = all(std::mem::take(&mut clients), plan, plan.time).await?;
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_of(plan.watched)? - used);
    for mut client in back {
        client.end().await?;
    }
    times.sort_unstable();
    let at = |part: usize| {
        let place = (times.len() * part / 100).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e6)
    };
    let (calls, cpu) = (times.len(), cpu.as_secs_f64() * 1e6);
    Ok(Measured { calls, seconds, p50: at(50), p99: at(99), cpu })
}

async fn all(
    clients: Vec<Client>,
    plan: &Plan,
    time: Duration,
) -> Result<(Vec<Client>, Vec<Duration>), Failure> {
    let (mut tasks, end) = (tokio::task::JoinSet::new(), Instant::now() + time);
    for mut client in clients {
        let tool = plan.tool.clone();
        tasks.spawn(async move {
            let mut times = Vec::with_capacity(1 << 14);
            let mut began = Instant::now();
            while began < end {
                match &tool {
                    Some(tool) => call(&mut client, tool).await?,
                    None => list(&mut client).await?,
                }
                let now = Instant::now();
                times.push(now - began);
                began = now;
            }
            Ok::<_, Failure>((client, times))
        });
    }
    let (mut clients, mut times) = (Vec::new(), Vec::new());
    while let Some(done) = tasks.join_next().await {
        let (client, own) = done??;
        clients.push(client);
        times.extend(own);
    }
    Ok((clients, times))
}

async fn call(client: &mut Client, tool: &str) -> Result<(), Failure> {
    client.call(Asked { tool, text: TEXT, report: false }).await?;
    let body = str::from_utf8(client.body())?;
    match body.contains(TEXT) {
        true => Ok(()),
        false => Err(format!("no echo: {body}").into()),
    }
}

async fn list(client: &mut Client) -> Result<(), Failure> {
    client.list().await?.expect(200)?;
    match client.body().len() > 40_000 {
        true => Ok(()),
        false => Err("the list is too short".into()),
    }
}
