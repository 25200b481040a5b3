//! `toolgate stop`: ends the daemon, and waits until it and everything it started is gone.

use serde::Serialize;
use toolgate_control::stop_daemon;
use toolgate_terminal::CommandOutput;

use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct StopJson {
    /// The process that was ended; none where none ran.
    stopped: Option<u32>,
}

pub(crate) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let stopped = stop_daemon(&surroundings.variables)?.map(|info| info.pid);
    match (output.json, stopped) {
        (true, stopped) => output.document_of(&StopJson { stopped }),
        (false, Some(pid)) => output.note(format!("the daemon (pid {pid}) has ended")),
        (false, None) => output.note("no daemon runs"),
    }
    Ok(Exit::Ok)
}
