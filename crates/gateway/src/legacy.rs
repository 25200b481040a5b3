//! The older era: a session opened by `initialize`, and everything else within it.

mod batch;
mod opening;
mod taking;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use toolgate_host::ResourcePlace;
use toolgate_types::{Answer, Era, PeerLink};
use toolgate_wire::header::{Accepted, LAST_EVENT_ID, SESSION_ID};
use toolgate_wire::{
    ErrorCode, Id, IdBuf, Message, Notification, Outcome, Response as Reply, Revision, method,
};

use crate::gateway::Shared;
use crate::http::{Body, Refusal, empty, event_stream, json};
use crate::place::Place;
use crate::session::{NoSession, Session, Stream, Way};
use crate::settings::Notice;
use crate::work::{Begun, Next, Work};

pub(crate) use batch::{Batch, post_batch};
pub(crate) use opening::open;
pub(crate) use taking::Taken;

/// One message of a client.
pub(crate) async fn post(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    link: &PeerLink,
    parts: &Parts,
    message: Message<'_>,
) -> Result<Response<Body>, Refusal> {
    match message {
        Message::Request(request) if request.method == method::INITIALIZE => {
            let way = Way::by_http(link).ok_or_else(|| Refusal::unavailable("no randomness"))?;
            let (session, answer) = open(shared, place, &request, way)?;
            let mut response = json(answer);
            if let Ok(value) = HeaderValue::from_str(&session.id) {
                response.headers_mut().insert(SESSION_ID, value);
            }
            Ok(response)
        }
        Message::Request(request) => {
            let id = request.id.to_buf();
            let session = session(shared, &place, parts).map_err(|no| no.to(Some(id)))?;
            session.heard_over(link);
            match Taken::of(shared, &session, &request) {
                Ok(taken) => Ok(settle(session, taken.into_work()).await),
                Err(answer) => Ok(json(answer)),
            }
        }
        Message::Notification(notification) => {
            let session = session(shared, &place, parts)?;
            if let Some(id) = cancelled(&notification) {
                session.requests.cancel(&id);
            }
            Ok(empty(StatusCode::ACCEPTED))
        }
        Message::Response(reply) => {
            take_answer(&*session(shared, &place, parts)?, &reply);
            Ok(empty(StatusCode::ACCEPTED))
        }
    }
}

/// Opens the stream for what nobody asked for, or picks up one that broke.
pub(crate) fn listen(
    shared: &Arc<Shared>,
    place: &Place,
    parts: &Parts,
) -> Result<Response<Body>, Refusal> {
    let values = parts.headers.get_all(http::header::ACCEPT).iter().map(|value| value.as_bytes());
    if !Accepted::parse(values).event_stream {
        let why = "`Accept` must list `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, ErrorCode::INVALID_REQUEST, why));
    }
    if !parts.headers.contains_key(SESSION_ID) {
        return Err(Refusal::method_not_allowed());
    }
    let session = session(shared, place, parts)?;
    if shared.is_draining() {
        return Err(Refusal::draining());
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
    shared: &Arc<Shared>,
    place: &Place,
    parts: &Parts,
) -> Result<Response<Body>, Refusal> {
    let session = session(shared, place, parts)?;
    shared.sessions.remove(&session.id);
    finish(&session).await;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// Gives up everything that a session held.
pub(crate) async fn finish(session: &Session) {
    session.ended().cancel();
    session.streams.end_general();
    let host = &session.place.served.host;
    for ResourcePlace { server, uri } in session.take_subscriptions() {
        let options = toolgate_host::Options {
            caller: Some(Arc::clone(&session.caller)),
            address: session.place.audience.address.clone(),
            ..Default::default()
        };
        let _ = host.unsubscribe(&server, &uri, options).await;
    }
    session.place.end_session(&session.id).await;
}

/// The session that a request is made in. One of somebody else does not exist.
fn session(shared: &Shared, place: &Place, parts: &Parts) -> Result<Arc<Session>, Refusal> {
    let Some(id) = parts.headers.get(SESSION_ID) else {
        let why = "the header `MCP-Session-Id` is missing; a session begins with `initialize`";
        return Err(Refusal::bad_request(ErrorCode::INVALID_REQUEST, why));
    };
    let version = parts.headers.get(toolgate_wire::header::PROTOCOL_VERSION);
    if let Some(version) = version {
        let known = version.to_str().ok().and_then(|text| text.trim().parse::<Revision>().ok());
        if !known.is_some_and(|revision| revision.era() == Era::Legacy) {
            let why = "this version of the protocol is not spoken in sessions";
            return Err(Refusal::bad_request(ErrorCode::INVALID_REQUEST, why));
        }
    }
    let id = id.to_str().map_err(|_| Refusal::no_session())?;
    shared.sessions.get(id, place).map_err(|none| {
        if none == NoSession::Foreign {
            let principal = place.principal();
            shared.settings.watch.noticed(Notice::ForeignSession { principal });
        }
        Refusal::no_session()
    })
}

/// The answer alone, or a stream that the client can pick up again. The request goes on when the
/// client goes away: only `notifications/cancelled` ends it.
async fn settle(session: Arc<Session>, work: Work) -> Response<Body> {
    match KeepGoing(Some(work)).begin().await {
        Begun::Answered(answer) => json(answer.bytes),
        Begun::Speaking(first, work) => {
            let stream = session.streams.open();
            let events = stream.read(None);
            // From this revision on clients know what to do with an event that only has an id.
            if session.revision >= Revision::V2025_11_25 {
                stream.prime();
            }
            stream.push(&first);
            tokio::spawn(speak(stream, work));
            event_stream(events)
        }
    }
}

async fn speak(stream: Arc<Stream>, mut work: Work) {
    loop {
        match work.next().await {
            Next::Said(message) => stream.push(&message),
            Next::Answered(answer) => {
                stream.push(&answer.bytes);
                return stream.finish();
            }
        }
    }
}

/// Work that is not given up when nobody waits for it any more.
struct KeepGoing(Option<Work>);

impl KeepGoing {
    async fn begin(mut self) -> Begun {
        // It is there until it is taken, below.
        let next = match &mut self.0 {
            Some(work) => work.next().await,
            None => Next::Answered(Vec::new().into()),
        };
        match (next, self.0.take()) {
            (Next::Said(first), Some(work)) => Begun::Speaking(first, work),
            (Next::Said(answer), None) => Begun::Answered(answer.into()),
            (Next::Answered(answer), _) => Begun::Answered(answer),
        }
    }
}

impl Drop for KeepGoing {
    fn drop(&mut self) {
        // Nobody got an event of it, so nobody can come back for it and be asked.
        if let (Some(work), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(work.answer());
        }
    }
}

/// The request that a client does not want answered any more, where that is what it says.
pub(crate) fn cancelled(notification: &Notification<'_>) -> Option<IdBuf> {
    let params = notification.params.as_ref().filter(|_| notification.method == method::CANCELLED);
    let id = params.and_then(|params| params.get("requestId")).and_then(Id::from_raw);
    id.map(|id| id.to_buf())
}

/// The answer to a question of ours; one that nobody asked is nothing.
pub(crate) fn take_answer(session: &Session, reply: &Reply<'_>) {
    let Some(id) = reply.id.as_ref().and_then(Id::as_text) else { return };
    let answer = match &reply.outcome {
        Outcome::Result(result) => Answer::Answered(result.raw().to_owned()),
        Outcome::Error(error) => Answer::Refused(error.raw.to_owned()),
        Outcome::Flawed { .. } => return,
    };
    session.answer(&id, answer);
}
