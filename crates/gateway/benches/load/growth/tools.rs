//! More and more tools of one server: a call, the first page of the list, all pages.

use super::curve::GrowthTable;
use super::sizes;
use crate::bench::wide_gate::{WideGate, WideTimes};
use crate::gate::{Config, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

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
        for era in Era::BOTH {
            let measured = runtime.block_on(gate.times(era, times))?;
            add_times(&mut table, era, measured);
        }
        table.add("memory of the gate", "MB", gate.gate.memory()? as f64 / 1e6);
        gate.gate.stop()?;
    }
    Ok(vec![table])
}

pub(super) fn add_times(table: &mut GrowthTable, era: Era, times: WideTimes) {
    let (era, WideTimes { page, pages, call }) = (era.as_str(), times);
    table.add(&format!("a call, {era}"), "µs", call);
    table.add(&format!("first page of the list, {era}"), "µs", page);
    table.add(&format!("all pages, {era}"), "µs", pages);
}
