//! The second half of a call: its caller comes back with answers, and with the note it was given.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_guard::{Broken, Consent, GoingOn, Note, Petition, Refusal, ShownCall};
use toolgate_types::{Digest, InputRequired, Outcome, Principal};

use super::failing::Trouble;
use super::{Call, Options};
use crate::Host;

/// How long a caller may take to answer a server after a person approved the call.
const TO_GO_ON: Duration = Duration::from_secs(15 * 60);

/// The subject of a note that no person's word is behind: no call has it.
const NOTHING: Digest = Digest([0; 32]);

/// The member of a result that the note stands in.
const STATE: &str = "requestState";

/// What a caller came back with.
pub(super) struct Returned {
    pub(super) note: Note,
    /// What was filled in, where a person was asked over the caller.
    pub(super) answer: Option<Box<RawValue>>,
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
    pub(super) fn send_as_shown(&mut self, consent: &Consent, goes_on: bool) {
        let shown = consent.call();
        self.arguments.clone_from(&shown.arguments);
        self.options.meta.clone_from(&shown.also_sent);
        if !goes_on {
            self.options.retry = None;
        }
    }
}

impl Options {
    /// Whether this goes on with something that a person was asked about.
    pub(super) fn returns(&self) -> bool {
        let state = self.retry.as_ref().and_then(|retry| retry.state.as_deref());
        state.is_some_and(Note::is_ours)
    }
}

impl Host {
    /// Reads the note, and leaves to the server what is the server's.
    pub(super) async fn returned(&self, options: &mut Options) -> Result<Returned, Trouble> {
        let principal = self.principal(options);
        let broken = |broken: Broken| match broken {
            Broken::Expired => Trouble::Refused(Refusal::Expired),
            Broken::Forged | Broken::Foreign | Broken::OtherVersion => {
                Trouble::State(broken.to_string())
            }
        };
        let forged = || broken(Broken::Forged);
        let mut retry = options.retry.take().ok_or_else(forged)?;
        let state = retry.state.take().ok_or_else(forged)?;
        let note = self.inner.desk.open(&state, &principal).await.map_err(broken)?;
        // Once it is approved nothing more is asked from here: by that name a gate behind this one does.
        let is_ours =
            |(key, _): &(String, Box<RawValue>)| key == Petition::KEY && !note.is_approved();
        let answer = retry.responses.iter().position(is_ours);
        let answer = answer.map(|place| retry.responses.remove(place).1);
        retry.state.clone_from(&note.inner);
        // What nobody asked for is no answer.
        retry.responses.retain(|(key, _)| note.asked.contains(key));
        // A server that was not asked yet is not told that anything was.
        options.retry = (note.is_approved() || note.inner.is_some()).then_some(retry);
        Ok(Returned { note, answer })
    }

    /// What a server wants to know; of an approved call with a note that it was approved, around the
    /// server's own. A server that is a gate too gives what looks like a note of ours, and is not.
    pub(super) async fn to_go_on(
        &self,
        required: InputRequired,
        approved: Option<ApprovedCall>,
        principal: &Principal,
    ) -> Result<Outcome, Trouble> {
        let looks_ours = required.state.as_deref().is_some_and(Note::is_ours);
        let (subject, call) = match approved {
            Some(ApprovedCall { subject, call }) => (subject, Some(call)),
            None if looks_ours => (NOTHING, None),
            None => return Ok(Outcome::InputRequired(required)),
        };
        let InputRequired { questions, state, result } = required;
        let asked = questions.iter().map(|question| question.key.clone()).collect();
        let going_on = GoingOn { subject, call, state, asked };
        let note = self.inner.desk.note_to_go_on(going_on, principal, TO_GO_ON).await;
        let note = note.ok_or(Trouble::Unreadable)?;
        let result = with_state(&result, &note).ok_or(Trouble::Unreadable)?;
        Ok(Outcome::InputRequired(InputRequired { questions, state: Some(note), result }))
    }
}

/// The same result with another state; everything else stays, in its place.
fn with_state(result: &RawValue, state: &RawValue) -> Option<Box<RawValue>> {
    let mut members: IndexMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
    members.insert(STATE.to_owned(), state);
    to_raw_value(&members).ok()
}
