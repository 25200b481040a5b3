//! `toolgate approve <ref>`: the person's word that one call that waits may be made.
//!
//! Whose word counts is for the daemon to say: it knows who asks and who answers.

use serde::Serialize;
use toolgate_control::{AnswerHeard, ApprovalAnswer, ChoiceWord, ControlClient, PendingApproval};
use toolgate_daemon::refusal;
use toolgate_guard::ApprovalRendering;
use toolgate_terminal::{CommandOutput, can_ask, confirm_about};
use toolgate_types::{ApprovalChoice, Digest, visible};

use crate::args::ApproveArgs;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct ApproveJson<'a> {
    r#ref: &'a str,
    server: &'a str,
    tool: &'a str,
    choice: ChoiceWord,
}

pub(crate) fn run(
    arguments: &ApproveArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let choice = if arguments.session { ApprovalChoice::Session } else { ApprovalChoice::Once };
    let daemon = ControlClient::reach(&surroundings.variables)?;
    let reference = typed(&arguments.reference);
    let listed = daemon.approvals()?.approvals;
    let pending = listed.iter().find(|one| one.reference == reference);
    // What does not wait any more the daemon says better.
    let seen = pending.map(|pending| seen(arguments, pending)).transpose()?.flatten();
    say(&reference, choice, None, seen, surroundings, output)
}

/// It has no capitals; a person may type some.
pub(super) fn typed(reference: &str) -> String {
    reference.trim().to_ascii_lowercase()
}

/// The digest of what the person has seen of it: they say so with its code, or are shown it now. With
/// neither, the daemon takes no yes.
fn seen(arguments: &ApproveArgs, pending: &PendingApproval) -> Result<Option<Digest>, CliFailure> {
    let texts = [Some(&pending.text), pending.full.as_ref()];
    if let Some(code) = &arguments.seen {
        let is_meant = |text: &&String| ApprovalRendering::seen_code(text) == typed(code);
        let text = texts.into_iter().flatten().find(is_meant);
        let wrong = || {
            CliFailure::new("that is not the code of what waits under this reference")
                .hint("see `toolgate approvals`")
        };
        return text.map(|text| Some(ApprovalRendering::digest_of(text))).ok_or_else(wrong);
    }
    if !can_ask() {
        return Ok(None);
    }
    let text = pending.full.as_ref().filter(|_| arguments.full).unwrap_or(&pending.text);
    match confirm_about(text, &pending.title, "allow this?") {
        true => Ok(Some(ApprovalRendering::digest_of(text))),
        false => Err(CliFailure::new("not approved; it still waits")),
    }
}

/// Says it to the daemon, and then what came of it.
pub(super) fn say(
    reference: &str,
    choice: ApprovalChoice,
    reason: Option<String>,
    seen: Option<Digest>,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let daemon = ControlClient::reach(&surroundings.variables)?;
    let (reference, seen) = (reference.to_owned(), seen.map(Digest::to_hex));
    let saying = ApprovalAnswer { reference, choice: ChoiceWord(choice), reason, seen };
    let (server, tool) = taken(daemon.answer_approval(&saying)?)?;
    let reference = &saying.reference;
    if output.json {
        let (server, tool) = (&server, &tool);
        output.document_of(&ApproveJson {
            r#ref: reference,
            server,
            tool,
            choice: ChoiceWord(choice),
        });
        return Ok(Exit::Ok);
    }
    let what = format!("{}/{} (ref {})", visible(&server), visible(&tool), visible(reference));
    output.note(match choice {
        ApprovalChoice::Once => format!("approved {what}, this once"),
        ApprovalChoice::Session => format!("approved {what} until the caller's session ends"),
        ApprovalChoice::Deny => format!("denied {what}"),
    });
    Ok(Exit::Ok)
}

/// The server and the tool of an answer that was taken.
pub(super) fn taken(heard: AnswerHeard) -> Result<(String, String), CliFailure> {
    match heard {
        AnswerHeard::Taken { server, tool } => Ok((server, tool)),
        AnswerHeard::NotTaken { why } => {
            let hint =
                "`toolgate approvals` shows what waits, each with the code to give as --seen";
            Err(CliFailure::new(why).hint(hint))
        }
        AnswerHeard::Refused => Err(refusal().into()),
    }
}
