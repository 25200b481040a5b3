//! What goes back to a client: results and errors, as its era wants them.
//!
//! The only table from our errors to the wire is here.

mod failure;
mod own_words;
mod readdress;
mod result;
mod signed_result;

use serde_json::value::RawValue;
use toolgate_types::{ListKind, LogLevel};
use toolgate_wire::outcome::RESULT_TYPE;
use toolgate_wire::{
    MessageId, MessageIdBuf, ObjectSplice, RawObject, SpliceValue, meta, method, write_notification,
};

pub(crate) use failure::{FailureSubject, failure, missing, refusal, unanswerable};
pub(crate) use own_words::{SERVER_INFO, raw};
pub(crate) use readdress::readdressed;
pub(crate) use result::{complete, no_more_news, nothing, plain};

use crate::hub::ServerNews;

/// Something that happened, as a notification; on a modern stream it says which one that is.
pub(crate) fn news(news: &ServerNews, stream: Option<MessageId<'_>>) -> Vec<u8> {
    let mut params = ObjectSplice::new();
    let read = match news {
        ServerNews::Log(message) | ServerNews::Elicited { params: message, .. } => {
            RawObject::parse(message).ok()
        }
        _ => None,
    };
    if let Some(read) = &read {
        params = ObjectSplice::of(read);
    }
    if let ServerNews::Updated { uri, .. } = news {
        return updated(uri, stream);
    }
    on_stream(&mut params, stream);
    let method = match news {
        ServerNews::ListChanged(ListKind::Tools) => method::TOOLS_LIST_CHANGED,
        ServerNews::ListChanged(ListKind::Prompts) => method::PROMPTS_LIST_CHANGED,
        ServerNews::ListChanged(_) => method::RESOURCES_LIST_CHANGED,
        ServerNews::Updated { .. } => method::RESOURCES_UPDATED,
        ServerNews::Log(_) => method::LOG_MESSAGE,
        ServerNews::Elicited { .. } => method::ELICITATION_COMPLETE,
    };
    let mut bytes = Vec::with_capacity(128);
    let is_bare = matches!(news, ServerNews::ListChanged(_)) && stream.is_none();
    write_notification(&mut bytes, method, (!is_bare).then_some(&params));
    bytes
}

/// A resource changed, by the URI that whoever hears it knows it by.
pub(crate) fn updated(uri: &str, stream: Option<MessageId<'_>>) -> Vec<u8> {
    let mut params = ObjectSplice::new();
    params.set("uri", SpliceValue::text(uri));
    on_stream(&mut params, stream);
    let mut bytes = Vec::with_capacity(128);
    write_notification(&mut bytes, method::RESOURCES_UPDATED, Some(&params));
    bytes
}

/// How a task is doing, as it would be told to whoever asks.
pub(crate) fn task_changed(report: &RawValue, stream: MessageId<'_>) -> Option<Vec<u8>> {
    let read = RawObject::parse(report).ok()?;
    let mut params = ObjectSplice::of(&read);
    params.remove(RESULT_TYPE);
    params.within(meta::META).ok()?.set(meta::SUBSCRIPTION_ID, id_value(stream));
    let mut bytes = Vec::with_capacity(report.get().len() + 128);
    write_notification(&mut bytes, method::TASKS_CHANGED, Some(&params));
    Some(bytes)
}

fn on_stream(params: &mut ObjectSplice<'_>, stream: Option<MessageId<'_>>) {
    if let Some(id) = stream {
        let mut own = ObjectSplice::new();
        own.set(meta::SUBSCRIPTION_ID, id_value(id));
        params.set(meta::META, SpliceValue::Object(Box::new(own)));
    }
}

/// How far a report says that things are.
pub(crate) fn how_far(report: &RawValue) -> Option<f64> {
    let read = RawObject::parse(report).ok()?;
    read.get("progress")?.get().parse().ok()
}

/// A server's report on a request, under the token that its client gave.
pub(crate) fn progress(report: &RawValue, token: &MessageIdBuf) -> Option<Vec<u8>> {
    let read = RawObject::parse(report).ok()?;
    let mut params = ObjectSplice::of(&read);
    params.set(meta::PROGRESS_TOKEN, id_value(token.as_id()));
    let mut bytes = Vec::with_capacity(report.get().len() + 64);
    write_notification(&mut bytes, method::PROGRESS, Some(&params));
    Some(bytes)
}

/// A question that nobody wants answered any more.
pub(crate) fn taken_back(question: &MessageIdBuf, why: Option<&str>) -> Vec<u8> {
    let mut params = ObjectSplice::new();
    params
        .set("requestId", id_value(question.as_id()))
        .set("reason", SpliceValue::text(why.unwrap_or("the call is over")));
    let mut bytes = Vec::with_capacity(160);
    write_notification(&mut bytes, method::CANCELLED, Some(&params));
    bytes
}

/// A log message of a server, as it came.
pub(crate) fn log(message: &RawValue) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(message.get().len() + 64);
    write_notification(&mut bytes, method::LOG_MESSAGE, Some(message));
    bytes
}

/// Whether a log message is at least of this level; one without a level is.
pub(crate) fn is_loud_enough(message: &RawValue, least: LogLevel) -> bool {
    let level = RawObject::parse(message).ok().and_then(|object| object.text("level"));
    let place = |level| LogLevel::ALL.iter().position(|one| *one == level);
    match level.and_then(|level| LogLevel::parse(&level)) {
        Some(level) => place(level) >= place(least),
        None => true,
    }
}

/// An id as a value. Ids are short and plain JSON by their type.
pub(crate) fn id_value<'a>(id: MessageId<'_>) -> SpliceValue<'a> {
    let mut bytes = Vec::new();
    id.write(&mut bytes);
    let text = String::from_utf8(bytes).ok();
    match text.and_then(|text| RawValue::from_string(text).ok()) {
        Some(raw) => SpliceValue::Owned(raw),
        None => SpliceValue::number(0),
    }
}
