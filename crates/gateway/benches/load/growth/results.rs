//! Longer and longer results: straight from the server, cut and put aside by the gate, and passed on whole where
//! its limit is raised; how long that takes, and by how much the gate's memory grew at its highest.

use std::time::Instant;

use super::curve::GrowthTable;
use crate::bench::middle;
use crate::client::{Client, Place};
use crate::gate::{Config, Gate, Home, Limits};
use crate::pass::PREFIX;
use crate::process::{Role, memory_of, peak_of, reset_peak};
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// More than the longest result, and what stands around it.
const ROOM: u64 = 200_000_000;

pub(super) fn measure(run: &Run) -> Result<Vec<GrowthTable>, Failure> {
    let (sizes, times) = match run.extent {
        Extent::Whole => ([1_000, 1_000_000, 100_000_000], [200, 20, 3]),
        Extent::Tenth => ([1_000, 100_000, 10_000_000], [3, 2, 1]),
    };
    let mut table = GrowthTable::new("bytes of a result", &sizes);
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench"])?;
    let direct = Place { url: site.url.clone(), token: None };
    let limits = [
        ("cut and kept", Limits::default()),
        ("passed on whole", Limits { result_bytes: Some(ROOM), ..Limits::default() }),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (size, times) in sizes.into_iter().zip(times) {
        let (took, bytes) = runtime.block_on(results(&direct, "echo", size, times))?;
        (bytes > size).then_some(()).ok_or("the server cuts results")?;
        table.add("direct", "ms", took);
        for (kind, limits) in limits {
            let config = Config::new(limits).remote("bench", &site.url);
            let home = Home::new(run.folder.path(), &format!("{}-{size}", &kind[..3]), config)?;
            let gate = home.start(&run.gate)?;
            let echo = format!("{PREFIX}echo");
            runtime.block_on(Client::wait_for_tool(&gate.place, Era::Legacy, &echo))?;
            let (took, bytes, grown) = of_gate(&gate, &echo, size, times)?;
            if limits.result_bytes.is_some() && bytes < size {
                return Err(format!("of {size} bytes {bytes} came").into());
            }
            table.add(kind, "ms", took);
            table.add(&format!("{kind}: answer"), "KB", bytes as f64 / 1e3);
            table.add(&format!("{kind}: highest memory above that before"), "MB", grown);
            gate.stop()?;
        }
    }
    table.note = "A result above `limits.result_bytes` is cut. *Passed on whole* has that limit raised above the \
                  longest. One above `limits.message_bytes` (8 MiB) is never held, cut or not: it goes to the \
                  disk as it comes, and memory stays what it is."
        .to_owned();
    Ok(vec![table])
}

/// Time in milliseconds, bytes of the answer, and by how many MB the gate grew.
fn of_gate(
    gate: &Gate,
    tool: &str,
    size: usize,
    times: usize,
) -> Result<(f64, usize, f64), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // What every first call needs.
    runtime.block_on(results(&gate.place, tool, 1_000, 5))?;
    gate.rest()?;
    reset_peak(gate.id())?;
    let before = memory_of(gate.id())?;
    let (took, bytes) = runtime.block_on(results(&gate.place, tool, size, times))?;
    let grown = peak_of(gate.id())?.saturating_sub(before) as f64 / 1e6;
    Ok((took, bytes, grown))
}

/// The middle time in milliseconds, and the length of the last answer.
async fn results(
    place: &Place,
    tool: &str,
    size: usize,
    times: usize,
) -> Result<(f64, usize), Failure> {
    let mut client = Client::open(place, Era::Legacy).await?;
    let mut took = Vec::new();
    for _ in 0..times {
        let began = Instant::now();
        client.call_for(tool, size).await?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let bytes = client.body().len();
    client.end().await?;
    Ok((middle(took.into_iter()), bytes))
}
