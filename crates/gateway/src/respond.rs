//! What goes back to a client: results and errors, as its era wants them.
//!
//! The only table from our errors to the wire is here.

mod failure;
mod readdress;
mod result;

use serde_json::value::RawValue;
use toolgate_types::{ListKind, LogLevel};
use toolgate_wire::{Id, IdBuf, RawObject, Splice, Value, meta, method, write_notification};

pub(crate) use failure::{About, failure, missing, refusal, unanswerable};
pub(crate) use readdress::readdressed;
pub(crate) use result::{SERVER_INFO, complete, no_more_news, nothing, plain, raw};

use crate::hub::News;

/// Something that happened, as a notification; on a modern stream it says which one that is.
pub(crate) fn news(news: &News, stream: Option<Id<'_>>) -> Vec<u8> {
    let mut params = Splice::new();
    let read = match news {
        News::Log(message) | News::Elicited { params: message, .. } => {
            RawObject::parse(message).ok()
        }
        _ => None,
    };
    if let Some(read) = &read {
        params = Splice::of(read);
    }
    if let News::Updated { uri, .. } = news {
        return updated(uri, stream);
    }
    on_stream(&mut params, stream);
    let method = match news {
        News::ListChanged(ListKind::Tools) => method::TOOLS_LIST_CHANGED,
        News::ListChanged(ListKind::Prompts) => method::PROMPTS_LIST_CHANGED,
        News::ListChanged(_) => method::RESOURCES_LIST_CHANGED,
        News::Updated { .. } => method::RESOURCES_UPDATED,
        News::Log(_) => method::LOG_MESSAGE,
        News::Elicited { .. } => method::ELICITATION_COMPLETE,
    };
    let mut bytes = Vec::with_capacity(128);
    let is_bare = matches!(news, News::ListChanged(_)) && stream.is_none();
    write_notification(&mut bytes, method, (!is_bare).then_some(&params));
    bytes
}

/// A resource changed, by the URI that whoever hears it knows it by.
pub(crate) fn updated(uri: &str, stream: Option<Id<'_>>) -> Vec<u8> {
    let mut params = Splice::new();
    params.set("uri", Value::text(uri));
    on_stream(&mut params, stream);
    let mut bytes = Vec::with_capacity(128);
    write_notification(&mut bytes, method::RESOURCES_UPDATED, Some(&params));
    bytes
}

fn on_stream(params: &mut Splice<'_>, stream: Option<Id<'_>>) {
    if let Some(id) = stream {
        let mut own = Splice::new();
        own.set(meta::SUBSCRIPTION_ID, id_value(id));
        params.set(meta::META, Value::Object(Box::new(own)));
    }
}

/// How far a report says that things are.
pub(crate) fn how_far(report: &RawValue) -> Option<f64> {
    let read = RawObject::parse(report).ok()?;
    read.get("progress")?.get().parse().ok()
}

/// A server's report on a request, under the token that its client gave.
pub(crate) fn progress(report: &RawValue, token: &IdBuf) -> Option<Vec<u8>> {
    let read = RawObject::parse(report).ok()?;
    let mut params = Splice::of(&read);
    params.set(meta::PROGRESS_TOKEN, id_value(token.as_id()));
    let mut bytes = Vec::with_capacity(report.get().len() + 64);
    write_notification(&mut bytes, method::PROGRESS, Some(&params));
    Some(bytes)
}

/// A question that nobody wants answered any more.
pub(crate) fn taken_back(question: &IdBuf) -> Vec<u8> {
    let mut params = Splice::new();
    params
        .set("requestId", id_value(question.as_id()))
        .set("reason", Value::text("it was answered elsewhere, or the call is over"));
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
pub(crate) fn id_value<'a>(id: Id<'_>) -> Value<'a> {
    let mut bytes = Vec::new();
    id.write(&mut bytes);
    let text = String::from_utf8(bytes).ok();
    match text.and_then(|text| RawValue::from_string(text).ok()) {
        Some(raw) => Value::Owned(raw),
        None => Value::number(0),
    }
}
