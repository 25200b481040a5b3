//! What a client must send beside a message.
//!
//! Only the headers that follow from the message. `Accept`, `Content-Type`, a session id and
//! credentials belong to the connection.

use std::borrow::Cow;

use thiserror::Error;

use super::annotation::ParamHeaders;
use super::params::ParamError;
use super::value::{encode_value, plain_value};
use super::{METHOD, NAME, PROTOCOL_VERSION};
use crate::target::target_field;
use crate::{Era, Message, ProtocolRevision, RawObject};

/// A header to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingHeader<'a> {
    pub name: Cow<'a, str>,
    pub value: Cow<'a, str>,
}

/// A message that no headers can go with.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unsendable {
    #[error("the method has characters that a header cannot carry")]
    Method,
    #[error(transparent)]
    Param(#[from] ParamError),
}

/// The headers for a message to a peer of this revision. `annotated` are those of the tool that is
/// called; [`ParamHeaders::NONE`] for everything else.
pub fn request_headers<'a>(
    message: &'a Message<'_>,
    revision: ProtocolRevision,
    annotated: &'a ParamHeaders,
) -> Result<Vec<OutgoingHeader<'a>>, Unsendable> {
    let mut headers = Vec::new();
    if revision.has_version_header() {
        push(&mut headers, PROTOCOL_VERSION, revision.as_str());
    }
    if revision.era() == Era::Legacy {
        return Ok(headers);
    }
    let (method, params) = match message {
        Message::Request(request) => (&*request.method, request.params.as_ref()),
        Message::Notification(notification) => {
            (&*notification.method, notification.params.as_ref())
        }
        Message::Response(_) => return Ok(headers),
    };
    if plain_value(method.as_bytes()) != Ok(method) {
        return Err(Unsendable::Method);
    }
    push(&mut headers, METHOD, method);
    let name = target_field(method).and_then(|field| params?.text(field));
    if let Some(name) = name {
        push(&mut headers, NAME, encoded(name));
    }
    for (name, value) in annotated.mirrored(params.and_then(arguments)) {
        if let Some(value) = value {
            push(&mut headers, name, encoded(value?.rendered()));
        }
    }
    Ok(headers)
}

pub(super) fn arguments<'a>(params: &RawObject<'a>) -> Option<&'a serde_json::value::RawValue> {
    params.get_some("arguments")
}

fn encoded(value: Cow<'_, str>) -> Cow<'_, str> {
    match value {
        Cow::Borrowed(value) => encode_value(value),
        Cow::Owned(value) => Cow::Owned(encode_value(&value).into_owned()),
    }
}

fn push<'a>(headers: &mut Vec<OutgoingHeader<'a>>, name: &'a str, value: impl Into<Cow<'a, str>>) {
    headers.push(OutgoingHeader { name: Cow::Borrowed(name), value: value.into() });
}
