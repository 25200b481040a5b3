//! HTTP: connections, routes, who is let in, bodies in and out.
//!
//! What a message means is the eras' business.

mod admission;
mod body;
mod listen;
mod patience;
mod post;
mod refusal;
mod route;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use tokio::task::JoinHandle;
use toolgate_types::PeerLink;

pub(crate) use admission::Admission;
pub(crate) use body::{Body, Events, event_stream, json};
pub use listen::DRAIN;
pub(crate) use post::message_limits;
pub(crate) use refusal::Refusal;
use route::Route;

use self::body::Carried;
use crate::connecting::ConnectionPlace;
use crate::gateway::Shared;
use crate::place::Place;
use crate::{legacy, settings};

/// How often a connection may ask for something before it has shown a token that counts.
const ASKED_UNKNOWN: u32 = 16;

/// Answers one request; a refusal is an answer too.
pub(crate) async fn respond(
    shared: Arc<Shared>,
    link: PeerLink,
    connection: &ConnectionPlace,
    request: Request<Incoming>,
) -> Result<Response<Carried>, Infallible> {
    shared.metrics.requested();
    let under_way = connection.asks();
    let answered = handle(&shared, &link, connection, request).await;
    let mut response = answered.unwrap_or_else(|refusal| {
        shared.metrics.refused(refusal.status.as_u16());
        refusal.into_response()
    });
    if !connection.is_known() && connection.asked_unknown() >= ASKED_UNKNOWN {
        let close = header::HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    Ok(response.map(|body| Carried::new(body, under_way)))
}

async fn handle(
    shared: &Arc<Shared>,
    link: &PeerLink,
    connection: &ConnectionPlace,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refusal> {
    let (parts, body) = request.into_parts();
    shared.admission.admit(&parts)?;
    let route = Route::of(parts.uri.path()).ok_or_else(Refusal::not_found)?;
    match route {
        Route::Health => Ok(text("ok")),
        Route::Ready => match shared.is_draining() {
            true => Err(Refusal::draining()),
            false => Ok(text("ready")),
        },
        Route::Metrics => {
            authenticate(shared, connection, &parts).await?;
            Ok(text(shared.written_metrics()))
        }
        Route::Mcp { workspace, role } => {
            let known = authenticate(shared, connection, &parts).await?;
            let place = shared.place(&known, workspace, role).await?;
            let looking = link.connection().is_new().then(|| look_at(shared, link));
            let answered = dispatch(shared, place, link, &parts, body).await;
            // Beside the work; whoever has its answer may be gone at once.
            if let Some(looking) = looking {
                let _ = looking.await;
            }
            answered
        }
    }
}

/// Has somebody look whose connection this is.
fn look_at(shared: &Shared, link: &PeerLink) -> JoinHandle<()> {
    let (watch, link) = (Arc::clone(&shared.settings.watch), link.clone());
    tokio::spawn(async move { watch.look_at(&link).await })
}

async fn dispatch(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    link: &PeerLink,
    parts: &Parts,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    match parts.method {
        Method::POST => post::post(shared, place, link, parts, body).await,
        Method::GET => legacy::listen(shared, &place, parts),
        Method::DELETE => legacy::end(shared, &place, parts).await,
        _ => Err(Refusal::method_not_allowed()),
    }
}

/// Who calls. From the first that counts on the connection is a known caller's.
async fn authenticate(
    shared: &Shared,
    connection: &ConnectionPlace,
    parts: &Parts,
) -> Result<crate::place::Known, Refusal> {
    let value = parts.headers.get(header::AUTHORIZATION);
    let bearer = value.and_then(|value| bearer_of(value.as_bytes()));
    let known = shared.settings.callers.known(bearer).await;
    let known = known.map_err(|refused| match refused {
        settings::Refused::Missing | settings::Refused::Unknown => Refusal::unauthorized(&refused),
        settings::Refused::Unchecked => Refusal::unavailable(&refused.to_string()),
    })?;
    connection.known().map_err(|_| Refusal::too_many())?;
    Ok(known)
}

fn bearer_of(value: &[u8]) -> Option<&str> {
    let (scheme, token) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn text(words: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::Whole(words.into()));
    let plain = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response
}

/// An answer with nothing in it.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        assert_eq!(bearer_of(b"Bearer abc"), Some("abc"));
        assert_eq!(bearer_of(b"bEARER  abc "), Some("abc"));
        for odd in ["", "Bearer", "Bearer ", "Basic abc", "abc"] {
            assert_eq!(bearer_of(odd.as_bytes()), None, "{odd}");
        }
    }
}
