//! A client that reads one byte a second and one that never reads, and whether the others notice.

use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::{Client, Place};
use crate::gate::{Config, Home, Limits};
use crate::load::{Measured, Plan, measure};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// Lists of 81 KB that nobody reads, asked for one after the other: more than the kernel takes.
const ASKED: usize = 400;

/// Nothing is sent on when it cannot be for so long.
const STUCK: Duration = Duration::from_millis(200);

pub(crate) fn run(run: &Run, runtime: &Runtime) -> Result<String, Failure> {
    let time = if run.extent == Extent::Whole { 5000 } else { 500 };
    let site = Role::start(&["site", "modern", "bench"])?;
    let config = Config::new(Limits::default()).remote("bench", &site.url);
    let gate = Home::new(run.folder.path(), "slow", config)?.start(&run.gate)?;
    let plan = Plan {
        place: gate.place.clone(),
        era: Era::Modern,
        tool: Some("bench__echo".to_owned()),
        callers: 8,
        warm: Duration::from_millis(time / 5),
        time: Duration::from_millis(time),
        watched: gate.id(),
    };
    runtime.block_on(async {
        let before = measure(&plan).await?;
        let quiet = gate.memory()?;
        let silent = Client::connect(&gate.place, Era::Modern).await?;
        let (silent, unanswered) = fill(silent).await?;
        let sipping = sip(&gate.place).await?;
        let beside = measure(&plan).await?;
        let grown = gate.memory()?.saturating_sub(quiet);
        let is_alive = !sipping.is_finished();
        sipping.abort();
        drop(silent);
        let after = measure(&plan).await?;
        if !is_alive {
            return Err("the slow client was cut off".into());
        }
        Ok(page(&[before, beside, after], unanswered, grown))
    })
}

/// Asks until no more can be sent, and says how much was.
async fn fill(mut client: Client) -> Result<(Client, usize), Failure> {
    for number in 0..ASKED {
        match timeout(STUCK, client.ask_unread()).await {
            Ok(sent) => sent?,
            Err(_) => return Ok((client, number)),
        }
    }
    Ok((client, ASKED))
}

/// One that reads a byte each second.
async fn sip(place: &Place) -> Result<JoinHandle<Result<(), Failure>>, Failure> {
    let client = Client::connect(place, Era::Modern).await?;
    let (mut client, _) = fill(client).await?;
    Ok(tokio::spawn(async move {
        loop {
            client.connection().sip().await?;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }))
}

fn page(phases: &[Measured; 3], unanswered: usize, grown: u64) -> String {
    let [before, beside, after] = phases;
    // The better of the two, since whatever else the machine does only ever makes one worse.
    let alone = before.p99.min(after.p99);
    let row = |what, phase: &Measured| {
        let Measured { calls, seconds, p50, p99, .. } = phase;
        format!("| {what} | {:.0} | {p50:.0} µs | {p99:.0} µs |\n", *calls as f64 / seconds)
    };
    format!(
        "| eight callers | calls/s | p50 | p99 |\n|---|---|---|---|\n{}{}{}\n\
         The p99 beside a client that never reads and one that reads a byte each second is {:.2} \
         times the better one alone. Each had asked for up to {unanswered} lists of 81 KB; the gate \
         grew by {:.1} MB meanwhile.\n",
        row("alone", before),
        row("beside both", beside),
        row("alone again", after),
        beside.p99 / alone,
        grown as f64 / 1e6,
    )
}
