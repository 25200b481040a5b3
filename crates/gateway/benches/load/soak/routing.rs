//! Calls of many clients to servers of all kinds, each with a text of its own: it must come back to
//! the client that sent it, under its id, from the server that was meant.

use std::time::Instant;

use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::client::{Asked, Client, Place};
use crate::gate::{Config, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

const CLIENTS: usize = 200;

/// A server of each era, on a port and as a process.
const SERVERS: [&str; 4] = ["httpold", "httpnew", "stdioold", "stdionew"];

/// Every so manieth call wants to be told how it goes on.
const REPORTED: usize = 10;

/// Every so manieth is to a tool that is recorded before it runs.
const RECORDED: usize = 5;

#[derive(Debug, Default)]
struct Seen {
    calls: usize,
    reports: usize,
}

pub(crate) fn run(run: &Run, runtime: &Runtime) -> Result<String, Failure> {
    let calls = if run.extent == Extent::Whole { 100_000 } else { 5_000 };
    let old = Role::start(&["site", "legacy", SERVERS[0]])?;
    let new = Role::start(&["site", "modern", SERVERS[1]])?;
    let config = Config::new(Limits::default())
        .remote(SERVERS[0], &old.url)
        .remote(SERVERS[1], &new.url)
        .local(SERVERS[2], Era::Legacy, "soak")?
        .local(SERVERS[3], Era::Modern, "soak")?;
    let gate = Home::new(run.folder.path(), "routing", config)?.start(&run.gate)?;
    let began = Instant::now();
    let seen = runtime.block_on(all(&gate.place, calls / CLIENTS))?;
    let wanted = calls / REPORTED;
    Ok(format!(
        "{CLIENTS} clients of both eras, whose ids all start at 0, made {} calls in {:.0} s to four \
         servers (HTTP and stdio, legacy and modern; a process answers what came together in the \
         opposite order). Every answer came to its caller, under its id, from the server that was \
         meant. Of {wanted} calls that wanted reports, under tokens that all clients share, {} got \
         theirs; none got another's.\n",
        seen.calls,
        began.elapsed().as_secs_f64(),
        seen.reports,
    ))
}

async fn all(place: &Place, calls: usize) -> Result<Seen, Failure> {
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let place = place.clone();
        clients.spawn(async move { one(&place, number, calls).await });
    }
    let mut seen = Seen::default();
    while let Some(client) = clients.join_next().await {
        let own = client??;
        seen.calls += own.calls;
        seen.reports += own.reports;
    }
    Ok(seen)
}

async fn one(place: &Place, client: usize, calls: usize) -> Result<Seen, Failure> {
    let era = Era::BOTH[client % 2];
    let mut own = Client::open(place, era).await?;
    let mut seen = Seen::default();
    for call in 0..calls {
        let server = SERVERS[(client / 2 + call) % SERVERS.len()];
        let tool = if call % RECORDED == 3 { "note" } else { "echo" };
        let (tool, text) = (format!("{server}__{tool}"), format!("client {client} call {call}"));
        let report = call % REPORTED == 0;
        let id = own.call(Asked { tool: &tool, text: &text, report }).await?;
        let body = str::from_utf8(own.body())?;
        let wrong = |why: &str| format!("{why}: {text} to {server} with id {id} got {body}");
        for message in messages(body)? {
            if message["method"] == "notifications/progress" {
                let params = &message["params"];
                if params["progressToken"] != id || params["message"] != text.as_str() {
                    return Err(wrong("a report for somebody else").into());
                }
                seen.reports += 1;
                continue;
            }
            let content = &message["result"]["content"];
            let is_ours = message["id"] == id && content[0]["text"] == text.as_str();
            if !is_ours || content[1]["text"] != server {
                return Err(wrong("an answer for somebody else").into());
            }
            seen.calls += 1;
        }
        if seen.calls != call + 1 {
            return Err(wrong("not one answer").into());
        }
    }
    own.end().await?;
    Ok(seen)
}

/// The messages of a body: itself, or those of its events.
fn messages(body: &str) -> Result<Vec<Value>, Failure> {
    if body.starts_with('{') {
        return Ok(vec![serde_json::from_str(body)?]);
    }
    let lines = body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let full = lines.filter(|line| !line.is_empty());
    full.map(|line| Ok(serde_json::from_str(line)?)).collect()
}
