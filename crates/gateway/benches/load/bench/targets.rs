//! The budgets of the design, each beside what was measured.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::cells::{Cell, Cells, Way};
use super::disk::DiskCosts;
use super::holding::Held;
use super::starting::Started;
use super::wide::WideLists;
use super::windows::Windows;
use crate::server::Era;

/// Something that is to be at most, or at least, so much.
pub(crate) struct Target {
    what: String,
    unit: &'static str,
    measured: f64,
    budget: f64,
    is_ceiling: bool,
}

impl Target {
    fn is_met(&self) -> bool {
        match self.is_ceiling {
            true => self.measured <= self.budget,
            false => self.measured >= self.budget,
        }
    }

    fn verdict(&self) -> String {
        match self.is_met() {
            true => "met".to_owned(),
            false => {
                let by = (self.measured - self.budget).abs();
                let off = 100.0 * by / self.budget.max(1e-9);
                format!("missed by {by:.*} {} ({off:.0} %)", self.digits(), self.unit)
            }
        }
    }

    fn digits(&self) -> usize {
        match self.unit {
            "of it" => 2,
            "" => 0,
            _ => usize::from(self.budget < 200.0),
        }
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "what": self.what,
            "unit": self.unit,
            "measured": self.measured,
            "budget": self.budget,
            "bound": if self.is_ceiling { "at most" } else { "at least" },
            "met": self.is_met(),
        })
    }
}

pub(crate) fn all(
    cells: &Cells,
    started: &Started,
    opened: &Windows,
    (held, wide, disk): (&Held, &WideLists, &DiskCosts),
    binary: u64,
) -> Vec<Target> {
    let mut all = Vec::new();
    for era in Era::BOTH {
        of_calls(&mut all, cells, era);
    }
    beside_other(&mut all, cells);
    let mut ceiling = |what: &str, unit, measured, budget| {
        all.push(Target { what: what.to_owned(), unit, measured, budget, is_ceiling: true });
    };
    let first = "start to first `tools/list`, ten stdio servers, from the snapshot";
    ceiling(first, "ms", started.to_first_list, 25.0);
    ceiling("children started for it", "", started.children as f64, 0.0);
    ceiling("the same over `toolgate stdio`, no daemon yet", "ms", opened.cold, 25.0);
    ceiling("children started for that", "", opened.children as f64, 0.0);
    ceiling("CPU of the shim for one call", "µs", opened.shim_cpu, 25.0);
    let shared = "server processes, five windows in one folder";
    ceiling(shared, "", opened.processes as f64, 10.0);
    let idle = started.memory as f64 / 1e6;
    ceiling("idle memory, ten servers configured", "MB", idle, 12.0);
    ceiling("memory of a shim that waits", "MB", opened.shim_memory as f64 / 1e6, 5.0);
    ceiling("of it its own", "MB", opened.shim_own_memory as f64 / 1e6, 1.5);
    ceiling("memory for each legacy session", "KiB", held.per_session(), 20.0);
    for (when, page) in wide.pages() {
        let what = format!("first page of 5 000 tools of 200 servers, {when}");
        ceiling(&what, "ms", page, 2.0);
    }
    for (era, beside) in wide.calls() {
        let what = format!("a call among 5 000 tools beside one among 100, {}", era.as_str());
        ceiling(&what, "of it", beside, 1.1);
    }
    let processes = started.processes as f64;
    ceiling("server processes, five agents and ten stdio servers", "", processes, 10.0);
    let gone = started.gone_after.unwrap_or(f64::INFINITY);
    ceiling("the last of them gone after `kill -9`", "ms", gone, 2000.0);
    ceiling("stripped binary", "MB", binary as f64 / 1e6, 28.0);
    let always = disk.throughput("always");
    let what = "`fsync = \"always\"`, callers: 32".to_owned();
    all.push(Target {
        what,
        unit: "calls/s",
        measured: always,
        budget: 5_000.0,
        is_ceiling: false,
    });
    all
}

fn of_calls(all: &mut Vec<Target>, cells: &Cells, era: Era) {
    let name = era.as_str();
    let mut add = |what: String, unit, measured: f64, budget, is_ceiling| {
        all.push(Target { what: format!("{what}, {name}"), unit, measured, budget, is_ceiling });
    };
    let get = |way, callers| cells.get(era, way, callers);
    // With the record before the call, which is what most tools get.
    let ways =
        [(Way::GateBefore, Way::Gate, "HTTP"), (Way::GateStdioBefore, Way::GateStdio, "stdio")];
    for (before, soon, kind) in ways {
        for callers in [8, 32] {
            let cpu = |way| get(way, Some(callers)).map_or(f64::NAN, Cell::cpu);
            let of = |way| get(way, Some(callers)).map_or(f64::NAN, Cell::throughput);
            let what = |what: &str| format!("{what}, {kind}, callers: {callers}");
            add(what("CPU per call"), "µs", cpu(before), cpu(Way::Pass) + 20.0, true);
            let dearer = cpu(before) - cpu(soon);
            add(what("CPU of the record before the call"), "µs", dearer, 3.0, true);
            let share = of(before) / of(Way::Pass);
            add(what("throughput beside the pass-through"), "of it", share, 0.7, false);
        }
        let p99 = |way| get(way, Some(8)).map_or(f64::NAN, Cell::p99);
        let what = format!("p99, {kind}, callers: 8");
        add(what, "µs", p99(before), 2.0 * p99(Way::Pass), true);
    }
    let p50 = |way, callers| get(way, callers).map_or(f64::NAN, Cell::p50);
    add("p50, HTTP, one caller".to_owned(), "µs", p50(Way::Gate, Some(1)), 150.0, true);
    add("`tools/list`, 100 tools".to_owned(), "µs", p50(Way::Gate, None), 500.0, true);
}

/// With the record before the call, which the other proxy does not make: ahead in every column, in the cell
/// where it is hardest.
fn beside_other(all: &mut Vec<Target>, cells: &Cells) {
    type Column = (&'static str, fn(&Cell) -> f64);
    let columns: [Column; 4] = [
        ("time for a call (all callers)", |cell| 1.0 / cell.throughput()),
        ("p50", Cell::p50),
        ("p99", Cell::p99),
        ("CPU per call", Cell::cpu),
    ];
    let ways =
        [(Way::GateBefore, Way::Other, "HTTP"), (Way::GateStdioBefore, Way::OtherStdio, "stdio")];
    for (ours, theirs, kind) in ways {
        for (column, figure) in columns {
            let pairs = cells.all.iter().filter(|cell| cell.way == ours).filter_map(|ours| {
                let theirs = cells.get(ours.era, theirs, ours.callers)?;
                Some((figure(ours) / figure(theirs), ours))
            });
            let Some((measured, cell)) = pairs.max_by(|(one, _), (other, _)| one.total_cmp(other))
            else {
                continue;
            };
            let callers = cell.callers.map_or_else(String::new, |callers| callers.to_string());
            let worst = format!("{}, callers: {callers}", cell.era.as_str());
            let what = format!("{column} beside `mcp-proxy`, {kind}, at worst ({worst})");
            all.push(Target { what, unit: "of it", measured, budget: 1.0, is_ceiling: true });
        }
    }
}

pub(crate) fn table(targets: &[Target]) -> String {
    let mut page = "| what | measured | budget | |\n|---|---|---|---|\n".to_owned();
    for target in targets {
        let Target { what, unit, measured, budget, .. } = target;
        let sign = if target.is_ceiling { "≤" } else { "≥" };
        let digits = target.digits();
        // Writing to a text cannot fail.
        let _ = writeln!(
            page,
            "| {what} | {measured:.digits$} {unit} | {sign} {budget:.digits$} {unit} | {} |",
            target.verdict()
        );
    }
    page
}
