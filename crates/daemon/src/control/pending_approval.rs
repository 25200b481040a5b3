//! What waits for the person, and how it ended, as a command is told.

use toolgate_control::{ApprovalEnd, ChoiceWord, PendingApproval};
use toolgate_guard::{Approver, Reference, Rendering, Settled, Verdict, Waiting};

pub(super) fn pending_approval(waiting: &Waiting) -> PendingApproval {
    let Waiting { reference, petition, since, until } = waiting;
    let caller = petition.caller.as_deref();
    PendingApproval {
        reference: reference.to_string(),
        server: petition.server.clone(),
        tool: petition.tool.clone(),
        client: caller.and_then(|caller| caller.client.clone()),
        workspace: caller.map(|caller| caller.workspace.to_string_lossy().into_owned()),
        principal: caller.map(|caller| caller.principal.to_string()),
        session: caller.and_then(|caller| caller.session.as_ref()).map(|one| one.0.clone()),
        title: petition.title.clone(),
        text: petition.shown.text().to_owned(),
        covered: petition.shown.covered(),
        full: petition.shown_in_full.as_ref().map(|full| full.text().to_owned()),
        seen: Rendering::seen_code(petition.shown.text()),
        choices: petition.choices().iter().copied().map(ChoiceWord).collect(),
        since: *since,
        until: *until,
    }
}

pub(super) fn approval_end(reference: &Reference, how: &Settled) -> ApprovalEnd {
    let reference = reference.to_string();
    let mut end =
        ApprovalEnd { outcome: how.as_str().to_owned(), ..ApprovalEnd::unseen(reference) };
    if let Settled::Answered(Verdict { choice, approver, reason, seen: _ }) = how {
        let Approver { channel, processes: _ } = approver;
        end.choice = Some(ChoiceWord(*choice));
        end.channel = Some((*channel).to_owned());
        end.reason.clone_from(reason);
    }
    end
}
