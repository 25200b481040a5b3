//! From the start of the gate to the first list, with ten local servers that are known from before;
//! and how many processes five agents make of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cells::megabytes;
use super::middle;
use crate::client::{Asked, Client};
use crate::gate::{Config, Gate, Home, Limits};
use crate::process::{children_of, own_memory_of, playing};
use crate::server::Era;
use crate::{Extent, Failure, Run};

const SERVERS: usize = 10;
const AGENTS: usize = 5;

/// Longer than a gate looks whether it is quiet.
const QUIET: Duration = Duration::from_secs(9);

/// How long anything may outlive the gate.
const LEFT: Duration = Duration::from_secs(2);

pub(crate) struct Started {
    /// In milliseconds.
    pub(crate) to_first_list: f64,
    pub(crate) slowest: f64,
    /// The most that were there after any start.
    pub(crate) children: usize,
    /// When the first list was answered.
    listed_memory: u64,
    /// Some seconds later.
    pub(crate) memory: u64,
    /// Without the mapped program.
    own_memory: u64,
    pub(crate) processes: usize,
    /// In milliseconds; nothing where some stayed.
    pub(crate) gone_after: Option<f64>,
}

pub(crate) fn measure(run: &Run) -> Result<Started, Failure> {
    let mark = format!("ten-{}", std::process::id());
    let mut config = Config::new(Limits::default());
    for number in 0..SERVERS {
        config = config.local(&format!("s{number}"), Era::Legacy, &mark)?;
    }
    let home = Home::new(run.folder.path(), "ten", config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let first = home.start(&run.gate)?;
    runtime.block_on(first_list(&first))?;
    first.stop()?;
    let starts = if run.extent == Extent::Whole { 20 } else { 2 };
    let (mut times, mut children, mut listed_memory) = (Vec::new(), 0, 0);
    for _ in 0..starts {
        let began = Instant::now();
        let gate = home.start(&run.gate)?;
        runtime.block_on(first_list(&gate))?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        gate.rest()?;
        children = children.max(children_of(gate.id())?);
        listed_memory = gate.memory()?;
        gate.stop()?;
    }
    let gate = home.start(&run.gate)?;
    runtime.block_on(first_list(&gate))?;
    std::thread::sleep(QUIET);
    let (memory, own_memory) = (gate.memory()?, own_memory_of(gate.id())?);
    gate.stop()?;
    let gate = home.start(&run.gate)?;
    runtime.block_on(work(&gate))?;
    let processes = playing(&mark)?;
    let began = Instant::now();
    gate.kill()?;
    let gone_after = loop {
        if playing(&mark)? == 0 {
            break Some(began.elapsed().as_secs_f64() * 1e3);
        }
        if began.elapsed() > LEFT {
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let to_first_list = middle(times.into_iter());
    Ok(Started {
        to_first_list,
        slowest,
        children,
        listed_memory,
        memory,
        own_memory,
        processes,
        gone_after,
    })
}

async fn first_list(gate: &Gate) -> Result<(), Failure> {
    let mut client = Client::open(&gate.place, Era::Modern).await?;
    client.list().await?.expect(200)?;
    let body = String::from_utf8_lossy(client.body());
    let all = (0..SERVERS).all(|number| body.contains(&format!("\"s{number}__echo\"")));
    if all { Ok(()) } else { Err(format!("not all are listed: {body:.300}").into()) }
}

/// Each agent uses each server.
async fn work(gate: &Gate) -> Result<(), Failure> {
    for _ in 0..AGENTS {
        let mut client = Client::open(&gate.place, Era::Legacy).await?;
        for number in 0..SERVERS {
            let tool = format!("s{number}__echo");
            client.call(Asked { tool: &tool, text: "here", report: false }).await?;
        }
    }
    Ok(())
}

impl Started {
    pub(crate) fn table(&self) -> String {
        let gone = self.gone_after.map_or("not within 2 s".to_owned(), |ms| format!("{ms:.0} ms"));
        format!(
            "| ten local servers | |\n|---|---|\n\
             | start to first list, from the snapshot, median | {:.1} ms |\n\
             | the slowest | {:.1} ms |\n\
             | children after it | {} |\n\
             | memory after the first list | {:.1} MB |\n\
             | memory, idle | {:.1} MB |\n\
             | of it without the mapped program | {:.1} MB |\n\
             | processes of servers after five agents used all ten | {} |\n\
             | the last of them gone after `kill -9` of the gate | {gone} |\n",
            self.to_first_list,
            self.slowest,
            self.children,
            megabytes(self.listed_memory),
            megabytes(self.memory),
            megabytes(self.own_memory),
            self.processes,
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "firstListMillis": self.to_first_list,
            "slowestMillis": self.slowest,
            "children": self.children,
            "listedBytes": self.listed_memory,
            "idleBytes": self.memory,
            "idleOwnBytes": self.own_memory,
            "processesOfFiveAgents": self.processes,
            "goneAfterKillMillis": self.gone_after,
        })
    }
}
