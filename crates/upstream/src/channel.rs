//! The way to one server, whatever it is made of.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use toolgate_guard::PendingConsent;
use toolgate_wire::ProtocolRevision;

use crate::failure::RequestError;
use crate::mirrored_headers::MirroredHeaders;
use crate::reply::ServerReply;

/// A message on its way out, with what a transport must know about it.
#[derive(Debug)]
pub(crate) struct OutgoingMessage {
    pub(crate) bytes: Bytes,
    /// The revision this message is written in; none before there is one.
    pub(crate) revision: Option<ProtocolRevision>,
    /// Headers that follow from the message, where the transport has headers.
    pub(crate) headers: MirroredHeaders,
    /// The yes that it rests on, where a person was asked.
    pub(crate) pending: Option<Arc<PendingConsent>>,
}

impl OutgoingMessage {
    pub(crate) fn plain(bytes: Vec<u8>, revision: Option<ProtocolRevision>) -> Self {
        Self { bytes: bytes.into(), revision, headers: MirroredHeaders::None, pending: None }
    }

    /// For whoever writes it, directly before the first byte: a person's no counts until then.
    pub(crate) fn use_consent(&self) -> Result<(), RequestError> {
        match &self.pending {
            Some(pending) => pending.use_up().map_err(|said| RequestError::Withheld(said.into())),
            None => Ok(()),
        }
    }
}

/// One connection to a server. Everything but the answer itself goes to the router.
#[async_trait]
pub(crate) trait ServerChannel: Send + Sync {
    /// Sends a request and waits for its answer, however long that takes.
    async fn call(&self, id: u64, message: OutgoingMessage) -> Result<ServerReply, RequestError>;

    /// Sends something that has no answer.
    async fn send(&self, message: OutgoingMessage) -> Result<(), RequestError>;

    /// Whether dropping a call is noticed by the server, so that it needs no word of it.
    fn drop_cancels(&self) -> bool;

    /// Whether messages travel with headers.
    fn has_headers(&self) -> bool {
        false
    }

    /// Called once the handshake is over: the time for a transport to listen for more.
    fn established(&self, _: ProtocolRevision) {}

    /// How many sessions were begun so far, where there are sessions.
    fn sessions(&self) -> u64 {
        0
    }

    /// Forgets the session that was the `begun`th; `false` if another was begun since.
    fn forget_session(&self, _begun: u64) -> bool {
        false
    }

    /// The process at the other end, where it is one that we started.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// The last lines a local process wrote to its standard error.
    fn stderr_tail(&self) -> Option<String> {
        None
    }

    /// Says goodbye and ends what was started; never takes much longer than the grace.
    async fn close(&self, grace: Duration);
}
