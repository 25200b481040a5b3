//! A request of the modern era, read and ready to be carried out.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio_util::sync::CancellationToken;
use toolgate_types::{Era, Requester, visible};
use toolgate_wire::meta::{Meta, MetaError};
use toolgate_wire::{ErrorCode, IdBuf, RawObject, Request, Revision, method};

use super::supported;
use crate::asking::{Askable, ByRetry, relayed};
use crate::gateway::Shared;
use crate::http::Refusal;
use crate::place::Place;
use crate::request::{Asked, Beside, Unanswerable};
use crate::serving::Seat;
use crate::work::{Outlet, Reply};

/// What a request says of its client.
pub(crate) struct Says {
    askable: Askable,
    capabilities: Option<Arc<RawValue>>,
    client: Option<String>,
}

/// What is spoken, for who asked for something else.
#[derive(Serialize)]
struct Unsupported<'a> {
    supported: Vec<&'static str>,
    requested: &'a str,
}

impl Says {
    /// What a request must say of itself, that whatever came with it says the same, and that its
    /// version is spoken here, in this order.
    pub(crate) fn of(
        request: &Request<'_>,
        agree: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let unfit = |error: MetaError| Refusal::bad_request(ErrorCode::INVALID_PARAMS, error);
        let meta = Meta::of(request.params.as_ref()).map_err(unfit)?;
        let modern = meta.modern().map_err(unfit)?;
        agree()?;
        if modern.protocol_version != Revision::NEWEST.as_str() {
            let requested = modern.protocol_version.as_ref();
            let data = Unsupported { supported: supported(), requested };
            let why = "this version of the protocol is not spoken here";
            return Err(Refusal::bad_request(ErrorCode::UNSUPPORTED_VERSION, why)
                .with_data(to_raw_value(&data).ok()));
        }
        let info = meta.client_info.and_then(|raw| RawObject::parse(raw).ok());
        let client = info.as_ref().and_then(|info| info.text("name"));
        Ok(Self {
            askable: Askable::of(meta.client_capabilities),
            capabilities: relayed(meta.client_capabilities),
            client: client.map(|name| visible(&name.chars().take(64).collect::<String>())),
        })
    }
}

/// A request and who makes it.
pub(crate) struct Taken {
    id: IdBuf,
    asked: Asked,
    beside: Beside,
    says: Says,
    list_ttl: u64,
}

impl Taken {
    pub(crate) fn of(
        shared: &Shared,
        request: &Request<'_>,
        says: Says,
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
        let (asked, beside) = (Asked::of(request)?, Beside::of(request)?);
        Ok(Self { id: request.id.to_buf(), asked, beside, says, list_ttl: shared.list_ttl() })
    }

    /// The answer to come. A connection that it is made on is a session, as far as records and
    /// approvals go.
    pub(crate) fn carry_out(
        self,
        place: Arc<Place>,
        connection: Option<&str>,
        requester: Requester,
        cancel: CancellationToken,
        outlet: Outlet,
    ) -> impl Future<Output = Reply> + Send + use<> {
        let Self { id, asked, beside, says, list_ttl } = self;
        let askable = says.askable;
        let caller = place.caller(Era::Modern, connection, says.client.as_deref(), requester);
        let (whose, whither) = (Arc::clone(&caller), Arc::clone(&place));
        let seat = Seat {
            era: Era::Modern,
            id,
            caller,
            place,
            session: None,
            asker: Arc::new(ByRetry { askable, place: whither, caller: whose }),
            askable,
            capabilities: says.capabilities,
            beside,
            cancel,
            outlet,
            list_ttl,
        };
        seat.answer(asked)
    }
}
