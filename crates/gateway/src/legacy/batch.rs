//! Several messages at once, as only revision 2025-03-26 has it.

use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};
use toolgate_wire::{ErrorCode, Message, Rejected, write_error};

use super::{session, take_answer, take_note, work};
use crate::gateway::Shared;
use crate::http::{Body, Refusal, empty, json};
use crate::place::Place;

/// Answers all requests of a batch with one batch. What is said or asked meanwhile is not passed on:
/// there is no place for it in such an answer.
pub(crate) async fn post_batch(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    parts: &Parts,
    messages: Vec<Result<Message<'_>, Rejected>>,
) -> Result<Response<Body>, Refusal> {
    let session = session(shared, &place, parts)?;
    if !session.revision.has_batches() {
        let why = "this session's version of the protocol has no batches";
        return Err(Refusal::bad_request(ErrorCode::INVALID_REQUEST, why));
    }
    let mut answers: Vec<Vec<u8>> = Vec::new();
    let mut under_way = tokio::task::JoinSet::new();
    for message in messages {
        match message {
            Ok(Message::Request(request)) => match work(shared, &session, &request) {
                Ok(work) => drop(under_way.spawn(work.answer())),
                Err(answer) => answers.push(answer),
            },
            Ok(Message::Notification(notification)) => take_note(&session, &notification),
            Ok(Message::Response(reply)) => take_answer(&session, &reply),
            Err(rejected) => answers.push(refused(&rejected)),
        }
    }
    while let Some(answer) = under_way.join_next().await {
        answers.extend(answer.ok().map(|answer| answer.bytes));
    }
    if answers.is_empty() {
        return Ok(empty(StatusCode::ACCEPTED));
    }
    let mut body = vec![b'['];
    body.extend_from_slice(&answers.join(&b','));
    body.push(b']');
    Ok(json(body))
}

fn refused(rejected: &Rejected) -> Vec<u8> {
    let mut out = Vec::new();
    let id = rejected.id.as_ref().map(|id| id.as_id());
    let code: ErrorCode = rejected.reason.code();
    write_error::<serde_json::value::RawValue>(&mut out, id, code, &rejected.to_string(), None);
    out
}
