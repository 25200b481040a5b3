//! What a verb has done by a host, wherever that host is: in the daemon where one runs, otherwise in
//! this process. What is printed of it is the same either way.

mod standpoint;
mod through;

use toolgate_control::ControlClient;
use toolgate_daemon::{Errand, ErrandHost};
use toolgate_terminal::CommandOutput;

use crate::command_host::{ReadiedHost, host_here};
use crate::failure::CliFailure;
use crate::surroundings::Surroundings;
pub(crate) use standpoint::standpoint_of;

/// Where an errand is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrandPlace {
    /// By the daemon, if one runs and can.
    Anywhere,
    /// In this process.
    Here,
}

impl ErrandPlace {
    pub(crate) fn new(standalone: bool) -> Self {
        if standalone { Self::Here } else { Self::Anywhere }
    }
}

/// Has it done. Whatever is said about the configuration is said here.
pub(crate) fn run<E: Errand>(
    errand: &E,
    place: ErrandPlace,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Result<E::Product, E::Trouble>, CliFailure> {
    let readied = ReadiedHost::of(&errand.wish(), surroundings, output)?;
    run_readied(errand, place, readied, surroundings, output)
}

/// The same with a wish that was found to make sense.
pub(crate) fn run_readied<E: Errand>(
    errand: &E,
    place: ErrandPlace,
    readied: ReadiedHost,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Result<E::Product, E::Trouble>, CliFailure> {
    if let Some(daemon) = daemon(place, surroundings, output)
        && let Some(done) = through::run(errand, daemon, &readied, surroundings, output)?
    {
        return Ok(done);
    }
    let work = async |hosted: &ErrandHost| errand.run(hosted).await;
    host_here(&errand.wish(), readied, surroundings, output, work)
}

/// Who wants to see the log of a run has it in this process: the daemon's is in its file.
fn daemon(
    place: ErrandPlace,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Option<ControlClient> {
    if place == ErrandPlace::Here || surroundings.logging.is_wanted_here() {
        return None;
    }
    match ControlClient::find(&surroundings.variables) {
        Ok(daemon) => daemon,
        Err(failure) => {
            output.detail(format!("without the daemon: {}", failure.message));
            None
        }
    }
}
