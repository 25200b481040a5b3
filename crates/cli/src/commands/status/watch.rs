//! A status that is looked at again every second: drawn anew on a terminal, elsewhere written only
//! when something is different.

use std::time::Duration;

use serde::Serialize;
use toolgate_control::ControlClient;
use toolgate_terminal::CommandOutput;

use super::{SeenDaemon, details, find, look, shown};
use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

const EVERY: Duration = Duration::from_secs(1);

/// What programs read while there is no daemon.
#[derive(Serialize)]
struct NoDaemonJson {
    daemon: Option<()>,
}

pub(super) fn watch(
    id: Option<&str>,
    first: SeenDaemon,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let runtime = command_runtime()?;
    if let Some(id) = id {
        find(&first, id)?;
    }
    runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        let is_drawn = output.is_terminal() && !output.json;
        let mut seen = Some(first);
        let mut last = None;
        loop {
            let steady = seen.as_ref().map(steady);
            if is_drawn || last.as_ref() != Some(&steady) {
                draw(seen.as_ref(), id, is_drawn, output);
                if !output.is_read() {
                    return Ok(Exit::Ok);
                }
                last = Some(steady);
            }
            if interrupted.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
                return Ok(Exit::Ok);
            }
            // It may end and come back; that is to be seen, too.
            let daemon = ControlClient::find(&surroundings.variables).ok().flatten();
            seen = daemon.and_then(|daemon| look(&daemon, surroundings, output).ok());
        }
    })
}

fn draw(seen: Option<&SeenDaemon>, id: Option<&str>, is_drawn: bool, output: &mut CommandOutput) {
    if is_drawn {
        output.wipe();
    }
    let found = seen.zip(id).map(|(seen, id)| (seen, find(seen, id).unwrap_or_default()));
    match (seen, found, output.json) {
        (None, _, true) => output.document_line(&NoDaemonJson { daemon: None }),
        (None, _, false) => output.line("no daemon runs"),
        (Some(_), Some((seen, found)), true) => {
            output.document_line(&details::StatusDetailsJson { daemon: &seen.daemon, found });
        }
        (Some(_), Some((_, found)), false) => output.raw(&details::text(&found)),
        (Some(seen), None, true) => output.document_line(seen),
        (Some(seen), None, false) => output.raw(&shown::text(seen)),
    }
    if !is_drawn && !output.json {
        output.line("");
    }
}

/// Without what is different each time it is looked at.
fn steady(seen: &SeenDaemon) -> SeenDaemon {
    let mut steady = seen.clone();
    for row in steady.workspaces.iter_mut().flat_map(|workspace| &mut workspace.servers) {
        (row.retry_in_ms, row.memory_bytes) = (None, None);
    }
    steady
}
