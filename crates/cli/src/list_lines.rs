//! What the listing verbs share: the servers whose things are missing from a list.

pub(crate) use toolgate_daemon::MissingServer;
use toolgate_terminal::CommandOutput;
use toolgate_types::ServerState;

use crate::failure::{CliFailure, CommandResult, Exit};

/// What is printed for an empty list; nothing where only a failure made it empty.
pub(crate) fn emptiness(
    what: &str,
    missing: &[MissingServer],
    is_any_listed: bool,
) -> Option<String> {
    match (is_any_listed, missing) {
        (true, _) => Some(format!("no {what}")),
        (false, []) => Some("no MCP servers configured".to_owned()),
        (false, some) if some.iter().all(|one| one.state == ServerState::Disabled) => {
            Some(format!("no {what}: every server is disabled"))
        }
        (false, _) => None,
    }
}

/// Nothing is listed where the one server that was named is missing.
pub(crate) fn refuse_missing(
    missing: &[MissingServer],
    is_one_meant: bool,
) -> Result<(), CliFailure> {
    match missing.iter().find(|one| one.state != ServerState::Disabled) {
        Some(one) if is_one_meant => Err(one.failure().into()),
        _ => Ok(()),
    }
}

/// Says what is missing. A list is a success if a server is in it, or if there is none to miss.
pub(crate) fn report(
    missing: &[MissingServer],
    is_any_listed: bool,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut missing = missing.iter().filter(|one| one.state != ServerState::Disabled).peekable();
    let first = missing.peek().map_or(Exit::Ok, |one| one.exit());
    for one in missing {
        let sentence = one.sentence();
        let between = if sentence.contains('\n') { "\n" } else { "; " };
        output.warning_lines(&[&sentence, between, &one.hint()].concat());
    }
    Ok(if is_any_listed { Exit::Ok } else { first })
}
