//! What waits for the person, and how it ended, as a command is told.

use toolgate_control::{ApprovalEnd, ChoiceWord, PendingApproval};
use toolgate_guard::{
    ApprovalOutcome, ApprovalReference, ApprovalRendering, ApprovalVerdict, Approver,
    WaitingApproval,
};

pub(super) fn pending_approval(waiting: &WaitingApproval) -> PendingApproval {
    let WaitingApproval { reference, request, since, until } = waiting;
    let caller = request.caller.as_deref();
    PendingApproval {
        reference: reference.to_string(),
        server: request.server.clone(),
        tool: request.tool.clone(),
        client: caller.and_then(|caller| caller.client.clone()),
        workspace: caller.map(|caller| caller.workspace.to_string_lossy().into_owned()),
        principal: caller.map(|caller| caller.principal.to_string()),
        session: caller.and_then(|caller| caller.session.as_ref()).map(|one| one.0.clone()),
        title: request.title.clone(),
        text: request.shown.text().to_owned(),
        covered: request.shown.covered(),
        full: request.shown_in_full.as_ref().map(|full| full.text().to_owned()),
        seen: ApprovalRendering::seen_code(request.shown.text()),
        choices: request.choices().iter().copied().map(ChoiceWord).collect(),
        since: *since,
        until: *until,
    }
}

pub(super) fn approval_end(reference: &ApprovalReference, how: &ApprovalOutcome) -> ApprovalEnd {
    let reference = reference.to_string();
    let mut end =
        ApprovalEnd { outcome: how.as_str().to_owned(), ..ApprovalEnd::unseen(reference) };
    if let ApprovalOutcome::Answered(ApprovalVerdict { choice, approver, reason, seen: _ }) = how {
        let Approver { channel, processes: _, after: _ } = approver;
        end.choice = Some(ChoiceWord(*choice));
        end.channel = Some((*channel).to_owned());
        end.reason.clone_from(reason);
    }
    end
}
