//! More and more servers, of ten tools each.

use super::curve::GrowthTable;
use super::sizes;
use super::tools::add_times;
use crate::bench::wide_gate::{WideGate, name};
use crate::gate::{Config, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

const TOOLS: usize = 10;

pub(super) fn measure(run: &Run) -> Result<Vec<GrowthTable>, Failure> {
    let counts = sizes(run, [10, 100, 500]);
    let times = if run.extent == Extent::Whole { 100 } else { 3 };
    let mut table = GrowthTable::new("servers of ten tools", &counts);
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench", &TOOLS.to_string()])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for count in counts {
        let mut config = Config::new(Limits::default());
        for number in 0..count {
            config = config.remote(&name(number), &site.url);
        }
        let home = Home::new(run.folder.path(), &format!("upstreams-{count}"), config)?;
        let gate = WideGate { gate: home.start(&run.gate)?, servers: count };
        runtime.block_on(gate.warm())?;
        add_times(&mut table, &runtime, &gate, times)?;
        table.add("memory of the gate", "MB", gate.gate.memory()? as f64 / 1e6);
        gate.gate.stop()?;
        let gate = WideGate { gate: home.start(&run.gate)?, servers: count };
        table.add("first page after a start", "µs", runtime.block_on(gate.first())?);
        gate.gate.stop()?;
    }
    Ok(vec![table])
}
