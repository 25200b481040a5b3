//! HTTP: connections, routes, who is let in, bodies in and out.
//!
//! What a message means is the eras' business.

mod admission;
pub(crate) mod begun_post;
pub(crate) mod body;
mod browsers;
mod cross_origin;
pub(crate) mod event_body;
mod listen;
mod patience;
mod post;
mod refused;
mod route;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, header};
use hyper::body::Incoming;
use tokio::task::JoinHandle;
use toolgate_types::PeerLink;
use tracing::debug;

pub(crate) use admission::OriginCheck;
use body::ResponseBody;
use browsers::login_page;
use cross_origin::{allowed_origin, let_read, preflight};
use route::HttpRoute;

use self::body::TrackedBody;
use crate::connection::ConnectionPlace;
use crate::legacy;
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::state::GatewayState;

/// How often a connection may ask for something before it has shown a token that counts.
const ASKED_UNKNOWN: u32 = 16;

/// Answers one request; a refusal is an answer too.
pub(crate) async fn respond(
    shared: Arc<GatewayState>,
    link: PeerLink,
    connection: &ConnectionPlace,
    request: Request<Incoming>,
) -> Result<Response<TrackedBody>, Infallible> {
    shared.metrics.requested();
    let under_way = connection.asks();
    let (parts, body) = request.into_parts();
    let origin = allowed_origin(&parts, &shared.admission);
    let answered = handle(&shared, &link, connection, (&parts, body), origin.as_ref()).await;
    let mut response = answered.unwrap_or_else(|refusal| {
        let status = refused::status_of(refusal.kind).as_u16();
        // Not its sentence, which may hold words of the request.
        debug!(status, why = ?refusal.kind, "request refused");
        shared.metrics.refused(status);
        refusal.into_response(shared.settings.resource.as_ref())
    });
    if let Some(origin) = origin {
        let_read(&mut response, origin);
    }
    if !connection.is_known() && connection.asked_unknown() >= ASKED_UNKNOWN {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    Ok(response.map(|body| TrackedBody::new(body, under_way)))
}

async fn handle(
    shared: &Arc<GatewayState>,
    link: &PeerLink,
    connection: &ConnectionPlace,
    (parts, body): (&Parts, Incoming),
    origin: Option<&HeaderValue>,
) -> Result<Response<ResponseBody>, RequestRefusal> {
    shared.admission.admit(parts)?;
    if let Some(answer) = preflight(parts, origin) {
        return Ok(answer);
    }
    if let Some(document) = resource_document(shared, parts) {
        return Ok(body::json(document));
    }
    if let Some(page) = login_page(shared, parts).await {
        return Ok(page);
    }
    let route = HttpRoute::of(parts.uri.path()).ok_or_else(RequestRefusal::not_found)?;
    match route {
        HttpRoute::Health => Ok(text("ok")),
        HttpRoute::Ready => match shared.is_draining() {
            true => Err(RequestRefusal::draining()),
            false => Ok(text("ready")),
        },
        HttpRoute::Metrics => {
            let known = authenticate(shared, connection, parts).await?;
            // They tell which servers there are, which a subject's role may hide.
            if known.acts_in_first_role && known.roles.is_some() {
                return Err(RequestRefusal::not_found());
            }
            Ok(text(shared.written_metrics()))
        }
        HttpRoute::Mcp { workspace, address } => {
            let known = authenticate(shared, connection, parts).await?;
            // Beside the work, of which the first caller's is to make the host.
            let looking = link.connection().is_new().then(|| look_at(shared, link));
            let answered = match shared.place(&known, workspace, address).await {
                Ok(place) => dispatch(shared, place, link, parts, body).await,
                Err(none) => Err(none.into()),
            };
            let answered = answered.map(|response| body::ending_at(response, known.until));
            // Whoever has its answer may be gone at once.
            if let Some(looking) = looking {
                let _ = looking.await;
            }
            answered
        }
    }
}

/// What clients are told that have to log in elsewhere, where that is what is asked for. Nobody has to be
/// known for it.
fn resource_document(shared: &GatewayState, parts: &Parts) -> Option<Bytes> {
    let resource = shared.settings.resource.as_ref()?;
    let about = resource.about(parts.uri.path())?;
    let is_there = about.is_empty() || matches!(HttpRoute::of(about), Some(HttpRoute::Mcp { .. }));
    (is_there && parts.method == Method::GET).then(|| resource.document())
}

/// Has somebody look whose connection this is.
fn look_at(shared: &GatewayState, link: &PeerLink) -> JoinHandle<()> {
    let (watch, link) = (Arc::clone(&shared.settings.watch), link.clone());
    tokio::spawn(async move { watch.look_at(&link).await })
}

async fn dispatch(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    link: &PeerLink,
    parts: &Parts,
    body: Incoming,
) -> Result<Response<ResponseBody>, RequestRefusal> {
    match parts.method {
        Method::POST => post::post(shared, place, link, parts, body).await,
        Method::GET => legacy::listen(shared, &place, parts),
        // Boxed: rare, and no request should carry the room for it.
        Method::DELETE => Box::pin(legacy::end(shared, &place, parts)).await,
        _ => Err(RequestRefusal::method_not_allowed()),
    }
}

/// Who calls. From the first that counts on the connection is a known caller's.
async fn authenticate(
    shared: &GatewayState,
    connection: &ConnectionPlace,
    parts: &Parts,
) -> Result<crate::known_caller::KnownCaller, RequestRefusal> {
    let value = parts.headers.get(header::AUTHORIZATION);
    let bearer = value.and_then(|value| bearer_of(value.as_bytes()));
    let callers = &shared.settings.callers;
    let known = match callers.known_already(bearer) {
        Some(known) => known,
        None => callers.known(bearer).await?,
    };
    connection.known().map_err(|_| RequestRefusal::too_many())?;
    Ok(known)
}

fn bearer_of(value: &[u8]) -> Option<&str> {
    let (scheme, token) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn text(words: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Whole(words.into()));
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
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
