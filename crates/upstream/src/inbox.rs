//! What a server sends of its own accord: requests are answered, notifications handed on.
//!
//! Questions go to the [`Asker`]; where nobody can answer, the server is told as the protocol says.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_types::{
    Asker, EventSink, ListKind, QuestionAnswer, QuestionKind, ServerEvent, ServerId, ServerQuestion,
};
use toolgate_wire::{
    ErrorCode, MessageId, MessageIdBuf, Notification, RawObject, Request, method, write_error,
    write_result,
};

use crate::attendant::Attendant;
use crate::open_questions::AskedMeanwhile;

/// How many questions of one server may be open at once.
const OPEN_QUESTIONS: usize = 32;

/// Takes what a server sends unasked.
pub(crate) struct ServerInbox {
    pub(crate) server: ServerId,
    pub(crate) asker: Arc<dyn Asker>,
    /// Whether the server may ask a caller's model.
    pub(crate) may_sample: bool,
    /// The folders that it is told of where nobody else tells any, as JSON.
    pub(crate) own_roots: Arc<str>,
    pub(crate) events: Arc<dyn EventSink>,
    /// Where answers to the server's own requests go.
    pub(crate) replies: mpsc::Sender<Vec<u8>>,
    pub(crate) open: Arc<AtomicUsize>,
    /// What it can still take back, by its own ids.
    pub(crate) asked: Arc<Mutex<HashMap<MessageIdBuf, CancellationToken>>>,
}

impl ServerInbox {
    /// Whether somebody has to be asked, and it matters who. Folders are told by us where it is not
    /// clear by whom else.
    pub(crate) fn is_question(request: &Request<'_>) -> bool {
        kind_of(&request.method).is_some_and(|kind| kind != QuestionKind::Roots)
    }

    /// A question that cannot be told to be about one operation rather than another.
    pub(crate) fn refuse(&self, request: &Request<'_>) {
        let why = "several requests are under way, and this could be about any of them";
        self.reply(error(&request.id.to_buf(), ErrorCode::INTERNAL_ERROR, why));
    }

    /// Answers a request of the server: whoever attends the operation it is about, or the asker of
    /// the whole connection. The end of that operation, or the server's own word, takes it back.
    pub(crate) fn request(
        &self,
        request: &Request<'_>,
        about: Option<(Attendant, AskedMeanwhile)>,
    ) {
        let id = request.id.to_buf();
        if request.method == method::PING {
            return self.reply(result(&id, "{}"));
        }
        let Some(kind) = kind_of(&request.method) else {
            return self.reply(error(&id, ErrorCode::METHOD_NOT_FOUND, "method not found"));
        };
        let (attendant, question) = about.unzip();
        let asker = attendant.map_or_else(|| Arc::clone(&self.asker), |attendant| attendant.asker);
        let may_ask = kind != QuestionKind::Sample || self.may_sample;
        if !may_ask || !asker.answers(kind) {
            return self.reply(nobody(&id, kind, &self.own_roots));
        }
        if self.open.fetch_add(1, Ordering::Relaxed) >= OPEN_QUESTIONS {
            self.open.fetch_sub(1, Ordering::Relaxed);
            return self.reply(error(&id, ErrorCode::INTERNAL_ERROR, "too many open questions"));
        }
        let params = request.params.as_ref().map(|params| params.raw().to_owned());
        let asked = ServerQuestion { server: self.server.clone(), kind, params };
        let (replies, open) = (self.replies.clone(), Arc::clone(&self.open));
        let (own_roots, all) = (Arc::clone(&self.own_roots), Arc::clone(&self.asked));
        let taken_back = match &question {
            Some(question) => question.over.child_token(),
            None => CancellationToken::new(),
        };
        all.lock().insert(id.clone(), taken_back.clone());
        tokio::spawn(async move {
            let answer = taken_back.run_until_cancelled(asker.ask(asked)).await;
            all.lock().remove(&id);
            open.fetch_sub(1, Ordering::Relaxed);
            drop(question);
            let bytes = match answer {
                Some(QuestionAnswer::Answered(raw)) => result(&id, raw.get()),
                Some(QuestionAnswer::Refused(raw)) => refused(&id, &raw),
                // Only who can come back with an answer defers, and is then waited for elsewhere.
                Some(QuestionAnswer::Defer(_) | QuestionAnswer::NoChannel) => {
                    nobody(&id, kind, &own_roots)
                }
                // Nobody waits for it any more.
                None => return,
            };
            let _ = replies.send(bytes).await;
        });
    }

    /// The server does not want to know any more what it asked.
    fn take_back(&self, cancelled: &Notification<'_>) {
        let id = cancelled.params.as_ref().and_then(|params| params.get("requestId"));
        let asked = id.and_then(MessageId::from_raw).map(|id| id.to_buf());
        if let Some(token) = asked.and_then(|id| self.asked.lock().remove(&id)) {
            token.cancel();
        }
    }

    pub(crate) fn notification(&self, notification: &Notification<'_>) {
        let raw = || notification.params.as_ref().map(|params| params.raw().to_owned());
        let event = match &*notification.method {
            method::TOOLS_LIST_CHANGED => ServerEvent::ListChanged(ListKind::Tools),
            method::RESOURCES_LIST_CHANGED => ServerEvent::ListChanged(ListKind::Resources),
            method::PROMPTS_LIST_CHANGED => ServerEvent::ListChanged(ListKind::Prompts),
            method::CANCELLED => return self.take_back(notification),
            method::RESOURCES_UPDATED => {
                let uri = notification.params.as_ref().and_then(|params| params.text("uri"));
                match uri {
                    Some(uri) => ServerEvent::ResourceUpdated { uri: uri.into_owned() },
                    None => return,
                }
            }
            method::LOG_MESSAGE => match raw() {
                Some(params) => ServerEvent::Log(params),
                None => return,
            },
            other => ServerEvent::Notified { method: other.to_owned(), params: raw() },
        };
        self.events.event(&self.server, event);
    }

    pub(crate) fn answers_handshake(&self) {
        self.events.answers_handshake();
    }

    pub(crate) fn garbage(&self, bytes: usize) {
        self.events.event(&self.server, ServerEvent::Garbage { bytes });
    }

    pub(crate) fn closed(&self, reason: &str) {
        let reason = reason.to_owned();
        self.events.event(&self.server, ServerEvent::Closed { reason });
    }

    /// A server that does not read its answers loses them; it never holds us up.
    fn reply(&self, bytes: Vec<u8>) {
        let _ = self.replies.try_send(bytes);
    }
}

fn kind_of(method: &str) -> Option<QuestionKind> {
    match method {
        method::ELICITATION_CREATE => Some(QuestionKind::Elicit),
        method::SAMPLING_CREATE_MESSAGE => Some(QuestionKind::Sample),
        method::ROOTS_LIST => Some(QuestionKind::Roots),
        _ => None,
    }
}

fn result(id: &MessageIdBuf, json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() + 40);
    match serde_json::from_str::<&RawValue>(json) {
        Ok(raw) => write_result(&mut out, id.as_id(), raw),
        Err(_) => return error(id, ErrorCode::INTERNAL_ERROR, "the answer could not be read"),
    }
    out
}

/// The words of whoever refused; only what is no error at all is put into other words.
fn refused(id: &MessageIdBuf, raw: &RawValue) -> Vec<u8> {
    let object = RawObject::parse(raw).ok();
    let code = object.as_ref().and_then(|object| object.get("code")?.get().parse().ok());
    let message = object.as_ref().and_then(|object| object.text("message"));
    let data = object.as_ref().and_then(|object| object.get("data"));
    let code = code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    let mut out = Vec::new();
    write_error(&mut out, Some(id.as_id()), code, &message.unwrap_or_default(), data);
    out
}

fn error(id: &MessageIdBuf, code: ErrorCode, message: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_error::<RawValue>(&mut out, Some(id.as_id()), code, message, None);
    out
}

/// What a server is told when there is nobody: a question to a person is cancelled, its folders are
/// known without anybody, and nobody's model is there.
fn nobody(id: &MessageIdBuf, kind: QuestionKind, own_roots: &str) -> Vec<u8> {
    match kind {
        QuestionKind::Elicit => result(id, r#"{"action":"cancel"}"#),
        QuestionKind::Roots => result(id, own_roots),
        QuestionKind::Sample => {
            error(id, ErrorCode::METHOD_NOT_FOUND, "this client does not offer that")
        }
    }
}
