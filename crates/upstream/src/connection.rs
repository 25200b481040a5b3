//! A connection to one server: requests with time limits, notifications, an orderly end.
//!
//! It keeps no catalog, restarts no server and decides nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::Instant;
use toolgate_guard::{AllowEverything, PendingConsent};
use toolgate_types::QuietSender;
use toolgate_types::config::ServerTimeouts;
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{Era, ObjectSplice, ProtocolRevision, RawObject, method, write_notification};

use crate::attendant::Attendant;
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::{ConnectError, RequestError};
use crate::handshake::{Introduction, ServerHandshake};
use crate::patience::RequestPatience;
use crate::reply::ServerReply;
use crate::router::MessageRouter;
use crate::send::RequestSending;
use crate::server_remark::ServerRemark;

/// For every request that is no call of an annotated tool.
pub(crate) static NOTHING_MIRRORED: ParamHeaders = ParamHeaders::NONE;

/// A request on its way to a server.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingRequest<'a> {
    pub method: &'a str,
    pub params: Option<&'a RawObject<'a>>,
    /// Without a sign of life for this long, it is given up.
    pub timeout: Duration,
    /// Signs of life do not stretch it beyond this.
    pub ceiling: Duration,
    /// The parameters that the called tool wants mirrored into headers.
    pub annotated: &'a ParamHeaders,
}

/// A request as it is sent, and sent again where that is allowed.
#[derive(Clone)]
pub(crate) struct SentRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a ObjectSplice<'a>,
    pub(crate) patience: RequestPatience,
    pub(crate) annotated: &'a ParamHeaders,
    /// The tool, where it is the call of one.
    pub(crate) called: Option<&'a str>,
    pub(crate) attendant: Option<Attendant>,
    /// The yes that it rests on, where a person was asked.
    pub(crate) pending: Option<Arc<PendingConsent>>,
}

/// An open connection.
pub struct UpstreamConnection {
    wiring: ConnectionWiring,
    handshake: ServerHandshake,
    /// Held by the one request that begins a new session for all.
    renewing: Mutex<()>,
    /// A new session was begun in place of one that the server forgot.
    renewed: Arc<Notify>,
}

impl std::fmt::Debug for UpstreamConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let revision = self.handshake.revision;
        f.debug_struct("UpstreamConnection").field("revision", &revision).finish_non_exhaustive()
    }
}

/// What a connection is built from before it knows what the server is.
pub(crate) struct ConnectionWiring {
    pub(crate) channel: Arc<dyn ServerChannel>,
    pub(crate) router: Arc<MessageRouter>,
    pub(crate) introduction: Introduction,
    pub(crate) next_id: Arc<AtomicU64>,
    pub(crate) timeouts: ServerTimeouts,
}

impl ConnectionWiring {
    pub(crate) fn establish(self, handshake: ServerHandshake) -> UpstreamConnection {
        self.router.agree(handshake.revision);
        self.channel.established(handshake.revision);
        UpstreamConnection {
            wiring: self,
            handshake,
            renewing: Mutex::new(()),
            renewed: Arc::default(),
        }
    }

    pub(crate) fn agree(&self, revision: ProtocolRevision) {
        self.router.agree(revision);
    }

    /// One request of the handshake, in the era that is being tried.
    pub(crate) async fn ask<'p>(
        &'p self,
        revision: Option<ProtocolRevision>,
        method: &'p str,
        params: ObjectSplice<'p>,
        timeout: Duration,
    ) -> Result<Box<RawValue>, RequestError> {
        let ask = RequestSending {
            channel: &self.channel,
            router: &self.router,
            introduction: &self.introduction,
            revision,
            annotated: &NOTHING_MIRRORED,
            called: None,
            attendant: None,
            pending: None,
            id: self.next_id.fetch_add(1, Ordering::Relaxed),
        };
        let patience = RequestPatience::Limited { timeout, ceiling: timeout };
        ask.run(method, &params, patience, None).await?.into_result()
    }

    /// The older handshake.
    pub(crate) async fn initialize(
        &self,
        limit: Duration,
    ) -> Result<ServerHandshake, ConnectError> {
        let params = self.introduction.initialize();
        let result = self.ask(None, method::INITIALIZE, params, limit).await?;
        let handshake = ServerHandshake::of_initialize(&result)?;
        self.agree(handshake.revision);
        self.notify(method::INITIALIZED, handshake.revision).await?;
        Ok(handshake)
    }

    pub(crate) async fn notify(
        &self,
        method: &str,
        revision: ProtocolRevision,
    ) -> Result<(), RequestError> {
        let mut bytes = Vec::new();
        write_notification::<RawValue>(&mut bytes, method, None);
        self.channel.send(OutgoingMessage::plain(bytes, Some(revision))).await
    }
}

impl UpstreamConnection {
    pub fn handshake(&self) -> &ServerHandshake {
        &self.handshake
    }

    /// The process at the other end, where it is one that we started.
    pub fn pid(&self) -> Option<u32> {
        self.wiring.channel.pid()
    }

    /// The last lines a local process wrote to its standard error.
    pub fn stderr_tail(&self) -> Option<String> {
        self.wiring.channel.stderr_tail()
    }

    /// Why the connection is over, if it is.
    pub fn ended(&self) -> Option<String> {
        self.wiring.router.pending.closed()
    }

    pub(crate) fn is_modern_with_headers(&self) -> bool {
        self.handshake.era() == Era::Modern && self.wiring.channel.has_headers()
    }

    /// Whether the server asked something that could be about any of several operations: then they
    /// have to come one after another.
    pub(crate) fn is_confused(&self) -> bool {
        self.wiring.router.is_confused()
    }

    /// As [`MessageRouter::end_abandoned`].
    pub(crate) fn end_abandoned(&self, party: Option<&str>, grace: Duration) -> Option<Instant> {
        self.wiring.router.end_abandoned(party, grace)
    }

    /// How long the entry lets an ordinary request take.
    pub fn request_timeout(&self) -> Duration {
        self.wiring.timeouts.request.duration()
    }

    /// Any request at all, for tests and examples: whoever has the guard's key needs no permit.
    /// What the server says meanwhile goes to `remarks`; progress counts as life. Dropping the future cancels it.
    pub async fn unguarded(
        &self,
        _key: &AllowEverything,
        ask: OutgoingRequest<'_>,
        remarks: Option<QuietSender<ServerRemark>>,
    ) -> Result<Box<RawValue>, RequestError> {
        let OutgoingRequest { method, params, timeout, ceiling, annotated } = ask;
        let sent = SentRequest {
            method,
            params: &params.map_or_else(ObjectSplice::new, ObjectSplice::of),
            patience: RequestPatience::Limited { timeout, ceiling },
            annotated,
            called: None,
            attendant: None,
            pending: None,
        };
        self.reply(sent, remarks).await?.into_result()
    }

    pub(crate) async fn reply<'a>(
        &'a self,
        sent: SentRequest<'a>,
        remarks: Option<QuietSender<ServerRemark>>,
    ) -> Result<ServerReply, RequestError> {
        let begun = self.wiring.channel.sessions();
        // Only where there is a session can one be lost.
        let again = (begun > 0).then(|| (sent.clone(), remarks.clone()));
        match (self.send(sent, remarks).await, again) {
            // The server did nothing with it, so it may be asked again: once, in a new session.
            (Err(RequestError::SessionLost), Some((sent, remarks))) => {
                // Boxed: rare, and no request should carry the size of two.
                Box::pin(self.renew(begun)).await?;
                Box::pin(self.send(sent, remarks)).await
            }
            (reply, _) => reply,
        }
    }

    async fn send<'a>(
        &'a self,
        sent: SentRequest<'a>,
        remarks: Option<QuietSender<ServerRemark>>,
    ) -> Result<ServerReply, RequestError> {
        let SentRequest { method, params, patience, annotated, called, attendant, pending } = sent;
        let sending = RequestSending {
            channel: &self.wiring.channel,
            router: &self.wiring.router,
            introduction: &self.wiring.introduction,
            revision: Some(self.handshake.revision),
            annotated,
            called,
            attendant,
            pending,
            id: self.wiring.next_id.fetch_add(1, Ordering::Relaxed),
        };
        sending.run(method, params, patience, remarks).await
    }

    /// Begins a new session in place of the `begun`th, unless somebody else did.
    async fn renew(&self, begun: u64) -> Result<(), RequestError> {
        let _only_one = self.renewing.lock().await;
        if !self.wiring.channel.forget_session(begun) {
            return Ok(());
        }
        let limit = self.wiring.timeouts.startup.duration();
        let handshake = self.wiring.initialize(limit).await;
        let handshake = handshake.map_err(|error| RequestError::Closed(error.to_string()))?;
        self.wiring.channel.established(handshake.revision);
        self.renewed.notify_one();
        Ok(())
    }

    /// Tells when another stream of changes was acknowledged.
    pub(crate) fn acknowledgements(&self) -> watch::Receiver<u64> {
        self.wiring.router.acknowledgements()
    }

    /// Tells when the server knows nothing any more of what it was told.
    pub(crate) fn renewals(&self) -> Arc<Notify> {
        Arc::clone(&self.renewed)
    }

    /// Ends the connection and whatever it started.
    pub async fn close(&self, grace: Duration) {
        self.wiring.router.pending.close("it was closed");
        self.wiring.channel.close(grace).await;
    }
}
