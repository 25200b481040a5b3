//! A request of the modern era, read and ready to be carried out.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio_util::sync::CancellationToken;
use toolgate_types::{Era, Requester, SessionOverrides};
use toolgate_wire::meta::{MetaError, RequestMeta};
use toolgate_wire::{ErrorCode, MessageIdBuf, ProtocolRevision, RawObject, Request, method};

use super::supported;
use crate::client_abilities::{ElicitationSupport, relayed, shown_client, takes_tasks};
use crate::client_questions::AskByRetry;
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::request::{ClientRequest, RequestExtras, Unanswerable, session_overrides};
use crate::serve::RequestContext;
use crate::state::GatewayState;
use crate::work::{ClientOutlet, ReplyFuture};

/// What a request says of its client.
pub(crate) struct ClientClaims {
    pub(super) askable: ElicitationSupport,
    pub(super) takes_tasks: bool,
    pub(super) capabilities: Option<Arc<RawValue>>,
    client: Option<String>,
    /// It is no session, so each request says it.
    overrides: Option<Arc<SessionOverrides>>,
}

/// What is spoken, for who asked for something else.
#[derive(Serialize)]
struct Unsupported<'a> {
    supported: Vec<&'static str>,
    requested: &'a str,
}

impl ClientClaims {
    /// What a request must say of itself, that whatever came with it says the same, and that its
    /// version is spoken here, in this order. With it what was read for that.
    pub(crate) fn of<'r>(
        request: &Request<'r>,
        agree: impl FnOnce(&RequestMeta<'r>) -> Result<(), RequestRefusal>,
    ) -> Result<(Self, RequestMeta<'r>), RequestRefusal> {
        let unfit =
            |error: MetaError| RequestRefusal::bad_request(ErrorCode::INVALID_PARAMS, error);
        let meta = RequestMeta::of_request(request).map_err(unfit)?;
        let modern = meta.modern().map_err(unfit)?;
        agree(&meta)?;
        if modern.protocol_version != ProtocolRevision::NEWEST.as_str() {
            let requested = modern.protocol_version.as_ref();
            let data = Unsupported { supported: supported(), requested };
            let why = "this version of the protocol is not spoken here";
            return Err(RequestRefusal::bad_request(ErrorCode::UNSUPPORTED_VERSION, why)
                .with_data(to_raw_value(&data).ok()));
        }
        let info = meta.client_info.and_then(|raw| RawObject::parse(raw).ok());
        let client = info.as_ref().and_then(|info| info.text("name"));
        let overrides = session_overrides(meta.object.as_ref())
            .map_err(|error| RequestRefusal::bad_request(ErrorCode::INVALID_PARAMS, error))?;
        let capabilities = Some(&modern.client_capabilities);
        let says = Self {
            overrides,
            askable: ElicitationSupport::of(capabilities),
            takes_tasks: takes_tasks(capabilities),
            capabilities: relayed(capabilities, Era::Modern),
            client: client.map(|name| shown_client(&name)),
        };
        Ok((says, meta))
    }
}

/// A request and who makes it.
pub(crate) struct ModernRequest {
    id: MessageIdBuf,
    asked: ClientRequest,
    beside: RequestExtras,
    says: ClientClaims,
    list_ttl: u64,
}

impl ModernRequest {
    pub(crate) fn of(
        shared: &GatewayState,
        request: &Request<'_>,
        (says, meta): (ClientClaims, RequestMeta<'_>),
    ) -> Result<Self, Unanswerable> {
        // These went with the sessions they belong to.
        let is_gone = matches!(
            &*request.method,
            method::PING
                | method::LOGGING_SET_LEVEL
                | method::RESOURCES_SUBSCRIBE
                | method::RESOURCES_UNSUBSCRIBE
                | method::INITIALIZE
        );
        if is_gone {
            return Err(Unanswerable::unknown_method());
        }
        let (asked, beside) = (ClientRequest::of(request)?, RequestExtras::beside(request, meta)?);
        Ok(Self { id: request.id.to_buf(), asked, beside, says, list_ttl: shared.list_ttl() })
    }

    /// The answer to come. A connection that it is made on is a session, as far as records and
    /// approvals go.
    pub(crate) fn carry_out(
        self,
        place: Arc<CallerPlace>,
        connection: Option<&str>,
        requester: Requester,
        cancel: Option<CancellationToken>,
        outlet: ClientOutlet,
    ) -> ReplyFuture {
        let Self { id, asked, beside, says, list_ttl } = self;
        let askable = says.askable;
        let from = (requester, says.overrides);
        let caller = place.caller(Era::Modern, connection, says.client, from);
        let (whose, whither) = (Arc::clone(&caller), Arc::clone(&place));
        let seat = RequestContext {
            era: Era::Modern,
            id,
            caller,
            place,
            session: None,
            asker: Arc::new(AskByRetry { askable, place: whither, caller: whose }),
            askable,
            takes_tasks: says.takes_tasks,
            capabilities: says.capabilities,
            beside,
            cancel,
            outlet,
            takes_length: true,
            list_ttl,
        };
        seat.answer(asked)
    }
}
