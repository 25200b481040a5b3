//! `toolgate sandbox`: a command behind walls, and what walls let through.

mod explain;
#[cfg(target_os = "linux")]
mod learn;
mod run;

use toolgate_sandbox::SpawnError;
use toolgate_terminal::CommandOutput;

use crate::args::SandboxVerb;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: &SandboxVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match verb {
        SandboxVerb::Run(arguments) => run::run(arguments, surroundings, output),
        #[cfg(target_os = "linux")]
        SandboxVerb::Learn { command } => learn::run(command, surroundings, output),
        #[cfg(not(target_os = "linux"))]
        SandboxVerb::Learn { .. } => Err(CliFailure::new("learning needs the walls of Linux")),
        SandboxVerb::Explain { id, tool } => {
            explain::run((id, tool.as_deref()), surroundings, output)
        }
    }
}

/// Why nothing was started, with what can be done.
fn failure(error: &SpawnError) -> CliFailure {
    let failure = CliFailure::new(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
