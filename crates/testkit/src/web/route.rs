//! What each address of a site answers.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::watch;

use super::body::Content;
use super::login_door::LoginDoor;
use super::sessions::Sessions;
use super::stream::{Stream, Streams};
use super::strict::{self, Refusal};
use super::{Visit, WebManners};
use crate::peer::{Envelope, Stage};
use crate::script::MODERN;

const SESSION: &str = "mcp-session-id";

pub(super) struct Server {
    pub(super) stage: Arc<Stage>,
    pub(super) manners: WebManners,
    pub(super) port: u16,
    pub(super) sessions: Sessions,
    pub(super) streams: Streams,
    pub(super) visits: watch::Sender<Vec<Visit>>,
    /// Who is let in, if not everybody.
    pub(super) token: Mutex<Option<String>>,
    /// Who logged in is let in, if not everybody.
    pub(super) door: Mutex<Option<LoginDoor>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl Server {
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Content>, Infallible> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let visit = Visit {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            headers: parts.headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        self.visits.send_modify(|all| all.push(visit.clone()));
        if is_foreign(visit.header("host")) || is_foreign(visit.header("origin")) {
            return Ok(status(403));
        }
        let wanted = self.token.lock().unwrap().as_ref().map(|token| format!("Bearer {token}"));
        if wanted.is_some_and(|wanted| visit.header("authorization") != wanted) {
            return Ok(status(401));
        }
        let door = self.door.lock().unwrap().clone();
        if let Some(answer) = door.and_then(|door| door.answer(&visit, self.port)) {
            return Ok(answer);
        }
        Ok(match (&parts.method, visit.path.as_str()) {
            (_, "/html") => page("text/html; charset=utf-8", "<!doctype html><p>Hello"),
            (_, "/keyed") => {
                let mut refused = status(401);
                refused.headers_mut().remove(header::WWW_AUTHENTICATE);
                refused
            }
            (_, "/moved") => moved("/mcp".to_owned()),
            (_, "/elsewhere") => moved(format!("http://localhost:{}/mcp", self.port)),
            (&Method::GET, "/sse") => self.oldest("/messages"),
            (&Method::GET, "/sse-elsewhere") => {
                self.oldest(&format!("http://localhost:{}/messages", self.port))
            }
            (&Method::POST, "/messages") => self.message(visit.body).await,
            (&Method::POST, "/mcp") => self.post(visit).await,
            (&Method::GET, "/mcp") => self.get(&visit),
            (&Method::DELETE, "/mcp") => {
                self.sessions.end(visit.header(SESSION));
                status(200)
            }
            (_, "/sse") => status(405),
            (_, path) => {
                status(path.strip_prefix("/status/").map_or(404, |it| it.parse().unwrap()))
            }
        })
    }

    async fn post(&self, visit: Visit) -> Response<Content> {
        let body = visit.body.clone();
        let Ok(message) = serde_json::from_str::<Envelope<'_>>(&body) else { return status(400) };
        let is_initialize = message.method.as_deref() == Some("initialize");
        let is_legacy = !body.contains(MODERN);
        let has_handshake = self.stage.script().legacy.is_some();
        if self.manners.sessions
            && has_handshake
            && !is_initialize
            && (is_legacy || !self.stage.script().modern)
        {
            match visit.header(SESSION) {
                "" => return status(400),
                id if !self.sessions.knows(id) => return status(404),
                _ => {}
            }
        }
        let answers_nothing = message.id.is_none() || message.method.is_none();
        let is_modern = self.stage.script().modern && (!is_legacy || !has_handshake);
        if is_modern && !answers_nothing {
            let id = message.id.unwrap().get();
            if let Some(Refusal { status, error }) = strict::refuse(&visit) {
                return refused(status, id, &error);
            }
            if !self.stage.knows(&body) {
                return refused(404, id, r#"{"code":-32601,"message":"method not found"}"#);
            }
        }
        self.stage.note(&body);
        if answers_nothing {
            Arc::clone(&self.stage).take(body, Arc::new(self.streams.general())).await;
            return status(202);
        }
        let id = message.id.unwrap().get().to_owned();
        let stream = self.streams.open();
        let mut response = if self.manners.streams {
            // An event without data tells where to resume before anything was said.
            stream.event("");
            let (stage, writing) = (Arc::clone(&self.stage), stream.clone());
            tokio::spawn(async move {
                stage.take(body, Arc::new(writing.clone())).await;
                writing.finish();
            });
            self.events(&stream, 0, String::new())
        } else {
            let general = self.streams.general();
            let answer = Answer { id, general, found: watch::Sender::default() };
            let (answer, mut found) = (Arc::new(answer.clone()), answer.found.subscribe());
            Arc::clone(&self.stage).take(body, answer).await;
            let found = found.wait_for(Option::is_some).await.unwrap().clone();
            page("application/json", found.unwrap())
        };
        if is_initialize && self.manners.sessions {
            let id = self.sessions.open();
            response.headers_mut().insert(SESSION, id.parse().unwrap());
        }
        response
    }

    fn get(&self, visit: &Visit) -> Response<Content> {
        if self.manners.sessions && !self.sessions.knows(visit.header(SESSION)) {
            return status(404);
        }
        match visit.header("last-event-id") {
            "" if self.manners.listens => {
                self.events(&self.streams.general(), 0, ": here\n\n".to_owned())
            }
            "" => status(405),
            id => match self.streams.find(id) {
                Some((stream, from)) => self.events(&stream, from, String::new()),
                None => status(400),
            },
        }
    }

    /// The stream of the oldest kind, which is also where answers go.
    fn oldest(&self, address: &str) -> Response<Content> {
        let endpoint = format!("event: endpoint\ndata: {address}\n\n");
        self.events(&self.streams.general(), 0, endpoint)
    }

    async fn message(&self, body: String) -> Response<Content> {
        self.stage.note(&body);
        let (stage, general) = (Arc::clone(&self.stage), self.streams.general());
        tokio::spawn(async move { stage.take(body, Arc::new(general)).await });
        status(202)
    }

    fn events(&self, stream: &Stream, from: usize, preamble: String) -> Response<Content> {
        let mut response = Response::new(self.streams.follow(stream, from, preamble));
        let media = "text/event-stream".parse().unwrap();
        response.headers_mut().insert(header::CONTENT_TYPE, media);
        response
    }
}

/// Waits for the answer to one request; everything else goes to the general stream.
#[derive(Clone)]
struct Answer {
    id: String,
    general: Stream,
    found: watch::Sender<Option<String>>,
}

#[async_trait::async_trait]
impl crate::peer::Output for Answer {
    async fn write(&self, message: &[crate::peer::Piece]) {
        let message = crate::peer::joined(message);
        let is_answer = serde_json::from_str::<Envelope<'_>>(&message).is_ok_and(|read| {
            read.method.is_none() && read.id.is_some_and(|id| id.get() == self.id)
        });
        match is_answer {
            true => drop(self.found.send_replace(Some(message))),
            false => self.general.event(&message),
        }
    }
}

/// A page of another site that has its name resolve to this machine.
fn is_foreign(place: &str) -> bool {
    let place = place.trim_start_matches("http://").trim_start_matches("https://");
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
    !matches!(host, "" | "127.0.0.1" | "localhost" | "[::1]" | "[")
}

pub(super) fn status(code: u16) -> Response<Content> {
    let mut response = Response::new(Content::Whole(None));
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    if code == 401 {
        let challenge = r#"Bearer resource_metadata="http://127.0.0.1:1/.well-known/x""#;
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
    }
    response
}

pub(super) fn page(media: &'static str, text: impl Into<Bytes>) -> Response<Content> {
    let mut response = Response::new(Content::Whole(Some(text.into())));
    response.headers_mut().insert(header::CONTENT_TYPE, media.parse().unwrap());
    response
}

fn refused(code: u16, id: &str, error: &str) -> Response<Content> {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
    let mut response = page("application/json", body);
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

fn moved(to: String) -> Response<Content> {
    let mut response = status(307);
    response.headers_mut().insert(header::LOCATION, to.parse().unwrap());
    response
}
