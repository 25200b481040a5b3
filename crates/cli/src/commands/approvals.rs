//! `toolgate approvals`: the calls that wait for the person's word, each with everything that is known
//! of it.
//!
//! It shows and answers what the daemon has; what is asked, and whose answer counts, is not its matter.

mod shown;
mod watch;

use toolgate_control::ControlClient;
use toolgate_terminal::CommandOutput;

use crate::args::ApprovalsArgs;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &ApprovalsArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let daemon = ControlClient::reach(&surroundings.variables)?;
    if arguments.watch {
        return watch::watch(daemon, surroundings, output);
    }
    let listed = daemon.approvals()?;
    if output.json {
        output.document_of(&listed);
        return Ok(Exit::Ok);
    }
    if listed.approvals.is_empty() {
        output.note("nothing waits for you");
    }
    for pending in &listed.approvals {
        output.raw(&shown::text(pending, arguments.full));
    }
    Ok(Exit::Ok)
}
