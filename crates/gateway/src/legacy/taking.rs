//! A request of the older era, read and ready to be carried out.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_types::Era;
use toolgate_wire::{IdBuf, Request};

use crate::asking::InSession;
use crate::gateway::Shared;
use crate::request::{Asked, Beside};
use crate::respond;
use crate::serving::Seat;
use crate::session::{Session, UnderWay};
use crate::work::{Outlet, Reply, Work};

/// Such a request.
pub(crate) struct Taken {
    session: Arc<Session>,
    id: IdBuf,
    asked: Asked,
    beside: Beside,
    list_ttl: u64,
}

impl Taken {
    /// The request, or at once the answer that says why it cannot be carried out.
    pub(crate) fn of(
        shared: &Shared,
        session: &Arc<Session>,
        request: &Request<'_>,
    ) -> Result<Self, Vec<u8>> {
        let id = request.id.to_buf();
        let unanswerable = |error| respond::unanswerable(&id, &error);
        let asked = Asked::of(request).map_err(unanswerable)?;
        let beside = Beside::of(request).map_err(unanswerable)?;
        let (session, list_ttl) = (Arc::clone(session), shared.list_ttl());
        Ok(Self { session, id, asked, beside, list_ttl })
    }

    pub(crate) fn id(&self) -> &IdBuf {
        &self.id
    }

    /// From now on it can be cancelled.
    pub(crate) fn begin(&self) -> UnderWay {
        self.session.requests.begin(self.id.clone())
    }

    /// The answer to come. No future around another one: each copies what it holds.
    pub(crate) fn carry_out(
        self,
        cancel: CancellationToken,
        outlet: Outlet,
    ) -> impl Future<Output = Reply> + Send + 'static {
        let Self { session, id, asked, beside, list_ttl } = self;
        let asker = InSession { session: Arc::clone(&session), outlet: outlet.clone() };
        let seat = Seat {
            place: Arc::clone(&session.place),
            era: Era::Legacy,
            id,
            caller: Arc::clone(&session.caller),
            capabilities: session.relayed.clone(),
            asker: Arc::new(asker),
            askable: session.askable,
            session: Some(session),
            beside,
            cancel,
            outlet,
            list_ttl,
        };
        seat.answer(asked)
    }

    /// As work whose answer, and whatever is said before it, are fetched.
    pub(super) fn into_work(self) -> Work {
        Work::new(move |outlet| async move {
            let under_way = self.begin();
            self.carry_out(under_way.cancel.clone(), outlet).await
        })
    }
}
