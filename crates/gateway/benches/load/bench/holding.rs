//! What a session of the older era costs in memory.

use serde_json::{Value, json};

use crate::client::Client;
use crate::gate::{Config, Gate, Home, Limits};
use crate::process::Role;
use crate::server::Era;
use crate::{Extent, Failure, Run};

pub(crate) struct Held {
    pub(crate) sessions: usize,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

pub(crate) fn measure(run: &Run) -> Result<Held, Failure> {
    let sessions = if run.extent == Extent::Whole { 1000 } else { 100 };
    let site = Role::start(&["site", "legacy", "bench"])?;
    let config = Config::new(Limits::default()).remote("bench", &site.url);
    let gate = Home::new(run.folder.path(), "holding", config)?.start(&run.gate)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(hold(&gate, sessions))
}

/// Opens so many sessions, each of which lists its tools once, and looks at the memory.
pub(crate) async fn hold(gate: &Gate, sessions: usize) -> Result<Held, Failure> {
    let mut client = Client::open(&gate.place, Era::Legacy).await?;
    // What is made once for all is no session's.
    for _ in 0..20 {
        client.list().await?.expect(200)?;
        client.begin().await?;
    }
    gate.rest()?;
    let before = gate.memory()?;
    for _ in 0..sessions {
        client.begin().await?;
        client.list().await?.expect(200)?;
    }
    gate.rest()?;
    Ok(Held { sessions, before, after: gate.memory()? })
}

impl Held {
    /// In KiB.
    pub(crate) fn per_session(&self) -> f64 {
        self.after.saturating_sub(self.before) as f64 / 1024.0 / self.sessions as f64
    }

    pub(crate) fn table(&self) -> String {
        format!(
            "{} sessions of the older era, each with one list: {:.1} MB before, {:.1} MB after, \
             {:.1} KiB each.\n",
            self.sessions,
            super::cells::megabytes(self.before),
            super::cells::megabytes(self.after),
            self.per_session()
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "sessions": self.sessions,
            "bytesBefore": self.before,
            "bytesAfter": self.after,
            "kibPerSession": self.per_session(),
        })
    }
}
