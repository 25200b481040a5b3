//! Thousands of sessions of the older era: what they take, and which of them go when there is no
//! room.

use tokio::runtime::Runtime;

use crate::bench::hold;
use crate::client::Client;
use crate::gate::{Config, Gate, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

/// The budget for one session, in KiB.
const MOST: f64 = 20.0;

pub(crate) fn run(run: &Run, runtime: &Runtime) -> Result<String, Failure> {
    let (many, limit, more) = match run.extent {
        Extent::Whole => (5000, 500, 100),
        Extent::Tenth => (500, 50, 10),
    };
    let site = Role::start(&["site", "legacy", "bench"])?;
    let start = |name: &str, sessions| {
        let config =
            Config::new(Limits { sessions, ..Limits::default() }).remote("bench", &site.url);
        Home::new(run.folder.path(), name, config)?.start(&run.gate)
    };
    let held = runtime.block_on(hold(&start("many", None)?, many))?;
    // With few sessions it is the allocator that is measured.
    if run.extent == Extent::Whole && held.per_session() > MOST {
        return Err(format!("a session takes {:.1} KiB", held.per_session()).into());
    }
    runtime.block_on(overflow(&start("few", Some(limit))?, limit as usize, more))?;
    Ok(format!(
        "{} With room for {limit} and {} opened, the first {more} were gone and all others \
         there.\n",
        held.table().trim_end(),
        limit as usize + more,
    ))
}

/// Opens more sessions than there is room for.
async fn overflow(gate: &Gate, limit: usize, more: usize) -> Result<(), Failure> {
    let mut client = Client::connect(&gate.place, Era::Legacy).await?;
    let mut opened = Vec::new();
    for _ in 0..limit + more {
        client.begin().await?;
        opened.push(client.session.clone().ok_or("no session")?);
    }
    for (number, session) in opened.iter().enumerate() {
        client.take_up(session);
        let status = client.list().await?.status;
        let expected = if number < more { 404 } else { 200 };
        if status != expected {
            return Err(format!("session {number}: {status} instead of {expected}").into());
        }
    }
    Ok(())
}
