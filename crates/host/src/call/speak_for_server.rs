//! What a server says to whoever called goes out under the server's name: the questions with which
//! it answers instead of a result, and the pages that an error sends a person to.
//!
//! Questions that are asked on a connection are named where they are sent.

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{
    InputQuestion, InputRequired, QuestionKind, ServerAnswer, ServerId, elicitation_of, with_member,
};

/// The member of a result that holds questions by their keys, and that of a question.
const REQUESTS: &str = "inputRequests";
const PARAMS: &str = "params";

/// The error that says that a person has to go to a page first, and its member that says where.
const URL_ELICITATION_REQUIRED: i64 = -32042;
const ELICITATIONS: &str = "elicitations";

/// Each question to a person with whose it is before it.
pub(super) fn under_its_name(server: &ServerId, mut required: InputRequired) -> InputRequired {
    let requests = member(&required.result, REQUESTS).unwrap_or_default();
    let named = requests_under_its_name(server, &mut required.questions, requests);
    if let Some(requests) = named
        && !required.questions.is_empty()
    {
        required.result = with_member(Some(&required.result), REQUESTS, &requests);
    }
    required
}

/// The same of the questions of a task, which stand alone.
pub(super) fn task_asks_under_its_name(
    server: &ServerId,
    questions: &mut [InputQuestion],
    requests: &RawValue,
) -> Option<Box<RawValue>> {
    requests_under_its_name(server, questions, serde_json::from_str(requests.get()).ok()?)
}

fn requests_under_its_name(
    server: &ServerId,
    questions: &mut [InputQuestion],
    mut requests: IndexMap<String, Box<RawValue>>,
) -> Option<Box<RawValue>> {
    for question in questions {
        if question.kind == Some(QuestionKind::Elicit) {
            let named = elicitation_of(server, question.params.as_deref());
            if let Some(request) = requests.get_mut(&question.key) {
                *request = with_member(Some(request), PARAMS, &named);
            }
            question.params = Some(named);
        }
    }
    to_raw_value(&requests).ok()
}

/// The same for an error that sends a person to pages.
pub(super) fn answer_of(server: &ServerId, mut answer: ServerAnswer) -> ServerAnswer {
    let sends_away = answer.code == URL_ELICITATION_REQUIRED;
    if let Some(data) = answer.data.as_deref().filter(|_| sends_away) {
        let pages: Vec<Box<RawValue>> = member(data, ELICITATIONS).unwrap_or_default();
        let named: Vec<_> = pages.iter().map(|page| elicitation_of(server, Some(page))).collect();
        let named = to_raw_value(&named).unwrap_or_default();
        answer.data = Some(with_member(Some(data), ELICITATIONS, &named));
    }
    answer
}

fn member<T: serde::de::DeserializeOwned>(object: &RawValue, key: &str) -> Option<T> {
    let members: IndexMap<String, Box<RawValue>> = serde_json::from_str(object.get()).ok()?;
    serde_json::from_str(members.get(key)?.get()).ok()
}
