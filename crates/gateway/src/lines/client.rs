//! A client that is connected: what it has under way, and how it is answered.

use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolgate_types::{MovableWork, Requester};
use toolgate_wire::{ErrorCode, MessageIdBuf, MessageLimits, write_error};

use crate::legacy;
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::reply_message::LineMessage;
use crate::session::{ClientSession, RequestGuard, RequestTable};
use crate::state::GatewayState;
use crate::work::{ClientOutlet, ReplyFuture};

/// How much room in the queue is left to answers, questions and news.
const KEPT_FREE: usize = super::UNSENT / 4;

/// How many requests of one client may be under way, those included whose answers it does not read.
const MOST: u32 = 256;

pub(super) struct LineClient {
    pub(super) shared: Arc<GatewayState>,
    pub(super) place: Arc<CallerPlace>,
    pub(super) requester: Requester,
    /// Of its session, and in place of one where it has none. Empty once it has left.
    pub(super) id: Box<str>,
    pub(super) limits: MessageLimits,
    pub(super) queue: mpsc::Sender<LineMessage>,
    pub(super) requests: Arc<RequestTable>,
    pub(super) session: Option<Arc<ClientSession>>,
    room: RequestRoom,
}

/// Room for requests.
#[derive(Clone)]
pub(super) struct RequestRoom(Arc<Semaphore>);

impl RequestRoom {
    /// Waits until nothing is under way. From then on nothing is begun.
    pub(super) async fn all_free(&self) {
        if let Ok(all) = self.0.acquire_many(MOST).await {
            all.forget();
            self.0.close();
        }
    }
}

impl LineClient {
    pub(super) fn new(
        shared: Arc<GatewayState>,
        (place, requester): (Arc<CallerPlace>, Requester),
        id: Box<str>,
        queue: mpsc::Sender<LineMessage>,
        gone: &CancellationToken,
    ) -> Self {
        Self {
            limits: shared.message_limits(),
            shared,
            place,
            requester,
            id,
            queue,
            requests: Arc::new(RequestTable::until(gone.clone())),
            session: None,
            room: RequestRoom(Arc::new(Semaphore::new(MOST as usize))),
        }
    }

    pub(super) fn room(&self) -> RequestRoom {
        self.room.clone()
    }

    /// It says nothing more. What it had is given up whole: a server that is told half of it would
    /// stay subscribed to.
    pub(super) fn leave(&mut self) -> Option<JoinHandle<()>> {
        let id = std::mem::take(&mut self.id);
        let runtime = Handle::try_current().ok().filter(|_| !id.is_empty())?;
        let (session, place) = (self.session.take(), Arc::clone(&self.place));
        self.shared.sessions.remove(&id);
        Some(runtime.spawn(async move {
            match session {
                Some(session) => legacy::finish(&session).await,
                None => place.end_session(&id).await,
            }
        }))
    }

    /// Says something that has to arrive. A client that does not read is not listened to either.
    pub(super) async fn say(&self, message: Vec<u8>) {
        let _ = self.queue.send(message.into()).await;
    }

    pub(super) async fn refuse(&self, refusal: RequestRefusal) {
        self.say(refusal.written()).await;
    }

    /// A place for one more request, or why there is none.
    pub(super) fn admit(&self, id: &MessageIdBuf) -> Result<OwnedSemaphorePermit, RequestRefusal> {
        if self.shared.is_draining() {
            return Err(RequestRefusal::draining().to(Some(id.clone())));
        }
        Arc::clone(&self.room.0).try_acquire_owned().map_err(|_| {
            let why = "too many requests of this client are under way";
            RequestRefusal::unavailable(why).to(Some(id.clone()))
        })
    }

    /// Where a request says what it has to say before its answer.
    pub(super) fn outlet(&self) -> ClientOutlet {
        ClientOutlet::Line { queue: self.queue.clone(), kept_free: KEPT_FREE }
    }

    /// Carries a request out beside all others. Only itself waits where its client does not read.
    pub(super) fn carry_out(
        &self,
        permit: OwnedSemaphorePermit,
        id: MessageIdBuf,
        under_way: RequestGuard,
        work: ReplyFuture,
    ) {
        let owed = OwedAnswer { id: Some(id), queue: self.queue.clone() };
        tokio::spawn(MovableWork::new(async move {
            let reply = work.await;
            let is_given_up = under_way.is_given_up();
            // Once the answer is out, the id may be used again.
            drop(under_way);
            owed.pay((!is_given_up).then(|| reply.message.line())).await;
            drop(permit);
        }));
    }
}

/// However the conversation ends, also where nobody waits for its end.
impl Drop for LineClient {
    fn drop(&mut self) {
        self.leave();
    }
}

/// An answer that is owed: whoever fails to give it at least says so.
struct OwedAnswer {
    id: Option<MessageIdBuf>,
    queue: mpsc::Sender<LineMessage>,
}

impl OwedAnswer {
    /// `None` where it is not wanted any more.
    async fn pay(mut self, answer: Option<LineMessage>) {
        self.id = None;
        if let Some(answer) = answer {
            let _ = self.queue.send(answer).await;
        }
    }
}

impl Drop for OwedAnswer {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let mut message = Vec::new();
            let (code, why) = (ErrorCode::INTERNAL_ERROR, "the request failed within the gateway");
            write_error::<RawValue>(&mut message, Some(id.as_id()), code, why, None);
            let _ = self.queue.try_send(message.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_that_fails_within_is_answered_and_one_that_is_not_wanted_is_not() {
        let (queue, mut unsent) = mpsc::channel(4);
        let owed = |id: u64| OwedAnswer { id: Some(id.into()), queue: queue.clone() };
        owed(1).pay(None).await;
        owed(2).pay(Some(b"answer".to_vec().into())).await;
        drop(owed(3));
        let mut told = || match unsent.try_recv() {
            Ok(LineMessage::Written(line)) => String::from_utf8(line).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(), "answer");
        let failed = told();
        assert!(failed.contains(r#""id":3,"error":{"code":-32603"#), "{failed}");
        assert!(unsent.try_recv().is_err());
    }
}
