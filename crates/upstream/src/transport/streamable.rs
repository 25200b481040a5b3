//! Streamable HTTP: every message its own POST, answered with JSON or a stream; in the legacy era
//! also a session and a GET stream for what the server sends of its own accord.

mod answer;
mod listen;

use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::{HeaderValue, Method, Response, StatusCode};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use toolgate_wire::header::HeaderSessionId;
use toolgate_wire::{Era, ProtocolRevision};

use super::exchange::HttpExchange;
use super::message_headers::MessageHeaders;
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::RequestError;
use crate::http::PooledBody;
use crate::reply::ServerReply;
use crate::router::MessageRouter;

/// The session of the legacy era.
#[derive(Default)]
struct LegacySession {
    /// As it is sent with everything.
    id: Option<HeaderValue>,
    /// How many were begun so far, this one included.
    begun: u64,
}

/// A remote endpoint.
pub(crate) struct Streamable {
    exchange: HttpExchange,
    router: Arc<MessageRouter>,
    session: RwLock<LegacySession>,
    revision: RwLock<Option<ProtocolRevision>>,
    listening: Mutex<Option<AbortHandle>>,
    /// Whether it is known if the server has a stream of its own.
    settled: watch::Sender<bool>,
    /// Ourselves, for the task that listens.
    me: std::sync::Weak<Self>,
}

impl Streamable {
    pub(crate) fn new(exchange: HttpExchange, router: Arc<MessageRouter>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            exchange,
            router,
            session: RwLock::default(),
            revision: RwLock::default(),
            listening: Mutex::default(),
            settled: watch::Sender::new(false),
            me: me.clone(),
        })
    }

    /// Waits until the stream for the server's own questions is open, or is known not to be: what a
    /// server asks before that is lost with many servers.
    pub(crate) async fn listening(&self, most: Duration) {
        if self.revision().is_some_and(|revision| revision.era() == Era::Legacy) {
            let mut settled = self.settled.subscribe();
            let _ = tokio::time::timeout(most, settled.wait_for(|settled| *settled)).await;
        }
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.read().id.clone()
    }

    fn revision(&self) -> Option<ProtocolRevision> {
        *self.revision.read()
    }

    /// The headers that tell the server which conversation this belongs to.
    fn conversation(&self, revision: Option<ProtocolRevision>) -> MessageHeaders<'static> {
        let told = revision.filter(|revision| revision.has_version_header());
        let version = told.map(|revision| HeaderValue::from_static(revision.as_str()));
        MessageHeaders { session: self.session(), version, ..MessageHeaders::default() }
    }

    async fn post(&self, message: &OutgoingMessage) -> Result<Response<PooledBody>, RequestError> {
        let conversation = self.conversation(message.revision);
        let had_session = conversation.session.is_some();
        let headers = MessageHeaders { mirrored: Some(&message.headers), ..conversation };
        let body = message.bytes.clone();
        message.use_consent()?;
        let response = self.exchange.send(Method::POST, &headers, body).await?;
        if response.status() == StatusCode::NOT_FOUND && had_session {
            return Err(RequestError::SessionLost);
        }
        if response.status().is_success() {
            // Only the answer to `initialize`, which is of no revision yet, begins a session.
            if message.revision.is_none() {
                self.keep_session(&response);
            }
            return Ok(response);
        }
        Err(Box::pin(self.exchange.refusal(response, self.router.limits())).await)
    }

    fn keep_session(&self, response: &Response<PooledBody>) {
        let Some(value) = response.headers().get(toolgate_wire::header::SESSION_ID) else { return };
        let mut session = self.session.write();
        if session.id.is_none() && HeaderSessionId::parse(value.as_bytes()).is_ok() {
            let mut id = value.clone();
            // It opens a session, so it does not show itself.
            id.set_sensitive(true);
            *session = LegacySession { id: Some(id), begun: session.begun + 1 };
        }
    }
}

#[async_trait]
impl ServerChannel for Streamable {
    async fn call(&self, id: u64, message: OutgoingMessage) -> Result<ServerReply, RequestError> {
        let response = self.post(&message).await?;
        self.answer(id, response, message.revision).await
    }

    async fn send(&self, message: OutgoingMessage) -> Result<(), RequestError> {
        self.post(&message).await.map(drop)
    }

    fn drop_cancels(&self) -> bool {
        true
    }

    fn has_headers(&self) -> bool {
        true
    }

    fn sessions(&self) -> u64 {
        self.session.read().begun
    }

    fn forget_session(&self, begun: u64) -> bool {
        let mut session = self.session.write();
        let is_that_one = session.begun == begun;
        if is_that_one {
            session.id = None;
        }
        is_that_one
    }

    fn established(&self, revision: ProtocolRevision) {
        *self.revision.write() = Some(revision);
        if revision.era() == Era::Legacy
            && let Some(me) = self.me.upgrade()
        {
            let task = tokio::spawn(listen::listen(Arc::downgrade(&me)));
            let mut listening = self.listening.lock();
            if let Some(earlier) = listening.replace(task.abort_handle()) {
                earlier.abort();
            }
        }
    }

    async fn close(&self, grace: Duration) {
        let listening = self.listening.lock().take();
        if let Some(listening) = listening {
            listening.abort();
        }
        if self.session().is_some() {
            let headers = self.conversation(self.revision());
            let goodbye = self.exchange.send(Method::DELETE, &headers, bytes::Bytes::new());
            // A server need not allow it, and need not be there any more.
            let _ = tokio::time::timeout(grace, goodbye).await;
        }
    }
}

impl Drop for Streamable {
    fn drop(&mut self) {
        let listening = self.listening.get_mut().take();
        if let Some(listening) = listening {
            listening.abort();
        }
    }
}

#[cfg(test)]
mod tests;
