//! Events on their way to a client.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::sync::mpsc;
use tracing::warn;

use crate::long_reply::{LongReading, LongReplyEvent};

/// Events, written as soon as they come. Dropping it tells whoever sends that nobody reads.
#[derive(Debug)]
pub(crate) struct EventBody {
    pub(crate) events: mpsc::Receiver<StreamEvent>,
    /// The one that is being read.
    long: Option<(Arc<LongReplyEvent>, LongReading)>,
}

/// One event.
#[derive(Debug, Clone)]
pub(crate) enum StreamEvent {
    Short(Bytes),
    Long(Arc<LongReplyEvent>),
}

impl StreamEvent {
    /// How much of it is in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::Short(bytes) => bytes.len(),
            Self::Long(event) => event.held_bytes(),
        }
    }
}

impl From<Bytes> for StreamEvent {
    fn from(bytes: Bytes) -> Self {
        Self::Short(bytes)
    }
}

impl EventBody {
    pub(crate) fn new(events: mpsc::Receiver<StreamEvent>) -> Self {
        Self { events, long: None }
    }

    pub(super) fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some((event, reading)) = &mut self.long {
                match ready!(reading.poll_next(context)) {
                    Some(Ok(bytes)) => return Poll::Ready(Some(bytes)),
                    // Who does not see its end does not take it for one.
                    Some(Err(error)) => return Poll::Ready(broke_off(&error)),
                    None => event.let_go(),
                }
                self.long = None;
            }
            match ready!(self.events.poll_recv(context)) {
                None => return Poll::Ready(None),
                Some(StreamEvent::Short(bytes)) => return Poll::Ready(Some(bytes)),
                Some(StreamEvent::Long(event)) => {
                    self.long = event.read().map(|reading| (event, reading));
                }
            }
        }
    }
}

/// The rest of a message cannot be had: what was sent of it stays without an end.
pub(super) fn broke_off(error: &std::io::Error) -> Option<Bytes> {
    warn!(%error, "a long result could not be read to its end");
    None
}
