//! The second half of a call: its caller comes back with answers, and with the note it was given.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_guard::{
    ApprovalConsent, ApprovalRequest, Refusal, ResumeToken, ResumeTokenError, ResumedCall,
    ShownCall,
};
use toolgate_types::{Digest, FormAnswer, InputRequired, OperationOutcome, Principal};

use super::call_trouble::CallTrouble;
use super::{Call, CallOptions};
use crate::Host;

/// How long a caller may take to answer a server after a person approved the call.
const TO_GO_ON: Duration = Duration::from_secs(15 * 60);

/// The subject of a note that no person's word is behind: no call has it.
const NOTHING: Digest = Digest([0; 32]);

/// The member of a result that the note stands in.
const STATE: &str = "requestState";

/// What a caller came back with.
pub(super) struct ReturnedAnswers {
    pub(super) note: ResumeToken,
    /// What was said, where a person was asked over the caller.
    pub(super) said: Option<FormAnswer>,
}

/// What a person approved.
pub(super) struct ApprovedCall {
    pub(super) subject: Digest,
    pub(super) call: Arc<ShownCall>,
}

impl Call {
    /// From here on the call is what a person was shown, byte for byte: not how a caller that came
    /// back spells it, and without what came along that nobody saw. Answers to a server's questions
    /// are part of a call only where it goes on.
    pub(super) fn send_as_shown(&mut self, consent: &ApprovalConsent, goes_on: bool) {
        let shown = consent.call();
        self.arguments.clone_from(&shown.arguments);
        self.options.meta.clone_from(&shown.also_sent);
        self.options.unknown = None;
        if !goes_on {
            self.options.retry = None;
        }
    }
}

impl CallOptions {
    /// Whether this goes on with something that a person was asked about.
    pub(super) fn returns(&self) -> bool {
        let state = self.retry.as_ref().and_then(|retry| retry.state.as_deref());
        state.is_some_and(ResumeToken::is_ours)
    }
}

impl Host {
    /// Reads the note, and leaves to the server what is the server's.
    pub(super) async fn returned(
        &self,
        options: &mut CallOptions,
    ) -> Result<ReturnedAnswers, CallTrouble> {
        let principal = self.principal(options);
        let broken = |broken: ResumeTokenError| match broken {
            ResumeTokenError::Expired => CallTrouble::Refused(Refusal::Expired),
            ResumeTokenError::Forged
            | ResumeTokenError::Foreign
            | ResumeTokenError::OtherVersion => CallTrouble::State(broken.to_string()),
        };
        let forged = || broken(ResumeTokenError::Forged);
        let mut retry = options.retry.take().ok_or_else(forged)?;
        let state = retry.state.take().ok_or_else(forged)?;
        let note = self.inner.approvals.open(&state, &principal).await.map_err(broken)?;
        // Once it is approved nothing more is asked from here: by that name a gate behind this one does.
        let is_ours =
            |(key, _): &(String, Box<RawValue>)| key == ApprovalRequest::KEY && note.is_asked();
        retry.responses.retain(|response| !is_ours(response));
        let said = retry.approval.take().filter(|_| note.is_asked());
        retry.state = note.inner.clone().filter(|_| !note.is_parked());
        // What nobody asked for is no answer.
        retry.responses.retain(|(key, _)| note.asked.contains(key));
        // A server that was not asked yet is not told that anything was.
        options.retry = (note.is_approved() || note.inner.is_some()).then_some(retry);
        Ok(ReturnedAnswers { note, said })
    }

    /// What a server wants to know; of an approved call with a note that it was approved, around the
    /// server's own. A server that is a gate too gives what looks like a note of ours, and is not.
    pub(super) async fn to_go_on(
        &self,
        required: InputRequired,
        approved: Option<ApprovedCall>,
        principal: &Principal,
    ) -> Result<OperationOutcome, CallTrouble> {
        let looks_ours = required.state.as_deref().is_some_and(ResumeToken::is_ours);
        let (subject, call) = match approved {
            Some(ApprovedCall { subject, call }) => (subject, Some(call)),
            None if looks_ours => (NOTHING, None),
            None => return Ok(OperationOutcome::InputRequired(required)),
        };
        let InputRequired { questions, state, result } = required;
        let asked = questions.iter().map(|question| question.key.clone()).collect();
        let going_on = ResumedCall { subject, call, state, asked };
        let note = self.inner.approvals.note_to_go_on(going_on, principal, TO_GO_ON).await;
        let note = note.ok_or(CallTrouble::Unreadable)?;
        let result = with_state(&result, &note).ok_or(CallTrouble::Unreadable)?;
        Ok(OperationOutcome::InputRequired(InputRequired { questions, state: Some(note), result }))
    }
}

/// The same result with another state; everything else stays, in its place.
fn with_state(result: &RawValue, state: &RawValue) -> Option<Box<RawValue>> {
    let mut members: IndexMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
    members.insert(STATE.to_owned(), state);
    to_raw_value(&members).ok()
}
