//! `toolgate disconnect <client>`: takes the entry `gate` out of a client's own file, or out of those of
//! every client that has it.

use toolgate_config::clients::KnownClient;
use toolgate_terminal::CommandOutput;

use super::connect::client_change::{ClientChange, client_named};
use super::connect::one_or_all;
use crate::args::Disconnect;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &Disconnect,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let edit = |client: KnownClient| {
        ClientChange::new(client, arguments.scope, arguments.dry_run, surroundings)
    };
    let clients = match &arguments.client {
        Some(name) => vec![client_named(name)?],
        None => {
            let has_entry = |client: &KnownClient| edit(*client).is_ok_and(|edit| edit.has_entry());
            KnownClient::ALL.into_iter().filter(has_entry).collect()
        }
    };
    if clients.is_empty() {
        return Err(CliFailure::new("no client is connected"));
    }
    let is_one = arguments.client.is_some();
    one_or_all(&clients, is_one, output, |client, output| edit(client)?.disconnect(output))
}
