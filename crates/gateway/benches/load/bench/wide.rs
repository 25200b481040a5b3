//! Five thousand tools of two hundred servers beside a hundred tools of four: the first page of the
//! list in every state that what it is made of can be in, all pages, and a call.
//!
//! Times are a client's: from the request to the last byte of the answer, over loopback. Opening the
//! connection, looking who holds it (once, with its first request, whatever that is), and reading the
//! configuration again, are not in them.

pub(crate) mod listing;

use std::fmt::Write as _;

use serde_json::{Value, json};

use self::listing::{ListTimes, WideGate, name};
use super::middle;
use crate::gate::{Config, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// Of each server.
const TOOLS: usize = 25;

/// A few servers, and many.
pub(crate) struct WideLists {
    few: WideList,
    many: WideList,
}

/// What one configuration costs; all times in microseconds, the middle ones.
struct WideList {
    home: Home,
    servers: usize,
    /// The first page after a start, of what is known from before.
    started: f64,
    /// The same after the configuration of one server changed.
    changed: f64,
    /// The same for a role that nobody asked as since.
    new_audience: f64,
    /// For each era, in the order of `Era::BOTH`.
    eras: [ListTimes; 2],
    /// One call, likewise.
    calls: [f64; 2],
}

pub(crate) fn measure(run: &Run) -> Result<WideLists, Failure> {
    let many = if run.extent == Extent::Whole { 200 } else { 20 };
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench", &TOOLS.to_string()])?;
    let mut lists = [WideList::new(run, &site, 4)?, WideList::new(run, &site, many)?];
    for list in &mut lists {
        list.measure(run, &site)?;
    }
    measure_calls(run, &mut lists)?;
    let [few, many] = lists;
    Ok(WideLists { few, many })
}

/// Both gates run, and calls of one go on beside calls of the other: whatever else the machine does
/// meanwhile, it does to both.
fn measure_calls(run: &Run, lists: &mut [WideList; 2]) -> Result<(), Failure> {
    let (rounds, times) = if run.extent == Extent::Whole { (20, 100) } else { (2, 25) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let gates = [lists[0].start(run)?, lists[1].start(run)?];
    for gate in &gates {
        runtime.block_on(gate.warm())?;
    }
    for (at, era) in Era::BOTH.into_iter().enumerate() {
        let mut calls = [Vec::new(), Vec::new()];
        runtime.block_on(async {
            let mut clients = [gates[0].client(era).await?, gates[1].client(era).await?];
            for _ in 0..rounds {
                for which in 0..2 {
                    let more = gates[which].calls(&mut clients[which], times).await?;
                    calls[which].extend(more);
                }
            }
            Ok::<_, Failure>(())
        })?;
        for (list, calls) in lists.iter_mut().zip(calls) {
            list.calls[at] = middle(calls.into_iter());
        }
    }
    for gate in gates {
        gate.gate.stop()?;
    }
    Ok(())
}

/// All servers, each in a bundle of its own, and so many roles that have them all. The last server shows
/// all of its tools, or all but one.
fn config(site: &Role, servers: usize, roles: usize, is_whole: bool) -> Result<Config, Failure> {
    let mut config = Config::new(Limits::default());
    let names: Vec<String> = (0..servers).map(name).collect();
    for (number, name) in names.iter().enumerate() {
        config = config.remote(name, &site.url);
        if number + 1 == servers && !is_whole {
            config = config.without("note");
        }
    }
    for server in &names {
        config = config.bundle(server);
    }
    for number in 0..roles {
        config = config.role(&format!("r{number}"), &names)?;
    }
    Ok(config)
}

/// How many roles ask for the first time, and how often the rest is asked that costs a start.
fn roles(run: &Run) -> usize {
    if run.extent == Extent::Whole { 10 } else { 2 }
}

impl WideList {
    fn new(run: &Run, site: &Role, servers: usize) -> Result<Self, Failure> {
        let config = config(site, servers, roles(run), true)?;
        let home = Home::new(run.folder.path(), &format!("wide-{servers}"), config)?;
        let (eras, calls) = ([ListTimes::default(); 2], [0.0; 2]);
        Ok(Self { home, servers, started: 0.0, changed: 0.0, new_audience: 0.0, eras, calls })
    }

    fn start(&self, run: &Run) -> Result<WideGate, Failure> {
        Ok(WideGate { gate: self.home.start(&run.gate)?, servers: self.servers })
    }

    /// All but the calls.
    fn measure(&mut self, run: &Run, site: &Role) -> Result<(), Failure> {
        let times = if run.extent == Extent::Whole { 200 } else { 5 };
        let few = roles(run);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (mut started, mut changed, mut new_audience) = (Vec::new(), Vec::new(), Vec::new());
        let gate = self.start(run)?;
        runtime.block_on(gate.warm())?;
        for (at, era) in Era::BOTH.into_iter().enumerate() {
            self.eras[at] = runtime.block_on(gate.times(era, times))?;
        }
        for role in 0..few {
            new_audience.push(runtime.block_on(gate.first_of_role(&format!("r{role}")))?);
        }
        for number in 0..few * 2 {
            let is_whole = number % 2 == 1;
            self.home.rewrite(config(site, self.servers, few, is_whole)?)?;
            changed.push(runtime.block_on(gate.first_after_change(is_whole))?);
        }
        gate.gate.stop()?;
        for _ in 0..few {
            let gate = self.start(run)?;
            started.push(runtime.block_on(gate.first())?);
            gate.gate.stop()?;
        }
        [self.started, self.changed, self.new_audience] =
            [started, changed, new_audience].map(|times| middle(times.into_iter()));
        Ok(())
    }

    fn tools(&self) -> usize {
        self.servers * TOOLS
    }
}

impl WideLists {
    /// The first page of many, in milliseconds, each with the state that it is from.
    pub(crate) fn pages(&self) -> Vec<(&'static str, f64)> {
        let [legacy, modern] = self.many.eras;
        let all = [
            ("after a start", self.many.started),
            ("after the configuration of one server changed", self.many.changed),
            ("for a role that nobody asked as before", self.many.new_audience),
            ("asked for before, legacy", legacy.page),
            ("asked for before, modern", modern.page),
        ];
        all.map(|(when, micros)| (when, micros / 1e3)).to_vec()
    }

    /// A call among many beside one among few, for each era.
    pub(crate) fn calls(&self) -> [(Era, f64); 2] {
        let of = |at: usize| self.many.calls[at] / self.few.calls[at];
        [(Era::BOTH[0], of(0)), (Era::BOTH[1], of(1))]
    }

    pub(crate) fn table(&self) -> String {
        let mut page = format!(
            "| what a client waits for | {} tools of {} servers | {} of {} |\n|---|---|---|---|\n",
            self.few.tools(),
            self.few.servers,
            self.many.tools(),
            self.many.servers,
        )
        .replace("|---|---|---|---|", "|---|---|---|");
        let mut row = |what: &str, of: &dyn Fn(&WideList) -> f64| {
            // Writing to a text cannot fail.
            let _ =
                writeln!(page, "| {what} | {:.0} µs | {:.0} µs |", of(&self.few), of(&self.many));
        };
        row("first page after a start", &|list| list.started);
        row("first page after the configuration of one server changed", &|list| list.changed);
        row("first page for a role that nobody asked as before", &|list| list.new_audience);
        for (at, era) in Era::BOTH.into_iter().enumerate() {
            let era = era.as_str();
            row(&format!("first page, asked for before, {era}"), &|list| list.eras[at].page);
            row(&format!("all pages, asked for before, {era}"), &|list| list.eras[at].pages);
            row(&format!("one call, {era}"), &|list| list.calls[at]);
        }
        page
    }

    pub(crate) fn json(&self) -> Value {
        let times = |list: &WideList, at: usize| {
            let ListTimes { page, pages } = list.eras[at];
            json!({ "pageMicros": page, "allPagesMicros": pages, "callMicros": list.calls[at] })
        };
        let figures = |list: &WideList| {
            json!({
                "servers": list.servers,
                "tools": list.tools(),
                "startedMicros": list.started,
                "changedMicros": list.changed,
                "newAudienceMicros": list.new_audience,
                "legacy": times(list, 0),
                "modern": times(list, 1),
            })
        };
        json!({ "few": figures(&self.few), "many": figures(&self.many) })
    }
}
