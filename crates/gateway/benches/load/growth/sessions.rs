//! More and more sessions of the older era that stay open: what one more takes, and whether a call minds.

use std::time::Instant;

use super::super::bench::hold;
use super::curve::GrowthTable;
use super::sizes;
use crate::bench::middle;
use crate::client::{Asked, Client};
use crate::gate::{Config, Gate, Home, Limits};
use crate::pass::PREFIX;
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

pub(super) fn measure(run: &Run) -> Result<Vec<GrowthTable>, Failure> {
    let counts = sizes(run, [10, 1_000, 5_000]);
    let calls = if run.extent == Extent::Whole { 2_000 } else { 20 };
    let mut table = GrowthTable::new("sessions", &counts);
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench"])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for count in counts {
        let config = Config::new(Limits::default()).remote("bench", &site.url);
        let home = Home::new(run.folder.path(), &format!("sessions-{count}"), config)?;
        let gate = home.start(&run.gate)?;
        let echo = format!("{PREFIX}echo");
        runtime.block_on(Client::wait_for_tool(&gate.place, Era::Legacy, &echo))?;
        let held = runtime.block_on(hold(&gate, count))?;
        let (opening, calling) = runtime.block_on(beside(&gate, &echo, calls))?;
        table.add("one more session", "µs", opening);
        table.add("a call beside them", "µs", calling);
        table.add("memory of the gate", "MB", held.after as f64 / 1e6);
        gate.stop()?;
    }
    Ok(vec![table])
}

/// Opening a session, and a call in it; the middle ones.
async fn beside(gate: &Gate, tool: &str, calls: usize) -> Result<(f64, f64), Failure> {
    let mut client = Client::open(&gate.place, Era::Legacy).await?;
    let (mut opening, mut calling) = (Vec::new(), Vec::new());
    for _ in 0..calls.div_ceil(20) {
        let began = Instant::now();
        client.begin().await?;
        opening.push(began.elapsed().as_secs_f64() * 1e6);
        client.end().await?;
    }
    client.begin().await?;
    for _ in 0..calls {
        let began = Instant::now();
        client.call(Asked { tool, text: "here", report: false }).await?;
        calling.push(began.elapsed().as_secs_f64() * 1e6);
    }
    client.end().await?;
    Ok((middle(opening.into_iter()), middle(calling.into_iter())))
}
