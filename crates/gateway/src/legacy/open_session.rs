//! `initialize`: a new session, however its client is connected.

use std::sync::Arc;

use toolgate_types::{Era, SessionId};
use toolgate_wire::{
    ErrorCode, ObjectSplice, ProtocolRevision, RawObject, Request, SpliceValue, meta,
};
use tracing::debug;

use super::finish;
use crate::client_abilities::shown_client;
use crate::hub::NewsListener;
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::request::session_overrides;
use crate::respond::{self, SERVER_INFO};
use crate::serve::{CAPABILITIES, instructions};
use crate::session::{ClientSession, SessionParts};
use crate::state::GatewayState;

/// The session and the answer to its client.
pub(crate) fn open(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    request: &Request<'_>,
    way: SessionParts,
) -> Result<(Arc<ClientSession>, Vec<u8>), RequestRefusal> {
    let id = request.id.to_buf();
    let refuse = |why: &str| {
        RequestRefusal::bad_request(ErrorCode::INVALID_PARAMS, why).to(Some(request.id.to_buf()))
    };
    if shared.is_draining() {
        return Err(RequestRefusal::draining().to(Some(id)));
    }
    let params = request.params.as_ref().ok_or_else(|| refuse("`params` is missing"))?;
    let version = params.text("protocolVersion");
    let version = version.ok_or_else(|| refuse("`params.protocolVersion` must be a string"))?;
    // One that is not known here is answered with the newest that is; the client decides then.
    let revision = version.parse::<ProtocolRevision>().ok().filter(|one| one.era() == Era::Legacy);
    let revision = revision.unwrap_or(ProtocolRevision::NEWEST_LEGACY);
    let info = params.get_some("clientInfo").and_then(|raw| RawObject::parse(raw).ok());
    let client = info.as_ref().and_then(|info| info.text("name"));
    let client = client.map(|name| shown_client(&name));
    let capabilities = params.get_some("capabilities");
    let own = params.get_some(meta::META).and_then(|raw| RawObject::parse(raw).ok());
    let overrides = session_overrides(own.as_ref()).map_err(|error| refuse(&error.to_string()))?;
    let says = (client, overrides);
    let session = ClientSession::new(way, Arc::clone(&place), revision, capabilities, says);
    let session = Arc::new(session);
    let over = shared.sessions.insert(Arc::clone(&session));
    let over =
        over.map_err(|_| RequestRefusal::unavailable("too many sessions").to(Some(id.clone())))?;
    let shown = session.caller.session.as_ref().map(SessionId::shown);
    debug!(session = shown, era = "legacy", revision = revision.as_str(), "session opened");
    if let Some(old) = over {
        debug!(
            session = old.caller.session.as_ref().map(SessionId::shown),
            "idle session makes room"
        );
        tokio::spawn(async move { finish(&old).await });
    }
    place.served.welcome();
    let heard = Arc::downgrade(&session);
    place.served.hub.join(heard as std::sync::Weak<dyn NewsListener>);
    place.served.tell_newcomers_log_level();
    // Who lists once, and does it next, waits for what was never listed: it starts meanwhile.
    if session.lists_once() {
        place.served.host.warm_at(place.address());
    }
    let words = instructions(&place);
    let mut result = ObjectSplice::new();
    result
        .set("protocolVersion", SpliceValue::text(revision.as_str()))
        .set("capabilities", SpliceValue::Raw(&CAPABILITIES))
        .set("serverInfo", SpliceValue::Raw(&SERVER_INFO));
    if let Some(words) = &words {
        result.set("instructions", SpliceValue::text(words));
    }
    let unwritten = |_| RequestRefusal::unavailable("the answer could not be written");
    let answer = respond::plain(&id, &result.to_raw().map_err(unwritten)?);
    Ok((session, answer))
}
