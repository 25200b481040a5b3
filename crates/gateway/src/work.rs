//! A request being carried out: its answer alone if nothing is said before it, else a stream of
//! events that ends with it.

use std::pin::Pin;

use tokio::sync::mpsc;
use toolgate_types::{QueueRoom, QuietReceiver, QuietSender, quiet_queue};
use toolgate_wire::ErrorCode;

use crate::reply_message::{LineMessage, ReplyMessage};
use crate::session::RequestGuard;

/// How many messages of one request may lie unsent.
const UNSENT: usize = 64;

/// The state of a request is copied once on its way to the heap, and grows unseen with every layer
/// that takes a future by value.
const LARGEST_STATE: usize = 12 * 1024;

/// What is said to a client besides the answer to its request.
#[derive(Debug, Clone)]
pub(crate) enum ClientOutlet {
    /// On the request's own stream. Most end with nothing said.
    Stream(QuietSender<Vec<u8>>),
    /// On the line that all of its requests share, of which so much room is left to what matters more.
    Line { queue: mpsc::Sender<LineMessage>, kept_free: usize },
}

/// Room for one message.
pub(crate) enum OutletRoom<'a> {
    Stream(QueueRoom<'a, Vec<u8>>),
    Line(mpsc::Permit<'a, LineMessage>),
}

impl ClientOutlet {
    /// Something that may be missed: a client that does not read costs nobody anything.
    pub(crate) fn mention(&self, message: Vec<u8>) {
        match self {
            Self::Stream(queue) => drop(queue.try_send(message)),
            Self::Line { queue, kept_free } if queue.capacity() > *kept_free => {
                let _ = queue.try_send(message.into());
            }
            Self::Line { .. } => {}
        }
    }

    /// Room for something that has to arrive, once there is some; nothing where nobody is left to hear it.
    /// Whoever waits for it can do something else meanwhile.
    pub(crate) async fn room(&self) -> Option<OutletRoom<'_>> {
        match self {
            Self::Stream(queue) => queue.room().await.map(OutletRoom::Stream),
            Self::Line { queue, .. } => queue.reserve().await.ok().map(OutletRoom::Line),
        }
    }

    /// Something that has to arrive; whether it could be sent.
    pub(crate) async fn say(&self, message: Vec<u8>) -> bool {
        match self {
            Self::Stream(queue) => queue.send(message).await,
            Self::Line { queue, .. } => queue.send(message.into()).await.is_ok(),
        }
    }
}

impl OutletRoom<'_> {
    pub(crate) fn send(self, message: Vec<u8>) {
        match self {
            Self::Stream(room) => room.send(message),
            Self::Line(room) => room.send(message.into()),
        }
    }
}

/// The answer to a request: a whole message.
#[derive(Debug)]
pub(crate) struct RequestReply {
    pub(crate) message: ReplyMessage,
    /// The code of an error that HTTP has to tell too.
    pub(crate) refused: Option<ErrorCode>,
}

impl<M: Into<ReplyMessage>> From<M> for RequestReply {
    fn from(message: M) -> Self {
        Self { message: message.into(), refused: None }
    }
}

/// The answer to come.
pub(crate) type ReplyFuture = Pin<Box<dyn Future<Output = RequestReply> + Send>>;

/// Puts the state of a request where it stays. Whatever is wrapped around it later moves a pointer.
///
/// It is made where it stays, too: nearly all of it is room for what comes later, and handed over it would
/// be copied as a whole.
#[inline(always)]
pub(crate) fn boxed_reply<F>(begin: impl FnOnce() -> F) -> ReplyFuture
where
    F: Future<Output = RequestReply> + Send + 'static,
{
    const { assert!(size_of::<F>() <= LARGEST_STATE) };
    let boxed = Box::write(Box::<F>::new_uninit(), begin());
    Box::into_pin(boxed)
}

/// A request under way.
pub(crate) struct RequestWork {
    answering: ReplyFuture,
    said: QuietReceiver<Vec<u8>>,
    /// While it is not answered it can be cancelled, where that is said otherwise than by going away.
    under_way: Option<RequestGuard>,
}

/// How a request went on.
pub(crate) enum RequestProgress {
    /// It is done, and nothing was said before.
    Answered(RequestReply),
    /// Something was said: the first of it, and what is still to come.
    Speaking(Vec<u8>, RequestWork),
}

/// The next thing that happens.
pub(crate) enum NextEvent {
    Said(Vec<u8>),
    Answered(RequestReply),
}

impl RequestWork {
    pub(crate) fn new(carry_out: impl FnOnce(ClientOutlet) -> ReplyFuture) -> Self {
        let (sender, said) = quiet_queue(UNSENT);
        Self { answering: carry_out(ClientOutlet::Stream(sender)), said, under_way: None }
    }

    /// The same of one that can be cancelled by its id.
    pub(crate) fn cancelled_by(
        under_way: RequestGuard,
        carry_out: impl FnOnce(ClientOutlet) -> ReplyFuture,
    ) -> Self {
        Self { under_way: Some(under_way), ..Self::new(carry_out) }
    }

    /// The answer alone. What is said meanwhile is not heard, and who asks learns that nobody is
    /// there to answer.
    pub(crate) async fn answer(self) -> RequestReply {
        let Self { answering, said, under_way: _under_way } = self;
        drop(said);
        answering.await
    }

    /// What was said before the answer is told before it.
    pub(crate) async fn next(&mut self) -> NextEvent {
        tokio::select! {
            biased;
            Some(message) = self.said.recv() => NextEvent::Said(message),
            answer = &mut self.answering => match self.said.try_recv() {
                Some(message) => {
                    self.answering = Box::pin(std::future::ready(answer));
                    NextEvent::Said(message)
                }
                None => {
                    // Its id may be had again by who reads the answer.
                    self.under_way = None;
                    NextEvent::Answered(answer)
                }
            },
        }
    }
}
