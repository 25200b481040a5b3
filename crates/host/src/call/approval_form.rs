//! The form that a call's own client shows: what it carries whole can be approved over it, what had to
//! be cut can only be declined.

use std::sync::Arc;
use std::time::Duration;

use toolgate_guard::{ApprovalRequest, Approver, QueuedApproval};
use toolgate_types::{ApprovalChoice, ApprovalQuestion, Asker, Digest, FormAnswer};

/// How much of a call that is too long for a form is shown in it.
const BEGINNING: usize = 2 * 1024;

pub(super) struct ApprovalForm {
    pub(super) question: ApprovalQuestion,
    /// The name of what it shows, where that is everything.
    seen: Option<Digest>,
}

impl ApprovalForm {
    /// As this client can show it.
    pub(super) fn for_caller(
        request: &ApprovalRequest,
        caller: Option<&(Arc<dyn Asker>, &'static str)>,
    ) -> Self {
        let longest = caller.map_or(0, |(asker, _)| asker.longest_shown());
        let text = request.shown.text();
        if text.len() <= longest {
            return Self::whole(request);
        }
        let end = (0..=BEGINNING).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let (beginning, left) = text.split_at(end);
        let message = format!(
            "{beginning}\n\n[{} more bytes are not shown: it is too long for this form. It can be \
             declined here; to allow it, see it whole where Toolgate itself shows what waits.]",
            left.len()
        );
        let choices = vec![ApprovalChoice::Deny];
        let question = ApprovalQuestion { text: message, choices, moment: Arc::default() };
        Self { question, seen: None }
    }

    pub(super) fn whole(request: &ApprovalRequest) -> Self {
        let question = ApprovalQuestion {
            text: request.shown.text().to_owned(),
            choices: request.choices().to_vec(),
            moment: Arc::default(),
        };
        Self { question, seen: Some(request.shown.digest()) }
    }

    /// Takes what was said.
    pub(super) fn say(&self, held: &QueuedApproval, said: TimedAnswer) -> FormOutcome {
        let TimedAnswer { answer, approver, is_machine } = said;
        if is_machine {
            held.say_too_fast(&approver);
            return FormOutcome::Machine;
        }
        let choice = match answer {
            Some(FormAnswer::Chose(choice)) => Some(choice),
            // Esc and Decline are a person's no.
            Some(FormAnswer::Declined) => Some(ApprovalChoice::Deny),
            None => None,
        };
        let offered = choice.filter(|choice| self.question.choices.contains(choice));
        match offered.is_some_and(|choice| held.say(choice, approver, self.seen)) {
            true => FormOutcome::Counted,
            false => FormOutcome::Nothing,
        }
    }
}

/// What came back in a form, and when.
pub(super) struct TimedAnswer {
    pub(super) answer: Option<FormAnswer>,
    pub(super) approver: Approver,
    /// Whether it came faster than a person can read.
    pub(super) is_machine: bool,
}

impl TimedAnswer {
    pub(super) fn new(
        answer: Option<FormAnswer>,
        channel: &'static str,
        after: Duration,
        fastest: Duration,
    ) -> Self {
        let approver = Approver::over(channel).after(after);
        Self { answer, approver, is_machine: after < fastest }
    }
}

/// What a form that came back is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormOutcome {
    /// It was an answer, though another may have been there before.
    Counted,
    /// It says nothing, or nothing that was offered: only this channel is closed.
    Nothing,
    /// No person read it: only this channel is closed.
    Machine,
}
