//! The second question about a server that is not trusted: which of its tools may be seen at all.

use toolgate_config::McpConfigLoadResult;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::visible;

use crate::failure::CliFailure;
use crate::pinned_tools::{accept_each, find, list_now};
use crate::surroundings::Surroundings;

pub(super) fn accept_tools(
    server: &str,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<(), CliFailure> {
    let why = list_now(server, surroundings, output)?;
    let pinned = find(surroundings, loaded, server)?;
    let open = pinned.open();
    if let Some(why) = &why {
        output.warning(visible(why));
    }
    if open.is_empty() {
        let named = pinned.pins.len();
        match named {
            0 => output.note(format!("no tool of {} can be accepted yet", visible(server))),
            _ => output.note(format!("{} accepted before stay so", counted(named, "tool"))),
        }
        if why.is_some() {
            output.note("none is seen until it is accepted by name: `toolgate pins accept` asks");
        }
        return Ok(());
    }
    output.note(format!(
        "{} has {}; each is seen only if you accept it by name",
        visible(server),
        counted(open.len(), "tool")
    ));
    let (accepted, _) = accept_each(&pinned, &open, surroundings, output)?;
    output.note(format!("accepted {} of {}", counted(accepted, "tool"), visible(server)));
    Ok(())
}
