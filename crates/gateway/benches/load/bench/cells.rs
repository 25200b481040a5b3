//! Calls and lists: direct, through the raw pass-through and through the gate, by so many callers.
//!
//! They take turns in short rounds, so that what else the machine does falls on all. Each figure is
//! the median of its rounds; the processor's time is that of all rounds by all their calls.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::middle;
use crate::client::{Client, Place};
use crate::gate::{Config, Gate, Home, Limits};
use crate::load::{Measured, Plan};
use crate::other_proxy::{OtherProxies, OtherProxy};
use crate::pass::PREFIX;
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

const CALLERS: [usize; 3] = [1, 8, 32];

/// The ways to the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Direct,
    Pass,
    Gate,
    /// With the record safe before the call.
    GateBefore,
    /// With the server as a process of the gate's.
    GateStdio,
    GateStdioBefore,
    /// Another proxy, where there is one.
    Other,
    OtherStdio,
}

impl Way {
    const ALL: [Self; 8] = [
        Self::Direct,
        Self::Pass,
        Self::Other,
        Self::OtherStdio,
        Self::Gate,
        Self::GateBefore,
        Self::GateStdio,
        Self::GateStdioBefore,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Pass => "pass-through",
            Self::Gate => "gate",
            Self::GateBefore => "gate, `before_call`",
            Self::GateStdio => "gate, stdio",
            Self::GateStdioBefore => "gate, stdio, `before_call`",
            Self::Other => "`mcp-proxy`",
            Self::OtherStdio => "`mcp-proxy`, stdio",
        }
    }

    pub(crate) fn tool(self) -> String {
        match self {
            Self::Direct => "echo".to_owned(),
            Self::Pass | Self::Gate | Self::GateStdio => format!("{PREFIX}echo"),
            // The one that the gate records before the call.
            Self::GateBefore | Self::GateStdioBefore | Self::Other | Self::OtherStdio => {
                format!("{PREFIX}note")
            }
        }
    }
}

/// All rounds of one cell.
pub(crate) struct Cell {
    pub(crate) era: Era,
    pub(crate) way: Way,
    /// Nobody calls where the list is asked for.
    pub(crate) callers: Option<usize>,
    rounds: Vec<Measured>,
}

pub(crate) struct Cells {
    pub(crate) all: Vec<Cell>,
    /// Of the gates before any call and after all: for each era, over HTTP and stdio.
    memory: Vec<(Era, &'static str, u64, u64)>,
}

impl Cell {
    pub(crate) fn p50(&self) -> f64 {
        middle(self.rounds.iter().map(|round| round.p50))
    }

    pub(crate) fn p99(&self) -> f64 {
        middle(self.rounds.iter().map(|round| round.p99))
    }

    pub(crate) fn throughput(&self) -> f64 {
        middle(self.rounds.iter().map(|round| round.calls as f64 / round.seconds))
    }

    /// Of whatever answers the load generator, for one call.
    pub(crate) fn cpu(&self) -> f64 {
        let calls: usize = self.rounds.iter().map(|round| round.calls).sum();
        self.rounds.iter().map(|round| round.cpu).sum::<f64>() / calls.max(1) as f64
    }
}

/// What one era is measured with.
struct Stage {
    era: Era,
    site: Role,
    pass: Role,
    over_http: Gate,
    over_stdio: Gate,
    others: OtherProxies,
}

pub(crate) fn measure(run: &Run) -> Result<Cells, Failure> {
    let mut cells = Cells { all: Vec::new(), memory: Vec::new() };
    for era in Era::BOTH {
        let stage = Stage::new(run, era)?;
        let before = (stage.over_http.memory()?, stage.over_stdio.memory()?);
        let amounts = CALLERS.into_iter().map(Some).chain([None]);
        for callers in amounts {
            cells.all.extend(stage.round(run.extent, callers)?);
        }
        cells.memory.push((era, "HTTP", before.0, stage.over_http.memory()?));
        cells.memory.push((era, "stdio", before.1, stage.over_stdio.memory()?));
        // In order: a build that counts what calls run through writes that down when it ends.
        stage.over_http.stop()?;
        stage.over_stdio.stop()?;
    }
    Ok(cells)
}

impl Stage {
    fn new(run: &Run, era: Era) -> Result<Self, Failure> {
        let (folder, name) = (run.folder.path(), era.as_str());
        let site = Role::start(&["site", name, "bench"])?;
        let pass = Role::start(&["pass", &site.url])?;
        let config = Config::new(Limits::default());
        let http = Home::new(folder, &format!("http-{name}"), config.remote("bench", &site.url))?;
        let config = Config::new(Limits::default()).local("bench", era, "bench")?;
        let stdio = Home::new(folder, &format!("stdio-{name}"), config)?;
        let (over_http, over_stdio) = (http.start(&run.gate)?, stdio.start(&run.gate)?);
        let others = OtherProxies::start(run, era, &site.url);
        let stage = Self { era, site, pass, over_http, over_stdio, others };
        // The servers are up before anything is measured.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        for gate in [&stage.over_http, &stage.over_stdio] {
            let echo = format!("{PREFIX}echo");
            runtime.block_on(Client::wait_for_tool(&gate.place, era, &echo))?;
            gate.rest()?;
        }
        Ok(stage)
    }

    /// All ways with so many callers, in turns.
    fn round(&self, extent: Extent, callers: Option<usize>) -> Result<Vec<Cell>, Failure> {
        let (rounds, warm, time) = match extent {
            Extent::Whole => (5, 200, 800),
            Extent::Tenth => (1, 20, 60),
        };
        let is_meant = |way: &Way| match callers {
            Some(_) => true,
            None => !matches!(way, Way::GateBefore | Way::GateStdioBefore),
        };
        let ways = Way::ALL.into_iter().filter(|way| is_meant(way) && self.target(*way).is_some());
        let cell = |way| Cell { era: self.era, way, callers, rounds: Vec::new() };
        let mut cells: Vec<Cell> = ways.map(cell).collect();
        for round in 0..rounds {
            // Whoever is first would always find the machine as the last one left it.
            for place in 0..cells.len() {
                let place = (place + round) % cells.len();
                let cell = &mut cells[place];
                let (where_to, watched) = self.target(cell.way).ok_or("nobody there")?;
                let plan = Plan {
                    place: where_to,
                    era: self.era,
                    tool: callers.map(|_| cell.way.tool()),
                    callers: callers.unwrap_or(1),
                    warm: Duration::from_millis(warm),
                    time: Duration::from_millis(time),
                    watched,
                };
                let what = cell.way.as_str();
                let measured = generate(&plan).map_err(|error| format!("{what}: {error}"))?;
                cell.rounds.push(measured);
                // It makes rows of its records as soon as nobody calls: that is measured by itself, and is
                // not to fall on whoever comes next.
                if extent == Extent::Whole
                    && let (Some(gate), Some(_)) = (self.gate(cell.way), callers)
                {
                    gate.make_rows()?;
                }
            }
        }
        Ok(cells)
    }

    /// The gate on this way, where one is.
    fn gate(&self, way: Way) -> Option<&Gate> {
        match way {
            Way::Gate | Way::GateBefore => Some(&self.over_http),
            Way::GateStdio | Way::GateStdioBefore => Some(&self.over_stdio),
            Way::Direct | Way::Pass | Way::Other | Way::OtherStdio => None,
        }
    }

    /// Who is called, and the process that is watched; nobody, where there is no such proxy.
    fn target(&self, way: Way) -> Option<(Place, u32)> {
        let plain = |role: &Role| (Place { url: role.url.clone(), token: None }, role.id());
        let other = |proxy: &OtherProxy| (proxy.place.clone(), proxy.id());
        Some(match way {
            Way::Direct => plain(&self.site),
            Way::Pass => plain(&self.pass),
            Way::Gate | Way::GateBefore | Way::GateStdio | Way::GateStdioBefore => {
                let gate = self.gate(way)?;
                (gate.place.clone(), gate.id())
            }
            Way::Other => other(self.others.over_http.as_ref()?),
            Way::OtherStdio => other(self.others.over_stdio.as_ref()?),
        })
    }
}

/// Has a load generator follow a plan.
pub(crate) fn generate(plan: &Plan) -> Result<Measured, Failure> {
    let done = Command::new(std::env::current_exe()?)
        .args(["load", &serde_json::to_string(plan)?])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    match done.status.success() {
        true => Ok(serde_json::from_slice(&done.stdout)?),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
    }
}

impl Cells {
    pub(crate) fn get(&self, era: Era, way: Way, callers: Option<usize>) -> Option<&Cell> {
        let is_it = |cell: &&Cell| cell.era == era && cell.way == way && cell.callers == callers;
        self.all.iter().find(is_it)
    }

    pub(crate) fn table(&self) -> String {
        let mut page =
            "| era | callers | way | calls/s | of pass-through | of direct | p50 | p99 | \
                        CPU per call |\n|---|---|---|---|---|---|---|---|---|\n"
                .to_owned();
        for cell in &self.all {
            let of = |way| {
                let other = self.get(cell.era, way, cell.callers).map_or(0.0, Cell::throughput);
                cell.throughput() / other
            };
            let callers = cell.callers.map_or("list".to_owned(), |callers| callers.to_string());
            let (era, way) = (cell.era.as_str(), cell.way.as_str());
            // Writing to a text cannot fail.
            let _ = writeln!(
                page,
                "| {era} | {callers} | {way} | {:.0} | {:.2} | {:.2} | {:.0} µs | {:.0} µs | {:.0} µs |",
                cell.throughput(),
                of(Way::Pass),
                of(Way::Direct),
                cell.p50(),
                cell.p99(),
                cell.cpu()
            );
        }
        page.push_str(
            "\n| gate | memory after the first list | after all calls |\n|---|---|---|\n",
        );
        for (era, kind, before, after) in &self.memory {
            let (before, after) = (megabytes(*before), megabytes(*after));
            let _ = writeln!(page, "| {}, {kind} | {before:.1} MB | {after:.1} MB |", era.as_str());
        }
        page
    }

    pub(crate) fn json(&self) -> Value {
        let cell = |cell: &Cell| {
            json!({
                "era": cell.era,
                "way": cell.way.as_str(),
                "callers": cell.callers,
                "perSecond": cell.throughput(),
                "p50Micros": cell.p50(),
                "p99Micros": cell.p99(),
                "cpuMicros": cell.cpu(),
            })
        };
        self.all.iter().map(cell).collect()
    }
}

pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
