//! Five thousand tools of two hundred servers beside a hundred tools of four: the first page of the
//! list, and a call.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

use super::middle;
use crate::client::{Asked, Client};
use crate::gate::{Config, Gate, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// Of the hundred tools of each server.
const SHOWN: usize = 25;

/// A few servers, and many.
pub(crate) struct WideLists {
    few: WideList,
    many: WideList,
}

/// What one configuration costs; all times in microseconds, the middle ones.
struct WideList {
    servers: usize,
    /// The first list after a start, of what is known from before.
    first: f64,
    /// One that was asked for already.
    page: f64,
    call: f64,
}

pub(crate) fn measure(run: &Run) -> Result<WideLists, Failure> {
    let many = if run.extent == Extent::Whole { 200 } else { 20 };
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench"])?;
    let of = |servers| WideList::measure(run, &site, servers);
    Ok(WideLists { few: of(4)?, many: of(many)? })
}

fn name(number: usize) -> String {
    format!("s{number:03}")
}

impl WideList {
    fn measure(run: &Run, site: &Role, servers: usize) -> Result<Self, Failure> {
        let shown: Vec<String> = (2..=SHOWN).map(|number| format!("tool_{number}")).collect();
        let shown: Vec<&str> =
            std::iter::once("echo").chain(shown.iter().map(|one| &**one)).collect();
        let mut config = Config::new(Limits::default());
        for number in 0..servers {
            config = config.remote(&name(number), &site.url).showing(&shown)?;
        }
        let home = Home::new(run.folder.path(), &format!("wide-{servers}"), config)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let times = if run.extent == Extent::Whole { 200 } else { 5 };
        let gate = home.start(&run.gate)?;
        let (page, call) = runtime.block_on(used(&gate, servers, times))?;
        gate.stop()?;
        let mut firsts = Vec::new();
        for _ in 0..times.div_ceil(20) {
            let gate = home.start(&run.gate)?;
            firsts.push(runtime.block_on(first_list(&gate))?);
            gate.stop()?;
        }
        Ok(Self { servers, first: middle(firsts.into_iter()), page, call })
    }
}

/// Every server is there; then so many lists and ten times as many calls.
async fn used(gate: &Gate, servers: usize, times: usize) -> Result<(f64, f64), Failure> {
    let mut client = Client::open(&gate.place, Era::Modern).await?;
    for number in 0..servers {
        let tool = format!("{}__echo", name(number));
        client.call(Asked { tool: &tool, text: "here", report: false }).await?;
    }
    let mut pages = Vec::with_capacity(times);
    for _ in 0..times {
        pages.push(listed(&mut client).await?);
    }
    let tool = format!("{}__echo", name(servers / 2));
    let mut calls = Vec::with_capacity(times * 10);
    for _ in 0..times * 10 {
        let began = Instant::now();
        client.call(Asked { tool: &tool, text: "here", report: false }).await?;
        calls.push(micros(began));
    }
    Ok((middle(pages.into_iter()), middle(calls.into_iter())))
}

async fn first_list(gate: &Gate) -> Result<f64, Failure> {
    let mut client = Client::open(&gate.place, Era::Modern).await?;
    listed(&mut client).await
}

async fn listed(client: &mut Client) -> Result<f64, Failure> {
    let began = Instant::now();
    client.list().await?.expect(200)?;
    let took = micros(began);
    let body = String::from_utf8_lossy(client.body());
    match body.contains("\"s000__echo\"") {
        true => Ok(took),
        false => Err(format!("not listed: {body:.300}").into()),
    }
}

fn micros(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e6
}

impl WideLists {
    /// The first page of many, in milliseconds: from what is kept on disk, and once it was written.
    pub(crate) fn pages(&self) -> (f64, f64) {
        (self.many.first / 1e3, self.many.page / 1e3)
    }

    /// A call among many beside one among few.
    pub(crate) fn calls(&self) -> f64 {
        self.many.call / self.few.call
    }

    pub(crate) fn table(&self) -> String {
        let mut page =
            "| tools of servers | first list after a start | first page, written before | \
                        one call |\n|---|---|---|---|\n"
                .to_owned();
        for WideList { servers, first, page: written, call } in [&self.few, &self.many] {
            let tools = servers * SHOWN;
            // Writing to a text cannot fail.
            let _ = writeln!(
                page,
                "| {tools} of {servers} | {first:.0} µs | {written:.0} µs | {call:.0} µs |"
            );
        }
        page
    }

    pub(crate) fn json(&self) -> Value {
        let figures = |list: &WideList| {
            json!({
                "servers": list.servers,
                "tools": list.servers * SHOWN,
                "firstListMicros": list.first,
                "pageMicros": list.page,
                "callMicros": list.call,
            })
        };
        json!({ "few": figures(&self.few), "many": figures(&self.many) })
    }
}
