//! The form that a call's own client shows: what it carries whole can be approved over it, what had to
//! be cut can only be declined.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_guard::{Approver, Form, Held, Petition, choice_of};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Asker, Digest};

/// How much of a call that is too long for a form is shown in it.
const BEGINNING: usize = 2 * 1024;

pub(super) struct ApprovalForm {
    message: String,
    choices: Vec<ApprovalChoice>,
    /// The name of what it shows, where that is everything.
    seen: Option<Digest>,
}

impl ApprovalForm {
    /// As this client can show it.
    pub(super) fn for_caller(
        petition: &Petition,
        caller: Option<&(Arc<dyn Asker>, &'static str)>,
    ) -> Self {
        let longest = caller.map_or(0, |(asker, _)| asker.longest_shown());
        let text = petition.shown.text();
        if text.len() <= longest {
            return Self::whole(petition);
        }
        let end = (0..=BEGINNING).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let (beginning, left) = text.split_at(end);
        let message = format!(
            "{beginning}\n\n[{} more bytes are not shown: it is too long for this form. It can be \
             declined here; to allow it, see it whole where Toolgate itself shows what waits.]",
            left.len()
        );
        Self { message, choices: vec![ApprovalChoice::Deny], seen: None }
    }

    pub(super) fn whole(petition: &Petition) -> Self {
        Self {
            message: petition.shown.text().to_owned(),
            choices: petition.choices().to_vec(),
            seen: Some(petition.shown.digest()),
        }
    }

    pub(super) fn to_raw(&self) -> Option<Box<RawValue>> {
        Form::new(&self.message, &self.choices).to_raw()
    }

    /// Takes what was filled in; `false` if that is nothing.
    pub(super) fn say(&self, held: &Held, answer: &RawValue, channel: &'static str) -> bool {
        let choice = choice_of(answer, &self.choices);
        choice.is_some_and(|choice| held.say(choice, Approver::over(channel), self.seen))
    }
}
