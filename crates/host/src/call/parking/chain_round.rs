//! One round of a parked call: what its caller is told to answer, and the note it comes back with.

use std::time::Duration;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use toolgate_types::{
    Digest, InputQuestion, InputRequest, InputRequired, QuestionAnswer, QuestionKind,
};

use super::parked_call::ParkedCall;
use super::parking_asker::AskedQuestion;
use crate::Host;
use crate::call::call_trouble::CallTrouble;

/// How long a caller may take to answer.
pub(super) const TO_ANSWER: Duration = Duration::from_secs(15 * 60);

/// A round.
pub(super) struct ChainRound {
    pub(super) asked: InputRequired,
    pub(super) expires: Instant,
    /// The name of the answers that were given.
    pub(super) answered: Option<Digest>,
    /// Where the answers go, by their keys. Nothing once they were given.
    pub(super) answers: Vec<(String, oneshot::Sender<QuestionAnswer>)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InputRequiredResult<'a> {
    result_type: &'a str,
    input_requests: &'a IndexMap<String, InputRequestJson<'a>>,
    request_state: &'a RawValue,
}

#[derive(Serialize)]
struct InputRequestJson<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
}

impl Host {
    /// The server asked, perhaps more than one thing at once.
    pub(super) async fn open_round(
        &self,
        parked: &ParkedCall,
        first: AskedQuestion,
        more: &mut mpsc::Receiver<AskedQuestion>,
    ) -> Result<InputRequired, CallTrouble> {
        let round = parked.rounds();
        let (mut questions, mut answers) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some(AskedQuestion { request: InputRequest { kind, params }, answer }) = next {
            let key = format!("question-{round}-{}", questions.len());
            answers.push((key.clone(), answer));
            questions.push(InputQuestion { key, kind: Some(kind), params });
            next = more.try_recv().ok();
        }
        let expires = Instant::now() + TO_ANSWER;
        let keys = questions.iter().map(|question| question.key.clone()).collect();
        let state = self.inner.approvals.note_of_parked(parked.note(round, keys, expires)).await;
        let state = state.ok_or(CallTrouble::Unreadable)?;
        let result = written(&questions, &state).ok_or(CallTrouble::Unreadable)?;
        let asked = InputRequired { questions, state: Some(state), result };
        let told = asked.clone();
        parked.ask(ChainRound { asked, expires, answered: None, answers });
        Ok(told)
    }
}

fn written(questions: &[InputQuestion], state: &RawValue) -> Option<Box<RawValue>> {
    let mut requests = IndexMap::new();
    for InputQuestion { key, kind, params } in questions {
        let method = match kind.as_ref()? {
            QuestionKind::Elicit => "elicitation/create",
            QuestionKind::Sample => "sampling/createMessage",
            QuestionKind::Roots => "roots/list",
        };
        requests.insert(key.clone(), InputRequestJson { method, params: params.as_deref() });
    }
    let (result_type, input_requests) = ("input_required", &requests);
    to_raw_value(&InputRequiredResult { result_type, input_requests, request_state: state }).ok()
}
