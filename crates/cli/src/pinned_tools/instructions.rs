//! What a server says of how to use it, pinned and shown as if it were a tool that only has a text.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use toolgate_store::{Pin, PinnedInstructions, Pins as _};
use toolgate_types::since_1970;

use super::PinnedServer;
use super::interrupt::EndsAtInterrupt;
use super::shown::shown;
use crate::failure::CliFailure;
use crate::surroundings::{Surroundings, wait};

/// In the place of a tool's name.
const NAME: &str = "(instructions)";

/// The text as a definition, so that it is compared and shown as one.
#[derive(Serialize, Deserialize)]
struct InstructionsAsDefinition {
    instructions: String,
}

/// Nothing where the server never said anything.
pub(super) fn as_pin(pinned: PinnedInstructions) -> Option<Pin> {
    let PinnedInstructions { accepted, accepted_at, by, live, seen_at } = pinned;
    if accepted.is_empty() && live.is_none() {
        return None;
    }
    let definition = |instructions: String| {
        serde_json::to_string(&InstructionsAsDefinition { instructions }).ok()
    };
    let (accepted, live) = (definition(accepted)?, live.and_then(definition));
    Some(Pin { tool: NAME.into(), accepted, accepted_at, by, named: false, live, seen_at })
}

/// Shows what changed and asks, where something did. Whether it was accepted.
pub(crate) fn accept_instructions(
    pinned: &PinnedServer,
    surroundings: &Surroundings,
) -> Result<Option<bool>, CliFailure> {
    let Some(pin) = pinned.instructions.as_ref().filter(|pin| pin.live.is_some()) else {
        return Ok(None);
    };
    let interruptible = EndsAtInterrupt::begin();
    let question = format!("accept what {} says of how to use it?", pinned.key.server);
    let is_accepted =
        toolgate_terminal::confirm_about(&shown(&pinned.key.server, pin), "", &question);
    drop(interruptible);
    if is_accepted {
        let Pin { accepted, accepted_at, by, .. } =
            pin.accepted_by_person(since_1970(SystemTime::now()));
        let words: InstructionsAsDefinition =
            serde_json::from_str(&accepted).map_err(CliFailure::new)?;
        let (accepted, live, seen_at) = (words.instructions, None, None);
        let pin = PinnedInstructions { accepted, accepted_at, by, live, seen_at };
        wait(surroundings.store()?.keep_instructions(&pinned.key, pin))?;
    }
    Ok(Some(is_accepted))
}
