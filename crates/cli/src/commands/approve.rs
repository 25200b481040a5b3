//! `toolgate approve <ref>`: the person's word that one call that waits may be made.
//!
//! Whose word counts is for the daemon to say: it knows who asks and who answers.

use serde::Serialize;
use toolgate_guard::Choice;
use toolgate_types::visible;

use crate::approving::{Heard, Saying, Word};
use crate::args::Approve;
use crate::commanding::Commander;
use crate::failure::{Done, Exit, Failure};
use crate::lineage;
use crate::output::Output;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct Document<'a> {
    r#ref: &'a str,
    server: &'a str,
    tool: &'a str,
    choice: Word,
}

pub(crate) fn run(arguments: &Approve, surroundings: &Surroundings, output: &mut Output) -> Done {
    let choice = if arguments.session { Choice::Session } else { Choice::Once };
    say(&arguments.reference, choice, None, surroundings, output)
}

/// Says it to the daemon, and then what came of it.
pub(super) fn say(
    reference: &str,
    choice: Choice,
    reason: Option<String>,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let daemon = Commander::reach(&surroundings.variables)?;
    // It has no capitals; a person may type some.
    let reference = reference.trim().to_ascii_lowercase();
    let saying = Saying { reference, choice: Word(choice), reason };
    let (server, tool) = taken(daemon.say(&saying)?)?;
    let reference = &saying.reference;
    if output.json {
        let (server, tool) = (&server, &tool);
        output.document_of(&Document { r#ref: reference, server, tool, choice: Word(choice) });
        return Ok(Exit::Ok);
    }
    let what = format!("{}/{} (ref {})", visible(&server), visible(&tool), visible(reference));
    output.note(match choice {
        Choice::Once => format!("approved {what}, this once"),
        Choice::Session => format!("approved {what} until the caller's session ends"),
        Choice::Deny => format!("denied {what}"),
    });
    Ok(Exit::Ok)
}

/// The server and the tool of an answer that was taken.
pub(super) fn taken(heard: Heard) -> Result<(String, String), Failure> {
    match heard {
        Heard::Taken { server, tool } => Ok((server, tool)),
        Heard::NotTaken { why } => Err(Failure::new(why).hint("see `toolgate approvals`")),
        Heard::Refused => Err(lineage::refusal()),
    }
}
