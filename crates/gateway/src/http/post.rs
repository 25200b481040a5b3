//! A POST: its body within limits, and the era it belongs to.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{Response, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use toolgate_types::{Era, PeerLink, step_aside};
use toolgate_wire::header::{AcceptedMedia, PROTOCOL_VERSION, is_json};
use toolgate_wire::{
    ErrorCode, IncomingMessages as Messages, Message, ProtocolRevision, RejectedMessage,
};

use super::ResponseBody;
use super::begun_post::BegunPost;
use crate::place::CallerPlace;
use crate::refusal::{RefusalKind, RequestRefusal};
use crate::state::GatewayState;
use crate::{legacy, modern};

/// A body that takes longer to arrive is not waited for.
const BODY_WITHIN: Duration = Duration::from_secs(30);

pub(super) async fn post(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    parts: &Parts,
    body: Incoming,
) -> Result<Response<ResponseBody>, RequestRefusal> {
    check_media(parts)?;
    let bytes = read(body, shared.message_limits().bytes).await?;
    step_aside(bytes.len()).await;
    match begin(shared, place, link, parts, bytes)? {
        BegunPost::Answered(response) => Ok(response),
        BegunPost::Modern(work) => Ok(modern::settle(work).await),
        BegunPost::Legacy(session, work) => Ok(legacy::settle(session, work).await),
        BegunPost::Later(answering) => answering.await,
    }
}

/// Reads the message, which is gone when this returns.
fn begin(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    parts: &Parts,
    bytes: Bytes,
) -> Result<BegunPost, RequestRefusal> {
    let (limits, revision) = (shared.message_limits(), revision(parts)?);
    match Messages::parse(&bytes, revision.unwrap_or(ProtocolRevision::WITHOUT_HEADER), &limits) {
        Ok(Messages::One(message)) => match era(&message, revision) {
            Era::Modern => modern::begin(shared, place, link, parts, &message),
            Era::Legacy => legacy::begin(shared, place, link, parts, message),
        },
        Ok(Messages::Batch(messages)) => legacy::begin_batch(shared, &place, link, parts, messages),
        Err(rejected) => Err(refusal_of(rejected)),
    }
}

/// `_meta` with a version is modern; so is anything that says so in its header.
fn era(message: &Message<'_>, header: Option<ProtocolRevision>) -> Era {
    // A request that says so in its header is modern, whatever its method was in the older era.
    if header.map(ProtocolRevision::era) == Some(Era::Modern) {
        return Era::Modern;
    }
    let own = match message {
        Message::Request(request) => request.era(),
        Message::Notification(_) | Message::Response(_) => None,
    };
    own.unwrap_or(Era::Legacy)
}

fn check_media(parts: &Parts) -> Result<(), RequestRefusal> {
    let kind = parts.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes());
    if !kind.is_some_and(is_json) {
        let why = "the body must be `application/json`";
        let kind = RefusalKind::UnsupportedMedia;
        return Err(RequestRefusal::new(kind, ErrorCode::INVALID_REQUEST, why));
    }
    let values = parts.headers.get_all(header::ACCEPT).iter().map(|value| value.as_bytes());
    if !AcceptedMedia::parse(values).both() {
        let why = "`Accept` must list `application/json` and `text/event-stream`";
        return Err(RequestRefusal::new(
            RefusalKind::NotAcceptable,
            ErrorCode::INVALID_REQUEST,
            why,
        ));
    }
    Ok(())
}

/// What the header says; a version that nobody knows is an error of its own.
fn revision(parts: &Parts) -> Result<Option<ProtocolRevision>, RequestRefusal> {
    let Some(value) = parts.headers.get(PROTOCOL_VERSION) else { return Ok(None) };
    let known = value.to_str().ok().and_then(|version| version.trim().parse().ok());
    match known {
        Some(revision) => Ok(Some(revision)),
        // The body says which it wanted, where it is modern; the eras answer that themselves.
        None => Ok(None),
    }
}

async fn read(mut body: Incoming, limit: usize) -> Result<Bytes, RequestRefusal> {
    let too_large = || {
        let why = format!("the message is longer than {limit} bytes");
        RequestRefusal::new(RefusalKind::TooLarge, ErrorCode::INVALID_REQUEST, why)
    };
    let announced = body.size_hint().lower();
    if usize::try_from(announced).map_or(true, |announced| announced > limit) {
        return Err(too_large());
    }
    let reading = async {
        let mut first = Bytes::new();
        let mut rest: Option<BytesMut> = None;
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else {
                let why = "the body broke off";
                return Err(RequestRefusal::bad_request(ErrorCode::PARSE_ERROR, why));
            };
            let Ok(data) = frame.into_data() else { continue };
            let known = rest.as_ref().map_or(first.len(), BytesMut::len);
            if known + data.len() > limit {
                return Err(too_large());
            }
            // Most bodies come in one piece and are not copied.
            match &mut rest {
                Some(rest) => rest.extend_from_slice(&data),
                None if first.is_empty() => first = data,
                None => {
                    let mut all = BytesMut::with_capacity(first.len() + data.len());
                    all.extend_from_slice(&first);
                    all.extend_from_slice(&data);
                    rest = Some(all);
                }
            }
        }
        Ok(rest.map_or(first, BytesMut::freeze))
    };
    let mut reading = pin!(reading);
    // Nearly every body is there with its head, and needs no clock.
    let at_once = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context)));
    if let Poll::Ready(read) = at_once.await {
        return read;
    }
    tokio::time::timeout(BODY_WITHIN, reading).await.unwrap_or_else(|_| {
        let why = "the body did not arrive in time";
        Err(RequestRefusal::new(RefusalKind::TooSlow, ErrorCode::INVALID_REQUEST, why))
    })
}

fn refusal_of(rejected: RejectedMessage) -> RequestRefusal {
    let code = rejected.reason.code();
    RequestRefusal::bad_request(code, &rejected).to(rejected.id)
}
