//! `toolgate token revoke <name>`: ends a token.

use toolgate_auth::callers::BELIEVED_MS;
use toolgate_store::TokenName;
use toolgate_terminal::CommandOutput;

use super::{failed, now, to_write};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(super) fn run(
    name: &TokenName,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    if !wait(to_write(surroundings)?.revoke(name, now())).map_err(failed)? {
        return Err(CliFailure::new(format!("there is no token `{name}`"))
            .hint("see `toolgate token list`"));
    }
    let seconds = BELIEVED_MS / 1000;
    output.note(format!(
        "revoked token `{name}`; a running gateway refuses it within {seconds} seconds"
    ));
    Ok(Exit::Ok)
}
