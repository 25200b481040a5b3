//! `toolgate pins`: the definitions of tools as they were accepted, and what changed since.

mod accept;
mod diff;
mod list;
mod lock;

use toolgate_terminal::CommandOutput;

use crate::args::{PinsVerb, ScopeArg};
use crate::command_host::report_problems;
use crate::failure::CommandResult;
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: &PinsVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    report_problems(&loaded, output)?;
    match verb {
        PinsVerb::List => list::run(&loaded, surroundings, output),
        PinsVerb::Diff { server } => diff::run(server.as_deref(), &loaded, surroundings, output),
        PinsVerb::Accept { server, tools } => {
            accept::run(server, tools, &loaded, surroundings, output)
        }
        PinsVerb::Lock => lock::run(&loaded, surroundings, output),
    }
}
