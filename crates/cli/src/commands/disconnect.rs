//! `toolgate disconnect <client>`: takes the entry `gate` out of a client's own file.

use toolgate_config::clients::entry_path;
use toolgate_terminal::CommandOutput;

use super::connect::{ClientEdit, ConnectFailure};
use crate::args::Disconnect;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &Disconnect,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let change = ClientEdit::new(&arguments.client, arguments.scope, surroundings)?;
    let edited = change.apply(arguments.dry_run, surroundings, |document, editor, client| {
        let path = entry_path(client, document.map(|document| &document.root));
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match editor.remove(&path)? {
            true => Ok(()),
            false => Err(ConnectFailure::NotConnected),
        }
    })?;
    change.tell("disconnected", &edited, arguments.dry_run, surroundings, output);
    Ok(Exit::Ok)
}
