//! `toolgate disconnect <client>`: takes the entry `gate` out of a client's own file.

use toolgate_config::clients::entry_path;

use super::connect::{ClientEdit, Refusal};
use crate::args::Disconnect;
use crate::failure::{Done, Exit};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &Disconnect,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let change = ClientEdit::new(&arguments.client, arguments.scope, surroundings)?;
    let edited = change.apply(arguments.dry_run, surroundings, |document, editor, client| {
        let path = entry_path(client, document.map(|document| &document.root));
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match editor.remove(&path)? {
            true => Ok(()),
            false => Err(Refusal::NotConnected),
        }
    })?;
    change.tell("disconnected", &edited, arguments.dry_run, surroundings, output);
    Ok(Exit::Ok)
}
