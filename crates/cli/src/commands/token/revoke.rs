//! `toolgate token revoke <name>`: ends a token.

use toolgate_auth::callers::BELIEVED_MS;
use toolgate_daemon::unknown_name;
use toolgate_store::{KeptToken, TokenName};
use toolgate_terminal::CommandOutput;

use super::{failed, now, to_look, to_write};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(super) fn run(
    name: &TokenName,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    if !wait(to_write(surroundings)?.revoke(name, now())).map_err(failed)? {
        let active = |token: &KeptToken| token.revoked_at.is_none();
        let known = wait(to_look(surroundings)?.list()).map_err(failed)?.into_iter().filter(active);
        let known: Vec<String> = known.map(|token| token.name.to_string()).collect();
        let message = "there is no such token";
        return Err(unknown_name(message, name.as_str(), &known, "toolgate token list").into());
    }
    let seconds = BELIEVED_MS / 1000;
    output.note(format!(
        "revoked token `{name}`; a running gateway refuses it within {seconds} seconds"
    ));
    Ok(Exit::Ok)
}
