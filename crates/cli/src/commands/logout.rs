//! `toolgate logout`: a login is forgotten, and ended where the server offers that.

use toolgate_auth::login::revoke;
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
    let place = LoginPlace::find(&arguments.id, arguments.account.as_deref(), surroundings)?;
    let id = visible(&arguments.id);
    let known = place.logins.login(&place.key).map_err(CliFailure::new)?;
    let revoked = match &known {
        Some(login) => {
            let fetch = place.fetch(surroundings)?;
            command_runtime()?.block_on(revoke(login, &fetch))
        }
        None => Ok(false),
    };
    // Whatever the server says, it is forgotten here.
    let was_there = place.logins.vault().forget(&place.key).map_err(CliFailure::new)?;
    if !was_there {
        output.note(format!("there is no login for {id}"));
        return Ok(Exit::Ok);
    }
    output.line(format!("logged out of {id}"));
    match revoked {
        Ok(true) => output.note("the server ended the login too"),
        Ok(false) => output.note("the server offers no way to end a login; it ends by itself"),
        Err(error) => output.warning(format!("the server was not told: {error}")),
    }
    Ok(Exit::Ok)
}
