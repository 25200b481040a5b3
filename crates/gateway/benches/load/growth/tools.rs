//! More and more tools of one server: a call, the first page of the list, all pages.

use tokio::runtime::Runtime;

use super::curve::GrowthTable;
use super::sizes;
use crate::bench::middle;
use crate::bench::wide_gate::{ListTimes, WideGate};
use crate::gate::{Config, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// Calls are short, and differ more.
const CALLS_PER_LIST: usize = 20;

pub(super) fn measure(run: &Run) -> Result<Vec<GrowthTable>, Failure> {
    let counts = sizes(run, [100, 1_000, 5_000]);
    let times = if run.extent == Extent::Whole { 100 } else { 3 };
    let mut table = GrowthTable::new("tools of one server", &counts);
    for count in counts {
        let site = Role::start(&["site", Era::Legacy.as_str(), "bench", &count.to_string()])?;
        let config = Config::new(Limits::default()).remote("s000", &site.url);
        let home = Home::new(run.folder.path(), &format!("tools-{count}"), config)?;
        let gate = WideGate { gate: home.start(&run.gate)?, servers: 1 };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(gate.warm())?;
        add_times(&mut table, &runtime, &gate, times)?;
        table.add("memory of the gate", "MB", gate.gate.memory()? as f64 / 1e6);
        gate.gate.stop()?;
    }
    Ok(vec![table])
}

/// Lists that were asked for before, and calls, of each era.
pub(super) fn add_times(
    table: &mut GrowthTable,
    runtime: &Runtime,
    gate: &WideGate,
    times: usize,
) -> Result<(), Failure> {
    for era in Era::BOTH {
        let calls = runtime.block_on(async {
            let mut client = gate.client(era).await?;
            gate.calls(&mut client, times * CALLS_PER_LIST).await
        })?;
        let ListTimes { page, pages } = runtime.block_on(gate.times(era, times))?;
        let era = era.as_str();
        table.add(&format!("a call, {era}"), "µs", middle(calls.into_iter()));
        table.add(&format!("first page of the list, {era}"), "µs", page);
        table.add(&format!("all pages, {era}"), "µs", pages);
    }
    Ok(())
}
