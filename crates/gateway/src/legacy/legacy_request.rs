//! A request of the older era, read and ready to be carried out.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_types::Era;
use toolgate_wire::{MessageIdBuf, Request};

use crate::client_questions::AskInSession;
use crate::request::{ClientRequest, RequestExtras, Unanswerable};
use crate::respond;
use crate::serve::RequestContext;
use crate::session::{ClientSession, RequestGuard};
use crate::state::GatewayState;
use crate::work::{ClientOutlet, ReplyFuture, RequestWork};

/// Such a request.
pub(crate) struct LegacyRequest {
    session: Arc<ClientSession>,
    id: MessageIdBuf,
    asked: ClientRequest,
    beside: RequestExtras,
    takes_length: bool,
    list_ttl: u64,
}

impl LegacyRequest {
    /// The request, or at once the answer that says why it cannot be carried out.
    pub(crate) fn of(
        shared: &GatewayState,
        session: &Arc<ClientSession>,
        request: &Request<'_>,
    ) -> Result<Self, Vec<u8>> {
        let id = request.id.to_buf();
        let unanswerable = |error| respond::unanswerable(&id, &error);
        let asked = match ClientRequest::of(request).map_err(unanswerable)? {
            // They came with the modern era; those of an older revision are not carried.
            ClientRequest::Task { .. } => return Err(unanswerable(Unanswerable::unknown_method())),
            asked => asked,
        };
        let beside = RequestExtras::of(request).map_err(unanswerable)?;
        let (session, list_ttl) = (Arc::clone(session), shared.list_ttl());
        Ok(Self { session, id, asked, beside, takes_length: true, list_ttl })
    }

    /// The same for who sends its answer in one piece.
    pub(super) fn answered_whole(self) -> Self {
        Self { takes_length: false, ..self }
    }

    pub(crate) fn id(&self) -> &MessageIdBuf {
        &self.id
    }

    /// From now on it can be cancelled.
    pub(crate) fn begin(&self) -> RequestGuard {
        self.session.requests.begin(self.id.clone())
    }

    /// The answer to come.
    pub(crate) fn carry_out(self, cancel: CancellationToken, outlet: ClientOutlet) -> ReplyFuture {
        let Self { session, id, asked, beside, takes_length, list_ttl } = self;
        let asker = AskInSession { session: Arc::clone(&session), outlet: outlet.clone() };
        let seat = RequestContext {
            place: Arc::clone(&session.place),
            era: Era::Legacy,
            id,
            caller: Arc::clone(&session.caller),
            capabilities: session.relayed.clone(),
            asker: Arc::new(asker),
            askable: session.askable,
            takes_tasks: false,
            session: Some(session),
            beside,
            cancel: Some(cancel),
            outlet,
            takes_length,
            list_ttl,
        };
        seat.answer(asked)
    }

    /// As work whose answer, and whatever is said before it, are fetched.
    pub(super) fn into_work(self) -> RequestWork {
        let under_way = self.begin();
        let cancel = under_way.cancel.clone();
        RequestWork::cancelled_by(under_way, |outlet| self.carry_out(cancel, outlet))
    }
}
