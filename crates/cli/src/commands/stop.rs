//! `toolgate stop`: ends the daemon, and waits until it and everything it started is gone.

use serde::Serialize;
use toolgate_control::stop_daemon;

use crate::failure::{Done, Exit};
use crate::output::Output;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct Document {
    /// The process that was ended; none where none ran.
    stopped: Option<u32>,
}

pub(crate) fn run(surroundings: &Surroundings, output: &mut Output) -> Done {
    let stopped = stop_daemon(&surroundings.variables)?.map(|info| info.pid);
    match (output.json, stopped) {
        (true, stopped) => output.document_of(&Document { stopped }),
        (false, Some(pid)) => output.note(format!("the daemon (pid {pid}) has ended")),
        (false, None) => output.note("no daemon runs"),
    }
    Ok(Exit::Ok)
}
