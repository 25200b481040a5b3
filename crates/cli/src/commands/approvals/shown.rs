//! What waits, as a person reads it.

use std::time::SystemTime;

use toolgate_control::{ApprovalEnd, ChoiceWord, PendingApproval};
use toolgate_guard::ApprovalRendering;
use toolgate_types::{Principal, since_1970, visible};

/// A heading and, under it and away from the edge, the whole question: no line of it reads like a
/// heading.
pub(super) fn text(pending: &PendingApproval, in_full: bool) -> String {
    let text = pending.full.as_ref().filter(|_| in_full).unwrap_or(&pending.text);
    let lines = text.lines().map(|line| format!("  {}", visible(line)));
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    let code = ApprovalRendering::seen_code(text);
    format!("{}\n{}\n\n  seen {code}\n\n", heading_of(pending), lines.join("\n"))
}

/// What it is, who wants it and how long it waits, in one line.
pub(super) fn heading_of(pending: &PendingApproval) -> String {
    let now = since_1970(SystemTime::now());
    let (waited, left) = (now.saturating_sub(pending.since), pending.until.saturating_sub(now));
    let times = format!("waits {} s, {} s left", waited / 1000, left / 1000);
    let words: Vec<_> = pending.choices.iter().map(|ChoiceWord(choice)| choice.as_str()).collect();
    [heading(&pending.reference, pending), who(pending), times, words.join(", ")].join(" · ")
}

/// How one ended.
pub(super) fn ended(pending: &PendingApproval, end: &ApprovalEnd) -> String {
    let mut how = visible(&end.outcome);
    if let (Some(ChoiceWord(choice)), Some(channel)) = (end.choice, &end.channel) {
        how = format!("{how}: {choice} ({})", visible(channel));
    }
    format!("{} · {how}", heading(&pending.reference, pending))
}

fn heading(reference: &str, PendingApproval { server, tool, .. }: &PendingApproval) -> String {
    format!("ref {} · {}/{}", visible(reference), visible(server), visible(tool))
}

/// The client and where it works, and for whom if that is not the person at this machine.
fn who(pending: &PendingApproval) -> String {
    let PendingApproval { client, workspace, principal, .. } = pending;
    let mut who = client.as_deref().map_or_else(|| "an agent".to_owned(), visible);
    if let Some(workspace) = workspace {
        who.push_str(&format!(" in {}", visible(workspace)));
    }
    let others = principal.as_deref().filter(|name| *name != Principal::local_user().as_str());
    if let Some(principal) = others {
        who.push_str(&format!(" for {}", visible(principal)));
    }
    who
}
