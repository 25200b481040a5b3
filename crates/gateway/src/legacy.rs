//! The older era: a session opened by `initialize`, and everything else within it.

mod batch;
mod opening;

use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::value::RawValue;
use toolgate_types::{Answer, Era};
use toolgate_wire::header::{Accepted, LAST_EVENT_ID, SESSION_ID};
use toolgate_wire::{
    ErrorCode, Id, IdBuf, Message, Notification, Outcome, Request, Response as Reply, Revision,
    method,
};

use crate::asking::InSession;
use crate::gateway::Shared;
use crate::http::{Body, Refusal, empty, event_stream, json};
use crate::place::Place;
use crate::request::{Asked, Beside};
use crate::respond;
use crate::serving::Seat;
use crate::session::{NoSession, Session, Stream};
use crate::settings::Notice;
use crate::work::{Begun, Next, Work};

pub(crate) use batch::post_batch;

/// One message of a client.
pub(crate) async fn post(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    parts: &Parts,
    message: Message<'_>,
) -> Result<Response<Body>, Refusal> {
    match message {
        Message::Request(request) if request.method == method::INITIALIZE => {
            opening::open(shared, place, &request)
        }
        Message::Request(request) => {
            let id = request.id.to_buf();
            let session = session(shared, &place, parts).map_err(|no| no.to(Some(id)))?;
            match work(shared, &session, &request) {
                Ok(work) => Ok(settle(session, work).await),
                Err(answer) => Ok(json(answer)),
            }
        }
        Message::Notification(notification) => {
            take_note(&*session(shared, &place, parts)?, &notification);
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
    session.ended.cancel();
    session.streams.end_general();
    let host = &session.place.served.host;
    for (server, uri) in session.take_subscriptions() {
        let options = toolgate_host::Options {
            caller: Some(session.place.caller(Era::Legacy, Some(&session.id), None)),
            address: session.place.audience.address.clone(),
            ..Default::default()
        };
        let _ = host.unsubscribe(&server, &uri, options).await;
    }
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

/// A request being carried out, or at once why it cannot be.
fn work(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    request: &Request<'_>,
) -> Result<Work, Vec<u8>> {
    let id = request.id.to_buf();
    let unanswerable = |error| respond::unanswerable(&id, &error);
    let asked = Asked::of(request).map_err(unanswerable)?;
    let beside = Beside::of(request).map_err(unanswerable)?;
    let (session, id) = (Arc::clone(session), id.clone());
    let list_ttl = shared.list_ttl();
    Ok(Work::new(move |outlet| async move {
        let under_way = session.begin(id.clone());
        let asker = InSession { session: Arc::clone(&session), outlet: outlet.clone() };
        let client = session.client.as_deref();
        let seat = Seat {
            place: Arc::clone(&session.place),
            era: Era::Legacy,
            id,
            caller: session.place.caller(Era::Legacy, Some(&session.id), client),
            capabilities: session.relayed.clone(),
            session: Some(Arc::clone(&session)),
            asker: Arc::new(asker),
            askable: session.askable,
            beside,
            cancel: under_way.cancel.clone(),
            outlet,
            list_ttl,
        };
        seat.answer(asked).await
    }))
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

fn take_note(session: &Session, notification: &Notification<'_>) {
    if notification.method == method::CANCELLED {
        let params = notification.params.as_ref();
        let id = params.and_then(|params| params.get("requestId")).and_then(Id::from_raw);
        if let Some(id) = id {
            session.cancel(&id.to_buf());
        }
    }
}

/// The answer to a question of ours; one that nobody asked is nothing.
fn take_answer(session: &Session, reply: &Reply<'_>) {
    let Some(id) = reply.id.as_ref().and_then(Id::as_text) else { return };
    let answer = match &reply.outcome {
        Outcome::Result(result) => Answer::Answered(result.raw().to_owned()),
        Outcome::Error(error) => Answer::Refused(error.raw.to_owned()),
        Outcome::Flawed { .. } => return,
    };
    session.answer(&id, answer);
}

/// An answer that needs no work.
pub(super) fn at_once(id: &IdBuf, result: &RawValue) -> Response<Body> {
    json(respond::plain(id, result))
}
