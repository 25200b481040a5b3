//! What every verb shows of pins: the tools of the servers that are configured here, as they were
//! accepted, and the question that accepts them as they are now.

mod interrupt;
mod list_now;
mod shown;

use std::time::SystemTime;

use toolgate_assembly::{PinnedServer, accepted_instructions, pinned_servers};
use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{find_server, unknown_server};
use toolgate_store::{Pin, Pins as _};
use toolgate_terminal::{CommandOutput, confirm_about};
use toolgate_types::{since_1970, visible};

use crate::failure::CliFailure;
use crate::surroundings::{Surroundings, wait};
use interrupt::EndsAtInterrupt;
pub(crate) use list_now::list_now;
use shown::shown;

/// The servers that are configured here, in the order of writing.
pub(crate) fn pinned(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
) -> Result<Vec<PinnedServer>, CliFailure> {
    let known = surroundings.acceptances(loaded)?;
    Ok(wait(pinned_servers(loaded, &known, &surroundings.store_to_read()?))?)
}

/// One of them by name.
pub(crate) fn find(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
    server: &str,
) -> Result<PinnedServer, CliFailure> {
    find_server(loaded, server)?;
    let all = pinned(surroundings, loaded)?;
    let found = all.into_iter().find(|pinned| pinned.key.server.as_str() == server);
    found.ok_or_else(|| unknown_server(server, [] as [&str; 0]).into())
}

/// Shows each of these and asks; what was shown is what is accepted, whatever the server sends
/// meanwhile. How many were accepted, and how many not.
pub(crate) fn accept_each(
    pinned: &PinnedServer,
    tools: &[&Pin],
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<(usize, usize), CliFailure> {
    output.flush();
    let interruptible = EndsAtInterrupt::begin();
    let (mut accepted, mut left) = (Vec::new(), 0);
    for pin in tools {
        let question = format!("accept {}/{}?", pinned.key.server, visible(&pin.tool));
        match confirm_about(&shown(&pinned.key.server, pin), "", &question) {
            true => accepted.push(pin.accepted_by_person(since_1970(SystemTime::now()))),
            false => left += 1,
        }
    }
    drop(interruptible);
    let count = accepted.len();
    if count > 0 {
        wait(surroundings.store()?.keep_pins(&pinned.key, accepted))?;
    }
    Ok((count, left))
}

/// Shows what changed in what a server says of how to use it and asks, where something did. Whether it
/// was accepted.
pub(crate) fn accept_instructions(
    pinned: &PinnedServer,
    surroundings: &Surroundings,
) -> Result<Option<bool>, CliFailure> {
    let Some(pin) = pinned.instructions.as_ref().filter(|pin| pin.live.is_some()) else {
        return Ok(None);
    };
    let interruptible = EndsAtInterrupt::begin();
    let question = format!("accept what {} says of how to use it?", pinned.key.server);
    let is_accepted = confirm_about(&shown(&pinned.key.server, pin), "", &question);
    drop(interruptible);
    if is_accepted {
        let accepted = accepted_instructions(pin, since_1970(SystemTime::now()));
        let accepted = accepted.map_err(CliFailure::new)?;
        wait(surroundings.store()?.keep_instructions(&pinned.key, accepted))?;
    }
    Ok(Some(is_accepted))
}
