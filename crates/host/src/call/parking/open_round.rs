//! A question of a server becomes a round: written as a caller reads it, with the note it comes back
//! with.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;
use tokio::time::Instant;
use toolgate_types::{InputQuestion, InputRequest, InputRequired, QuestionKind};

use super::chain_round::{ChainRound, TO_ANSWER};
use super::parked_call::ParkedCall;
use super::parking_asker::AskedQuestion;
use crate::Host;
use crate::call::call_trouble::CallTrouble;

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
