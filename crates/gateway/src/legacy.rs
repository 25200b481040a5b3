//! The older era: a session opened by `initialize`, and everything else within it.

mod batch;
mod legacy_request;
mod open_session;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use toolgate_host::ResourcePlace;
use toolgate_types::{Era, PeerLink, QuestionAnswer, SessionId};
use toolgate_wire::header::{AcceptedMedia, LAST_EVENT_ID, SESSION_ID};
use toolgate_wire::{
    ErrorCode, Message, MessageId, MessageIdBuf, Notification, ProtocolRevision, Response as Reply,
    ResponseOutcome, method,
};
use tracing::debug;

use crate::http::begun_post::BegunPost;
use crate::http::body::{ResponseBody, empty, event_stream, json, json_body};
use crate::place::CallerPlace;
use crate::refusal::{RefusalKind, RequestRefusal};
use crate::session::{ClientSession, EventStream, NoSession, SessionParts};
use crate::settings::GatewayNotice;
use crate::state::GatewayState;
use crate::work::{NextEvent, RequestProgress, RequestWork};

pub(crate) use batch::{LegacyBatch, begin_batch};
pub(crate) use legacy_request::LegacyRequest;
pub(crate) use open_session::open;

/// One message of a client.
pub(crate) fn begin(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    parts: &Parts,
    message: Message<'_>,
) -> Result<BegunPost, RequestRefusal> {
    let answered = match message {
        Message::Request(request) if request.method == method::INITIALIZE => {
            let way = SessionParts::by_http(link)
                .ok_or_else(|| RequestRefusal::unavailable("no randomness"))?;
            let (session, answer) = open(shared, place, &request, way)?;
            let mut response = json(answer);
            if let Ok(value) = HeaderValue::from_str(&session.id) {
                response.headers_mut().insert(SESSION_ID, value);
            }
            response
        }
        Message::Request(request) => {
            let id = request.id.to_buf();
            let session = session(shared, &place, parts).map_err(|no| no.to(Some(id)))?;
            session.heard_over(link);
            match LegacyRequest::of(shared, &session, &request) {
                Ok(taken) => return Ok(BegunPost::Legacy(session, taken.into_work())),
                Err(answer) => json(answer),
            }
        }
        Message::Notification(notification) => {
            let session = session(shared, &place, parts)?;
            if let Some(id) = cancelled(&notification) {
                session.requests.cancel(&id);
            }
            empty(StatusCode::ACCEPTED)
        }
        Message::Response(reply) => {
            take_answer(&*session(shared, &place, parts)?, &reply);
            empty(StatusCode::ACCEPTED)
        }
    };
    Ok(BegunPost::Answered(answered))
}

/// Opens the stream for what nobody asked for, or picks up one that broke.
pub(crate) fn listen(
    shared: &Arc<GatewayState>,
    place: &CallerPlace,
    parts: &Parts,
) -> Result<Response<ResponseBody>, RequestRefusal> {
    let values = parts.headers.get_all(http::header::ACCEPT).iter().map(|value| value.as_bytes());
    if !AcceptedMedia::parse(values).event_stream {
        let why = "`Accept` must list `text/event-stream`";
        return Err(RequestRefusal::new(
            RefusalKind::NotAcceptable,
            ErrorCode::INVALID_REQUEST,
            why,
        ));
    }
    if !parts.headers.contains_key(SESSION_ID) {
        return Err(RequestRefusal::method_not_allowed());
    }
    let session = session(shared, place, parts)?;
    if shared.is_draining() {
        return Err(RequestRefusal::draining());
    }
    let last = parts.headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
    let found = last.and_then(|last| session.streams.find(last));
    let events = match found {
        Some((stream, after)) => stream.read(Some(after)),
        None => session.streams.general().read(None),
    };
    Ok(event_stream(events))
}

/// The client is done with its session.
pub(crate) async fn end(
    shared: &Arc<GatewayState>,
    place: &CallerPlace,
    parts: &Parts,
) -> Result<Response<ResponseBody>, RequestRefusal> {
    let session = session(shared, place, parts)?;
    shared.sessions.remove(&session.id);
    finish(&session).await;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// Gives up everything that a session held.
pub(crate) async fn finish(session: &ClientSession) {
    debug!(session = session.caller.session.as_ref().map(SessionId::shown), "session ended");
    session.ended().cancel();
    session.streams.end_general();
    let host = &session.place.served.host;
    for ResourcePlace { server, uri } in session.take_subscriptions() {
        let options = toolgate_host::CallOptions {
            caller: Some(Arc::clone(&session.caller)),
            address: session.place.address(),
            ..Default::default()
        };
        let _ = host.unsubscribe(&server, &uri, options).await;
    }
    // Nobody else's requests go by what it wanted to hear; its end does not wait for that.
    if session.wanted_log_level().is_some() {
        let served = Arc::clone(&session.place.served);
        tokio::spawn(async move { served.tell_log_level().await });
    }
    session.place.end_session(&session.id).await;
}

/// The session that a request is made in. One of somebody else does not exist.
fn session(
    shared: &GatewayState,
    place: &CallerPlace,
    parts: &Parts,
) -> Result<Arc<ClientSession>, RequestRefusal> {
    let Some(id) = parts.headers.get(SESSION_ID) else {
        let why = "the header `MCP-Session-Id` is missing; a session begins with `initialize`";
        return Err(RequestRefusal::bad_request(ErrorCode::INVALID_REQUEST, why));
    };
    let version = parts.headers.get(toolgate_wire::header::PROTOCOL_VERSION);
    if let Some(version) = version {
        let known =
            version.to_str().ok().and_then(|text| text.trim().parse::<ProtocolRevision>().ok());
        if !known.is_some_and(|revision| revision.era() == Era::Legacy) {
            let why = "this version of the protocol is not spoken in sessions";
            return Err(RequestRefusal::bad_request(ErrorCode::INVALID_REQUEST, why));
        }
    }
    let id = id.to_str().map_err(|_| RequestRefusal::no_session())?;
    shared.sessions.get(id, place).map_err(|none| {
        if none == NoSession::Foreign {
            let principal = place.principal();
            shared.settings.watch.noticed(GatewayNotice::ForeignSession { principal });
        }
        RequestRefusal::no_session()
    })
}

/// The answer alone, or a stream that the client can pick up again. The request goes on when the
/// client goes away: only `notifications/cancelled` ends it.
pub(crate) async fn settle(
    session: Arc<ClientSession>,
    work: RequestWork,
) -> Response<ResponseBody> {
    match UncancelledWork(Some(work)).begin().await {
        RequestProgress::Answered(answer) => json_body(answer.message.body()),
        RequestProgress::Speaking(first, work) => {
            let stream = session.streams.open();
            let events = stream.read(None);
            // From this revision on clients know what to do with an event that only has an id.
            if session.revision >= ProtocolRevision::V2025_11_25 {
                stream.prime();
            }
            stream.push(&first);
            tokio::spawn(speak(stream, work));
            event_stream(events)
        }
    }
}

async fn speak(stream: Arc<EventStream>, mut work: RequestWork) {
    loop {
        match work.next().await {
            NextEvent::Said(message) => {
                stream.push(&message);
                // A reader that is slow makes who speaks slow; one that does not read at all is gone.
                stream.is_read_on().await;
            }
            NextEvent::Answered(answer) => {
                stream.push_answer(answer.message);
                return stream.finish();
            }
        }
    }
}

/// Work that is not given up when nobody waits for it any more.
struct UncancelledWork(Option<RequestWork>);

impl UncancelledWork {
    async fn begin(mut self) -> RequestProgress {
        // It is there until it is taken, below.
        let next = match &mut self.0 {
            Some(work) => work.next().await,
            None => NextEvent::Answered(Vec::new().into()),
        };
        match (next, self.0.take()) {
            (NextEvent::Said(first), Some(work)) => RequestProgress::Speaking(first, work),
            (NextEvent::Said(answer), None) => RequestProgress::Answered(answer.into()),
            (NextEvent::Answered(answer), _) => RequestProgress::Answered(answer),
        }
    }
}

impl Drop for UncancelledWork {
    fn drop(&mut self) {
        // Nobody got an event of it, so nobody can come back for it and be asked.
        if let (Some(work), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(work.answer());
        }
    }
}

/// The request that a client does not want answered any more, where that is what it says.
pub(crate) fn cancelled(notification: &Notification<'_>) -> Option<MessageIdBuf> {
    let params = notification.params.as_ref().filter(|_| notification.method == method::CANCELLED);
    let id = params.and_then(|params| params.get("requestId")).and_then(MessageId::from_raw);
    id.map(|id| id.to_buf())
}

/// The answer to a question of ours; one that nobody asked is nothing.
pub(crate) fn take_answer(session: &ClientSession, reply: &Reply<'_>) {
    let Some(id) = reply.id.as_ref().and_then(MessageId::as_text) else { return };
    let answer = match &reply.outcome {
        ResponseOutcome::Result(result) => QuestionAnswer::Answered(result.raw().to_owned()),
        ResponseOutcome::Error(error) => QuestionAnswer::Refused(error.raw.to_owned()),
        ResponseOutcome::Flawed { .. } => return,
    };
    session.answer(&id, answer);
}
