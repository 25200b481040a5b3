//! `toolgate restart`: another daemon in the place of the one that runs. The windows of agents find
//! it by themselves. With an id, one server of it.

use serde::Serialize;
use toolgate_control::{ControlClient, Person, RESTART_SERVER, start_daemon, stop_daemon};
use toolgate_terminal::CommandOutput;

use crate::args::OneServerArgs;
use crate::daemon_starter::ThisProgram;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::server_run::run_server;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct RestartJson {
    stopped: Option<u32>,
    started: u32,
}

pub(crate) fn run(
    arguments: &OneServerArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    if let Some(id) = &arguments.id {
        return run_server(id, (RESTART_SERVER, "restarted"), surroundings, output);
    }
    let variables = &surroundings.variables;
    let running = ControlClient::find(variables)?.map(|daemon| daemon.info()).transpose()?;
    if let Some(info) = running.filter(|info| info.stays) {
        let message = format!("the daemon (pid {}) was started by `toolgate serve`", info.pid);
        return Err(CliFailure::new(message).hint("start it again where it was started"));
    }
    let stopped = stop_daemon(variables)?.map(|info| info.pid);
    start_daemon(&Person::oneself(variables), &ThisProgram)?;
    let started = ControlClient::reach(variables)?.info()?.pid;
    match (output.json, stopped) {
        (true, stopped) => output.document_of(&RestartJson { stopped, started }),
        (false, Some(pid)) => {
            output.note(format!("the daemon (pid {pid}) has ended, and another is pid {started}"));
        }
        (false, None) => output.note(format!("a daemon was started: pid {started}")),
    }
    Ok(Exit::Ok)
}
