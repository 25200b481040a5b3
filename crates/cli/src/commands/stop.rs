//! `toolgate stop`: ends the daemon, and waits until it and everything it started is gone; with an id,
//! one server of it.

use serde::Serialize;
use toolgate_control::{STOP_SERVER, stop_daemon};
use toolgate_terminal::CommandOutput;

use crate::args::OneServerArgs;
use crate::failure::{CommandResult, Exit};
use crate::server_run::run_server;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct StopJson {
    /// The process that was ended; none where none ran.
    stopped: Option<u32>,
}

pub(crate) fn run(
    arguments: &OneServerArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    if let Some(id) = &arguments.id {
        return run_server(id, (STOP_SERVER, "stopped"), surroundings, output);
    }
    let stopped = stop_daemon(&surroundings.variables)?.map(|info| info.pid);
    match (output.json, stopped) {
        (true, stopped) => output.document_of(&StopJson { stopped }),
        (false, Some(pid)) => output.note(format!("the daemon (pid {pid}) has ended")),
        (false, None) => output.note("no daemon runs"),
    }
    Ok(Exit::Ok)
}
