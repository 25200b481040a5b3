//! `toolgate logout`: a login is forgotten, and ended where the server offers that.

use toolgate_daemon::log_out;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use super::login_place::LoginPlace;
use crate::args::LogoutArgs;
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &LogoutArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let LogoutArgs { id, account, of } = arguments;
    let place = LoginPlace::to_leave(id, account.as_deref(), of.as_deref(), surroundings)?;
    let id = place.shown();
    let configured = place.remote.oauth.clone().unwrap_or_default();
    let fetch = place.fetch(surroundings)?;
    let ended = log_out(&place.logins, &place.key, &configured, &fetch);
    let ended = command_runtime()?.block_on(ended);
    let ended =
        ended.map_err(|failure| CliFailure::new(&failure.why).hint(visible(&failure.hint)))?;
    if !ended.was_there {
        output.note(format!("there is no login for {id}"));
        return Ok(Exit::Ok);
    }
    output.line(format!("logged out of {id}"));
    match ended.revoked {
        Ok(true) => output.note("the server ended the login too"),
        Ok(false) => output.note("the server offers no way to end a login; it ends by itself"),
        Err(error) => output.warning(format!("the server was not told: {error}")),
    }
    Ok(Exit::Ok)
}
