//! `toolgate demo`: shows what the gate does, with a scripted agent in a folder of its own, and what was
//! recorded of it. It needs no network and touches nothing of the person's.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use toolgate_assembly::{Demo, DemoAudience, DemoSaid};
use toolgate_audit::newest_calls;
use toolgate_store::{AuditQuery, SqliteStore};
use toolgate_terminal::{CommandOutput, table};

use super::audit::{HEADER, ListedCall};
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};

#[derive(Serialize)]
struct DemoJson<'a> {
    happened: &'a [SaidLine],
    calls: &'a [ListedCall],
}

/// One thing that happened.
#[derive(Debug, Clone, Serialize)]
struct SaidLine {
    who: &'static str,
    words: String,
}

/// Keeps it until it is printed.
#[derive(Default)]
struct KeptLines(Mutex<Vec<SaidLine>>);

impl DemoAudience for KeptLines {
    fn hears(&self, said: DemoSaid<'_>) {
        let (who, words) = match said {
            DemoSaid::Step(words) => ("step", words),
            DemoSaid::Agent(words) => ("agent", words),
            DemoSaid::Answer(words) => ("gate", words),
            DemoSaid::Question(words) => ("asks you", words),
            DemoSaid::Person(words) => ("you", words),
        };
        let line = SaidLine { who, words: words.to_owned() };
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
    }
}

pub(crate) fn run(output: &mut CommandOutput) -> CommandResult {
    let failed = |what: &str| CliFailure::new(format!("the demo did not work: {what}"));
    let demo = Demo::prepare().map_err(|error| failed(&error.to_string()))?;
    let kept = Arc::new(KeptLines::default());
    let audience: Arc<dyn DemoAudience> = Arc::clone(&kept) as _;
    let runtime = command_runtime()?;
    let played = runtime.block_on(demo.play(&audience));
    let happened = kept.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let store = SqliteStore::open_read_only(&demo.state_folder()).map_err(CliFailure::new)?;
    let rows = runtime.block_on(newest_calls(&store, &AuditQuery::default(), usize::MAX))?;
    let calls: Vec<ListedCall> = rows.into_iter().map(ListedCall::from).collect();
    if output.json {
        output.document_of(&DemoJson { happened: &happened, calls: &calls });
    } else {
        print(&happened, output);
        output.line("");
        output.line("What was recorded (toolgate audit):");
        output.raw(&table(&HEADER, &calls.iter().map(ListedCall::cells).collect::<Vec<_>>()));
        output.line("");
        output.line("Nothing of this is left. Begin in a folder of yours: toolgate serve");
    }
    played.map_err(|why| failed(&why))?;
    Ok(Exit::Ok)
}

fn print(happened: &[SaidLine], output: &mut CommandOutput) {
    for SaidLine { who, words } in happened {
        if *who == "step" {
            output.line("");
            output.line(format!("{words}."));
            continue;
        }
        for (number, line) in words.lines().enumerate() {
            let who = if number == 0 { who } else { "" };
            output.line(format!("  {who:>8} | {line}"));
        }
    }
}
