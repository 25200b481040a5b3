//! Several messages at once, as only revision 2025-03-26 has it.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use serde_json::value::RawValue;
use toolgate_types::PeerLink;
use toolgate_wire::{ErrorCode, Message, RejectedMessage, write_error};

use super::{LegacyRequest, cancelled, session, take_answer};
use crate::http::begun_post::BegunPost;
use crate::http::body::{empty, json};
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::session::ClientSession;
use crate::state::GatewayState;

/// A batch that was read; what needs no answer is done.
pub(crate) struct LegacyBatch {
    pub(crate) requests: Vec<LegacyRequest>,
    /// To those that cannot be carried out.
    pub(crate) answers: Vec<Vec<u8>>,
}

impl LegacyBatch {
    pub(crate) fn take(
        shared: &GatewayState,
        session: &Arc<ClientSession>,
        messages: Vec<Result<Message<'_>, RejectedMessage>>,
    ) -> Self {
        let mut batch = Self { requests: Vec::new(), answers: Vec::new() };
        for message in messages {
            match message {
                Ok(Message::Request(request)) => match LegacyRequest::of(shared, session, &request)
                {
                    Ok(taken) => batch.requests.push(taken.answered_whole()),
                    Err(answer) => batch.answers.push(answer),
                },
                Ok(Message::Notification(notification)) => {
                    if let Some(id) = cancelled(&notification) {
                        session.requests.cancel(&id);
                    }
                }
                Ok(Message::Response(reply)) => take_answer(session, &reply),
                Err(rejected) => batch.answers.push(refused(&rejected)),
            }
        }
        batch
    }

    /// All answers in one; none where nothing was asked.
    pub(crate) fn joined(answers: &[Vec<u8>]) -> Option<Vec<u8>> {
        if answers.is_empty() {
            return None;
        }
        let mut all = vec![b'['];
        all.extend_from_slice(&answers.join(&b','));
        all.push(b']');
        Some(all)
    }
}

/// Answers all requests of a batch with one batch. What is said or asked meanwhile is not passed on:
/// there is no place for it in such an answer.
pub(crate) fn begin_batch(
    shared: &GatewayState,
    place: &CallerPlace,
    link: &PeerLink,
    parts: &Parts,
    messages: Vec<Result<Message<'_>, RejectedMessage>>,
) -> Result<BegunPost, RequestRefusal> {
    let session = session(shared, place, parts)?;
    if !session.revision.has_batches() {
        let why = "this session's version of the protocol has no batches";
        return Err(RequestRefusal::bad_request(ErrorCode::INVALID_REQUEST, why));
    }
    session.heard_over(link);
    let LegacyBatch { requests, mut answers } = LegacyBatch::take(shared, &session, messages);
    Ok(BegunPost::Later(Box::pin(async move {
        let mut under_way = tokio::task::JoinSet::new();
        for taken in requests {
            under_way.spawn(taken.into_work().answer());
        }
        while let Some(answer) = under_way.join_next().await {
            answers.extend(answer.ok().map(|answer| answer.message.whole()));
        }
        Ok(LegacyBatch::joined(&answers).map_or_else(|| empty(StatusCode::ACCEPTED), json))
    })))
}

fn refused(rejected: &RejectedMessage) -> Vec<u8> {
    let mut out = Vec::new();
    let id = rejected.id.as_ref().map(|id| id.as_id());
    let code: ErrorCode = rejected.reason.code();
    write_error::<RawValue>(&mut out, id, code, &rejected.to_string(), None);
    out
}
