//! One server of the daemon that runs, ended or started anew: what `stop <id>` and `restart <id>` say.

use serde::Serialize;
use toolgate_control::{ControlClient, ServerRun, ServerRuns};
use toolgate_daemon::{in_lines, unknown_server};
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct ServerRunJson<'a> {
    server: &'a str,
    runs: &'a [ServerRun],
}

/// Has the daemon do it (`method`), and says in which folders it is `done`.
pub(crate) fn run_server(
    id: &str,
    (method, done): (&str, &str),
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ServerRuns { runs, known } =
        ControlClient::reach(&surroundings.variables)?.run_server(method, id)?;
    if runs.is_empty() {
        let configured = surroundings.load_as_hosted().config.servers;
        if !configured.contains_key(id) {
            let known = known.iter().map(String::as_str);
            let known = known.chain(configured.keys().map(|id| id.as_str()));
            return Err(unknown_server(id, known).into());
        }
        output.note(format!("nobody uses {id} now: it starts when somebody does"));
    }
    if output.json {
        output.document_of(&ServerRunJson { server: id, runs: &runs });
    }
    let mut failure = None;
    for run in &runs {
        let folder = visible(&run.folder);
        match (&run.error, run.is_done) {
            (_, true) => output.note(format!("{id} was {done} ({folder})")),
            (None, false) => output.warning(format!("{id} is {} ({folder})", run.state)),
            (Some(error), false) => {
                let message = format!("{id} ({folder}): {}", in_lines(error));
                failure = Some(CliFailure::new(message).exits(Exit::Unreachable));
            }
        }
    }
    failure.map_or(Ok(Exit::Ok), Err)
}
