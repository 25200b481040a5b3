//! The budgets of the design, each beside what was measured.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::cells::{CALLERS, Cell, Cells, Way};
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
    (held, wide): (&Held, &WideLists),
    binary: u64,
) -> Vec<Target> {
    let mut all = Vec::new();
    for era in Era::BOTH {
        of_calls(&mut all, cells, era);
    }
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
    ceiling("idle memory, ten servers configured", "MB", idle, 15.0);
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
    ceiling("stripped binary", "MB", binary as f64 / 1e6, 25.0);
    all
}

fn of_calls(all: &mut Vec<Target>, cells: &Cells, era: Era) {
    let name = era.as_str();
    let mut add = |what: String, unit, measured: f64, budget, is_ceiling| {
        all.push(Target { what: format!("{what}, {name}"), unit, measured, budget, is_ceiling });
    };
    let get = |way, callers| cells.get(era, way, callers);
    for (way, kind) in [(Way::Gate, "HTTP"), (Way::GateStdio, "stdio")] {
        for callers in CALLERS {
            let of = |way| get(way, Some(callers)).map_or(f64::NAN, Cell::cpu);
            let what = format!("CPU per call, {kind}, callers: {callers}");
            add(what, "µs", of(way), of(Way::Pass) + 25.0, true);
        }
    }
    for callers in [8, 32] {
        let of = |way| get(way, Some(callers)).map_or(f64::NAN, Cell::throughput);
        let pass = format!("throughput beside the pass-through, callers: {callers}");
        add(pass, "of it", of(Way::Gate) / of(Way::Pass), 0.75, false);
        let direct = format!("throughput beside direct, callers: {callers}");
        add(direct, "of it", of(Way::Gate) / of(Way::Direct), 0.3, false);
    }
    let p50 = |way, callers| get(way, callers).map_or(f64::NAN, Cell::p50);
    add("p50, HTTP, one caller".to_owned(), "µs", p50(Way::Gate, Some(1)), 150.0, true);
    add("`tools/list`, 100 tools".to_owned(), "µs", p50(Way::Gate, None), 500.0, true);
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
