//! What a server says of how to use it, pinned and shown as if it were a tool that only has a text.

use serde::{Deserialize, Serialize};
use toolgate_store::{Pin, PinnedInstructions};

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

/// What such a pin stands for, as a person accepts it now.
pub fn accepted_instructions(pin: &Pin, now: u64) -> serde_json::Result<PinnedInstructions> {
    let Pin { accepted, accepted_at, by, .. } = pin.accepted_by_person(now);
    let words: InstructionsAsDefinition = serde_json::from_str(&accepted)?;
    let (accepted, live, seen_at) = (words.instructions, None, None);
    Ok(PinnedInstructions { accepted, accepted_at, by, live, seen_at })
}
