//! What a server says of how to use it, pinned and shown as if it were a tool that only has a text.

use serde::{Deserialize, Serialize};
use toolgate_store::{Pin, PinnedInstructions, Pins as _};

use super::interrupt::EndsAtInterrupt;
use super::shown::shown;
use super::{Pinned, accepted_now};
use crate::failure::Failure;
use crate::question;
use crate::surroundings::{Surroundings, wait};

/// In the place of a tool's name.
const NAME: &str = "(instructions)";

/// The text as a definition, so that it is compared and shown as one.
#[derive(Serialize, Deserialize)]
struct Words {
    instructions: String,
}

/// Nothing where the server never said anything.
pub(super) fn as_pin(pinned: PinnedInstructions) -> Option<Pin> {
    let PinnedInstructions { accepted, accepted_at, by, live, seen_at } = pinned;
    if accepted.is_empty() && live.is_none() {
        return None;
    }
    let definition = |instructions: String| serde_json::to_string(&Words { instructions }).ok();
    let (accepted, live) = (definition(accepted)?, live.and_then(definition));
    Some(Pin { tool: NAME.into(), accepted, accepted_at, by, named: false, live, seen_at })
}

/// Shows what changed and asks, where something did. Whether it was accepted.
pub(crate) fn accept_instructions(
    pinned: &Pinned,
    surroundings: &Surroundings,
) -> Result<Option<bool>, Failure> {
    let Some(pin) = pinned.instructions.as_ref().filter(|pin| pin.live.is_some()) else {
        return Ok(None);
    };
    let interruptible = EndsAtInterrupt::begin();
    let question = format!("accept what {} says of how to use it?", pinned.key.server);
    let is_accepted = question::confirm_about(&shown(&pinned.key.server, pin), "", &question);
    drop(interruptible);
    if is_accepted {
        let Pin { accepted, accepted_at, by, .. } = accepted_now(pin);
        let words: Words = serde_json::from_str(&accepted).map_err(Failure::new)?;
        let (accepted, live, seen_at) = (words.instructions, None, None);
        let pin = PinnedInstructions { accepted, accepted_at, by, live, seen_at };
        wait(surroundings.store()?.keep_instructions(&pinned.key, pin))?;
    }
    Ok(Some(is_accepted))
}
