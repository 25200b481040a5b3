//! `initialize`: a new session, however its client is connected.

use std::sync::Arc;

use toolgate_types::{Era, visible};
use toolgate_wire::{ErrorCode, RawObject, Request, Revision, Splice, Value};

use super::finish;
use crate::gateway::Shared;
use crate::http::Refusal;
use crate::hub::Hears;
use crate::place::Place;
use crate::respond::{self, SERVER_INFO};
use crate::serving::{CAPABILITIES, instructions};
use crate::session::{Session, Way};

/// The session and the answer to its client.
pub(crate) fn open(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    request: &Request<'_>,
    way: Way,
) -> Result<(Arc<Session>, Vec<u8>), Refusal> {
    let id = request.id.to_buf();
    let refuse = |why: &str| {
        Refusal::bad_request(ErrorCode::INVALID_PARAMS, why).to(Some(request.id.to_buf()))
    };
    if shared.is_draining() {
        return Err(Refusal::draining().to(Some(id)));
    }
    let params = request.params.as_ref().ok_or_else(|| refuse("`params` is missing"))?;
    let version = params.text("protocolVersion");
    let version = version.ok_or_else(|| refuse("`params.protocolVersion` must be a string"))?;
    // One that is not known here is answered with the newest that is; the client decides then.
    let revision = version.parse::<Revision>().ok().filter(|one| one.era() == Era::Legacy);
    let revision = revision.unwrap_or(Revision::NEWEST_LEGACY);
    let info = params.get_some("clientInfo").and_then(|raw| RawObject::parse(raw).ok());
    let client = info.as_ref().and_then(|info| info.text("name"));
    let client = client.map(|name| visible(&name.chars().take(64).collect::<String>()));
    let capabilities = params.get_some("capabilities");
    let session = Session::new(way, Arc::clone(&place), revision, capabilities, client);
    let session = Arc::new(session);
    let over = shared.sessions.insert(Arc::clone(&session));
    let over = over.map_err(|_| Refusal::unavailable("too many sessions").to(Some(id.clone())))?;
    if let Some(old) = over {
        tokio::spawn(async move { finish(&old).await });
    }
    let heard = Arc::downgrade(&session);
    place.served.hub.join(heard as std::sync::Weak<dyn Hears>);
    let words = instructions(&place.served, &place.audience.address);
    let mut result = Splice::new();
    result
        .set("protocolVersion", Value::text(revision.as_str()))
        .set("capabilities", Value::Raw(&CAPABILITIES))
        .set("serverInfo", Value::Raw(&SERVER_INFO));
    if let Some(words) = &words {
        result.set("instructions", Value::text(words));
    }
    let unwritten = |_| Refusal::unavailable("the answer could not be written");
    let answer = respond::plain(&id, &result.to_raw().map_err(unwritten)?);
    Ok((session, answer))
}
