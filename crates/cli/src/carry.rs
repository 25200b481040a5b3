//! Something that a server does for the person at the command line, and its failure in the words of
//! every surface. What could not even be begun is written down here; everything else the host writes
//! down itself.

mod explain;
mod unmade;

use toolgate_daemon::{CarriedCall, CarryJob, CarryOut, Errand as _};
use toolgate_terminal::CommandOutput;

use crate::args::CarryArgs;
use crate::command_host::ReadiedHost;
use crate::errand::{self, ErrandPlace};
use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

/// Connects to a server and has it do something; without one, to the server of the tool that agents
/// see under this name.
pub(crate) fn carry_out(
    server: Option<&str>,
    job: CarryJob,
    how: &CarryArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<CarriedCall, CliFailure> {
    let deadline_ms = how.timeout_ms;
    let errand = CarryOut { server: server.map(str::to_owned), job, deadline_ms };
    let readied = ReadiedHost::of(&errand.wish(), surroundings, output)
        .inspect_err(|failure| unmade::record_refused(&errand, failure, surroundings))?;
    let place = ErrandPlace::new(how.standalone);
    let carried = errand::run_readied(&errand, place, readied, surroundings, output)?;
    carried.map_err(|not_done| {
        let correlation = unmade::record(&errand, &not_done, surroundings);
        explain::explain(not_done, correlation.as_deref(), output)
    })
}
