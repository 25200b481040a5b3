//! The modern era: every request stands for itself, and its stream ends it.

mod listened_tasks;
mod modern_request;
mod subscribe;

use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::value::to_raw_value;
use tokio::sync::mpsc;
use toolgate_types::{Era, PeerLink, Requester};
use toolgate_wire::header::{HeaderField, HeaderMismatch, ParamHeaders, check_headers_of_version};
use toolgate_wire::meta::RequestMeta;
use toolgate_wire::{
    ErrorCode, Message, MessageIdBuf, ObjectSplice, ProtocolRevision, Request, SpliceValue, method,
};

use crate::http::begun_post::BegunPost;
use crate::http::body::{ResponseBody, empty, event_stream, json, json_body};
use crate::http::event_body::{EventBody, StreamEvent};
use crate::place::CallerPlace;
use crate::refusal::{RefusalKind, RequestRefusal};
use crate::request::Unanswerable;
use crate::respond::{self, SERVER_INFO};
use crate::serve::{MODERN_CAPABILITIES, instructions};
use crate::state::GatewayState;
use crate::work::{NextEvent, RequestReply, RequestWork};
use crate::written_event::event;

pub(crate) use modern_request::{ClientClaims, ModernRequest};
pub(crate) use subscribe::WantedNews;

/// How many events may lie unread; what has to arrive then waits.
const UNREAD: usize = 64;

/// One message of a client.
pub(crate) fn begin(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    parts: &Parts,
    message: &Message<'_>,
) -> Result<BegunPost, RequestRefusal> {
    let request = match message {
        Message::Request(request) => request,
        // Streams are ended by closing them; nothing else is told without being asked.
        Message::Notification(_) => return Ok(BegunPost::Answered(empty(StatusCode::ACCEPTED))),
        Message::Response(_) => {
            let why = "nothing was asked: this era answers with a new request";
            return Err(RequestRefusal::bad_request(ErrorCode::INVALID_REQUEST, why));
        }
    };
    let id = request.id.to_buf();
    match ClientClaims::of(request, |meta| agree(&place, parts, (message, request), meta)) {
        Ok(says) => begin_request(shared, place, link, request, says),
        Err(refusal) => Err(refusal.to(Some(id))),
    }
}

/// Whether the headers of a request say what its body says.
fn agree(
    place: &CallerPlace,
    parts: &Parts,
    (message, request): (&Message<'_>, &Request<'_>),
    meta: &RequestMeta<'_>,
) -> Result<(), RequestRefusal> {
    let field = |name: &str| {
        HeaderField::from_values(parts.headers.get_all(name).iter().map(|value| value.as_bytes()))
    };
    let mirrored = mirrored(place, request);
    check_headers_of_version(field, message, meta.protocol_version.as_deref(), &mirrored)
        .map_err(|mismatch| RequestRefusal::bad_request(HeaderMismatch::CODE, mismatch))
}

/// The parameters that a called tool wants mirrored, as far as the tool is known without asking.
fn mirrored(place: &CallerPlace, request: &Request<'_>) -> ParamHeaders {
    let name = request.params.as_ref().and_then(|params| params.text("name"));
    let Some(name) = name.filter(|_| request.method == method::TOOLS_CALL) else {
        return ParamHeaders::NONE;
    };
    let view = place.served.host.view(&place.audience());
    let schema = view.resolve(&name).and_then(|it| it.mirroring_schema(ParamHeaders::may_be_in));
    schema.and_then(|schema| ParamHeaders::from_schema(schema).ok()).unwrap_or(ParamHeaders::NONE)
}

/// Every revision that is spoken here, the newest first.
fn supported() -> Vec<&'static str> {
    ProtocolRevision::ALL.iter().rev().map(|revision| revision.as_str()).collect()
}

fn begin_request(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    request: &Request<'_>,
    (says, meta): (ClientClaims, RequestMeta<'_>),
) -> Result<BegunPost, RequestRefusal> {
    let id = request.id.to_buf();
    match &*request.method {
        method::SERVER_DISCOVER => return Ok(BegunPost::Answered(json(discover(&place, &id)))),
        method::SUBSCRIPTIONS_LISTEN => {
            return subscribe::listen(shared, place, request, says).map(BegunPost::Later);
        }
        _ => {}
    }
    let taken = ModernRequest::of(shared, request, (says, meta))
        .map_err(|error| unanswerable(&id, error))?;
    let requester = Requester::Peer(link.clone());
    let work =
        RequestWork::new(move |outlet| taken.carry_out(place, None, requester, None, outlet));
    Ok(BegunPost::Modern(work))
}

fn unanswerable(id: &MessageIdBuf, error: Unanswerable) -> RequestRefusal {
    let Unanswerable { code, message } = error;
    let kind = match code {
        ErrorCode::METHOD_NOT_FOUND => RefusalKind::NotFound,
        // A message that can be read is answered; what is wrong with it stands in the answer.
        _ => RefusalKind::BadRequest,
    };
    RequestRefusal::new(kind, code, message).to(Some(id.clone()))
}

/// The answer alone, or a stream that ends with it. Whoever closes it does not want it any more.
pub(crate) async fn settle(mut work: RequestWork) -> Response<ResponseBody> {
    let first = match work.next().await {
        NextEvent::Answered(RequestReply { message, refused }) => {
            let mut response = json_body(message.body());
            if refused.is_some() {
                *response.status_mut() = StatusCode::BAD_REQUEST;
            }
            return response;
        }
        NextEvent::Said(first) => first,
    };
    let (sender, receiver) = mpsc::channel(UNREAD);
    let _ = sender.try_send(event(&first, None).into());
    tokio::spawn(async move {
        tokio::select! {
            () = sender.closed() => {}
            () = speak(&sender, work) => {}
        }
    });
    event_stream(EventBody::new(receiver))
}

async fn speak(sender: &mpsc::Sender<StreamEvent>, mut work: RequestWork) {
    loop {
        match work.next().await {
            NextEvent::Said(message) => drop(sender.send(event(&message, None).into()).await),
            NextEvent::Answered(answer) => {
                let _ = sender.send(answer.message.event(None)).await;
                return;
            }
        }
    }
}

pub(crate) fn discover(place: &CallerPlace, id: &MessageIdBuf) -> Vec<u8> {
    place.served.welcome();
    let words = instructions(place);
    let mut own = ObjectSplice::new();
    own.set(toolgate_wire::meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
    let mut result = ObjectSplice::new();
    if let Ok(versions) = to_raw_value(&supported()) {
        result.set("supportedVersions", SpliceValue::Owned(versions));
    }
    result
        .set("capabilities", SpliceValue::Raw(&MODERN_CAPABILITIES))
        .set(toolgate_wire::outcome::RESULT_TYPE, SpliceValue::text("complete"))
        .set("ttlMs", SpliceValue::number(0))
        .set("cacheScope", SpliceValue::text("private"))
        .set(toolgate_wire::meta::META, SpliceValue::Object(Box::new(own)));
    if let Some(words) = &words {
        result.set("instructions", SpliceValue::text(words));
    }
    match result.to_raw() {
        Ok(result) => respond::plain(id, &result),
        Err(_) => respond::nothing(id, Era::Modern),
    }
}
