//! `toolgate restart`: another daemon in the place of the one that runs. The windows of agents find
//! it by themselves.

use serde::Serialize;

use crate::attaching::{Person, start};
use crate::commanding::{Commander, stop};
use crate::failure::{Done, Exit, Failure};
use crate::output::Output;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct Document {
    stopped: Option<u32>,
    started: u32,
}

pub(crate) fn run(surroundings: &Surroundings, output: &mut Output) -> Done {
    let variables = &surroundings.variables;
    let running = Commander::find(variables)?.map(|daemon| daemon.info()).transpose()?;
    if let Some(info) = running.filter(|info| info.stays) {
        let message = format!("the daemon (pid {}) was started by `toolgate serve`", info.pid);
        return Err(Failure::new(message).hint("start it again where it was started"));
    }
    let stopped = stop(variables)?.map(|info| info.pid);
    start(&Person::oneself(variables))?;
    let started = Commander::reach(variables)?.info()?.pid;
    match (output.json, stopped) {
        (true, stopped) => output.document_of(&Document { stopped, started }),
        (false, Some(pid)) => {
            output.note(format!("the daemon (pid {pid}) has ended, and another is pid {started}"));
        }
        (false, None) => output.note(format!("a daemon was started: pid {started}")),
    }
    Ok(Exit::Ok)
}
