//! The report on bad neighbours, as a page.

use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::Failure;

const MINUTE: u64 = 60_000;
/// What a server that crashes may cost.
const MOST_STARTS: usize = 6;

/// The good server's calls in one part of the run.
pub(crate) struct Phase {
    what: &'static str,
    /// The shortest first.
    times: Vec<Duration>,
}

/// What became of the calls to the bad servers.
pub(crate) struct Bad {
    pub(crate) unanswered: u64,
    pub(crate) refused: u64,
    pub(crate) flooding_answered: u64,
    pub(crate) notifications: u64,
    pub(crate) starts: Starts,
}

/// How often the crashing server was started.
pub(crate) struct Starts {
    all: usize,
    in_a_minute: usize,
}

impl Phase {
    pub(crate) fn new(what: &'static str, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { what, times }
    }

    fn at(&self, thousandths: usize) -> f64 {
        let place = self.times.len() * thousandths / 1000;
        let time = self.times.get(place.min(self.times.len().saturating_sub(1)));
        time.map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

impl Starts {
    pub(crate) fn are_few(&self) -> bool {
        self.in_a_minute <= MOST_STARTS
    }
}

/// Reads the times at which it was started, in milliseconds, one a line.
pub(crate) fn starts(lines: &str) -> Result<Starts, Failure> {
    let times = lines.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let since =
        |first: u64| times.iter().filter(|time| (first..first + MINUTE).contains(*time)).count();
    let in_a_minute = times.iter().map(|first| since(*first)).max().unwrap_or_default();
    Ok(Starts { all: times.len(), in_a_minute })
}

pub(crate) fn write(
    phases: &[Phase; 3],
    together: Duration,
    bad: &Bad,
) -> Result<String, fmt::Error> {
    let mut page = format!(
        "# Bad neighbours\n\n\
         `cargo xtask soak`: one host with four local servers, each called by four callers that \
         pause 2 ms between calls. First the good one is called alone; then, for {} s, all are; then \
         the good one again. One of the others hangs at every call, one ends as soon as it is \
         started, one writes notifications of four kinds as fast as they are taken. All in one run \
         on one machine, whose {} cores callers, host, servers and whatever else runs there share.\n\n\
         | calls to the good server | calls | median | p99 | p99.9 | longest |\n|---|---|---|---|---|---|\n",
        together.as_secs(),
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    for phase in phases {
        let [median, p99, p999, longest] = [500, 990, 999, 1000].map(|part| phase.at(part));
        let (what, calls) = (phase.what, phase.times.len());
        writeln!(
            page,
            "| {what} | {calls} | {median:.2} ms | {p99:.2} ms | {p999:.2} ms | {longest:.1} ms |"
        )?;
    }
    // The better of the two, since whatever else the machine does only ever makes one worse.
    let alone = phases[0].at(990).min(phases[2].at(990));
    let Starts { all, in_a_minute } = bad.starts;
    let verdict = if bad.starts.are_few() { "kept" } else { "not kept" };
    write!(
        page,
        "\nThe p99 beside the three is {:.1} times the better one alone. No call to the good \
         server failed.\n\n\
         | the others | what came of it |\n|---|---|\n\
         | hangs | {} calls given up at their time-out of 1 s |\n\
         | crashes | started {all} times, at most {in_a_minute} times in a minute (bound: \
         {MOST_STARTS}, {verdict}); {} calls refused |\n\
         | floods | {} notifications in {} s; {} calls answered among them |\n",
        phases[1].at(990) / alone,
        bad.unanswered,
        bad.refused,
        bad.notifications,
        together.as_secs(),
        bad.flooding_answered,
    )?;
    Ok(page)
}
