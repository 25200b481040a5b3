//! How the gate grows with what there is: tools, servers, sessions, long results and records, each as a ratio to
//! the smallest and as the slope between smallest and largest.

mod curve;
mod records;
mod results;
mod sessions;
mod tools;
mod upstreams;

use self::curve::GrowthTable;
use crate::{Extent, Failure, Run};

/// What can be many.
const PARTS: [(&str, Measure); 5] = [
    ("tools", tools::measure),
    ("upstreams", upstreams::measure),
    ("sessions", sessions::measure),
    ("results", results::measure),
    ("records", records::measure),
];

type Measure = fn(&Run) -> Result<Vec<GrowthTable>, Failure>;

/// One part, or all of them.
pub(crate) fn run(run: &Run, only: Option<&str>) -> Result<String, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let how = match run.extent {
        Extent::Whole => "`cargo xtask bench --growth`",
        Extent::Tenth => "A tenth, only to see that it works",
    };
    let load = super::bench::load_average();
    let mut page = format!(
        "{how}. {cores} cores, which also run servers and load generator; loopback. Load average before \
         {load}. The ratio is that of the last column to the first; the slope says by which power a figure \
         grows with what there is: 0 is not at all, 1 is as much as that.\n"
    );
    let is_meant = |name: &str| only.is_none_or(|only| only == name);
    let mut parts = PARTS.iter().filter(|(name, _)| is_meant(name)).peekable();
    if parts.peek().is_none() {
        return Err("no such part".into());
    }
    for (_, measure) in parts {
        for table in measure(run)? {
            page.push('\n');
            page.push_str(&table.page());
        }
    }
    Ok(page)
}

/// Sizes to grow through: all of them, or a tenth of each.
fn sizes(run: &Run, whole: [usize; 3]) -> [usize; 3] {
    match run.extent {
        Extent::Whole => whole,
        Extent::Tenth => whole.map(|size| size.div_ceil(10)),
    }
}
