//! Sends what arrives to where it belongs: answers to who asked, the rest to the inbox.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolgate_wire::{Id, Incoming, Limits, Message, RawObject, Revision, meta, method, peek_id};

use crate::failure::RequestError;
use crate::inbox::Inbox;
use crate::pending::Pending;
use crate::reply::Reply;

/// How many signs of life of one request may lie unread.
const UNREAD_SIGNS: usize = 64;

/// A progress report, raw.
pub type Progress = Box<RawValue>;

/// What a server says of a request that is under way.
#[derive(Debug)]
pub(crate) enum Sign {
    Progress(Progress),
    /// From now on it tells what was listened for.
    Acknowledged,
}

/// The middle of a connection.
pub(crate) struct Router {
    pub(crate) pending: Pending,
    inbox: Inbox,
    signs: Mutex<HashMap<u64, mpsc::Sender<Sign>>>,
    limits: Limits,
    revision: OnceLock<Revision>,
}

impl Router {
    pub(crate) fn new(inbox: Inbox, limits: Limits) -> Self {
        Self {
            pending: Pending::default(),
            inbox,
            signs: Mutex::default(),
            limits,
            revision: OnceLock::new(),
        }
    }

    /// What the two sides agreed on; until then nothing is taken for a batch.
    pub(crate) fn agree(&self, revision: Revision) {
        let _ = self.revision.set(revision);
    }

    /// The agreed revision, once there is one.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes one line or one event.
    pub(crate) fn accept(&self, bytes: &[u8]) {
        let peer = self.revision().unwrap_or(Revision::NEWEST_LEGACY);
        match Incoming::parse(bytes, peer, &self.limits) {
            Ok(Incoming::One(message)) => self.route(&message),
            Ok(Incoming::Batch(messages)) => {
                for message in messages {
                    match message {
                        Ok(message) => self.route(&message),
                        Err(_) => self.inbox.garbage(bytes.len()),
                    }
                }
            }
            Err(rejected) => {
                let reason = RequestError::Protocol(rejected.to_string());
                self.unreadable(bytes, bytes.len(), reason);
            }
        }
    }

    fn route(&self, message: &Message<'_>) {
        match message {
            Message::Response(response) => {
                let id = response.id.as_ref().and_then(Id::as_u64);
                match id {
                    // A late or repeated answer finds nobody, and that is fine.
                    Some(id) => drop(self.pending.complete(id, Ok(Reply::of(response)))),
                    None => self.inbox.garbage(0),
                }
            }
            Message::Request(request) => self.inbox.request(request),
            Message::Notification(notification) if notification.method == method::PROGRESS => {
                let params = notification.params.as_ref();
                let token = params.and_then(|params| params.get("progressToken"));
                let token = token.and_then(Id::from_raw).and_then(|id| id.as_u64());
                if let (Some(token), Some(params)) = (token, params) {
                    self.sign(token, Sign::Progress(params.raw().to_owned()));
                }
            }
            Message::Notification(notification)
                if notification.method == method::SUBSCRIPTIONS_ACKNOWLEDGED =>
            {
                if let Some(id) = notification.params.as_ref().and_then(subscription) {
                    self.sign(id, Sign::Acknowledged);
                }
            }
            Message::Notification(notification) => self.inbox.notification(notification),
        }
    }

    /// A message that was longer than allowed and is lost, with its first bytes.
    pub(crate) fn too_long(&self, head: &[u8]) {
        let reason = RequestError::Protocol("the answer is too large".to_owned());
        self.unreadable(head, self.limits.bytes, reason);
    }

    /// An answer that cannot be read is still the answer to somebody's request.
    fn unreadable(&self, head: &[u8], bytes: usize, reason: RequestError) {
        let id = peek_id(head).and_then(|id| id.as_id().as_u64());
        if !id.is_some_and(|id| self.pending.complete(id, Err(reason))) {
            self.inbox.garbage(bytes);
        }
    }

    /// The connection is over: every wait ends, and whoever listens is told.
    pub(crate) fn close(&self, reason: &str) {
        if self.pending.closed().is_none() {
            self.inbox.closed(reason);
        }
        self.pending.close(reason);
    }

    /// Signs of one request, whose token and subscription have its id.
    pub(crate) fn follow(&self, id: u64) -> mpsc::Receiver<Sign> {
        let (sender, receiver) = mpsc::channel(UNREAD_SIGNS);
        self.taps().insert(id, sender);
        receiver
    }

    pub(crate) fn forget(&self, id: u64) {
        self.pending.forget(id);
        self.taps().remove(&id);
    }

    fn sign(&self, id: u64, sign: Sign) {
        if let Some(tap) = self.taps().get(&id) {
            // Who does not read along misses some; a flood costs a fixed amount.
            let _ = tap.try_send(sign);
        }
    }

    fn taps(&self) -> MutexGuard<'_, HashMap<u64, mpsc::Sender<Sign>>> {
        self.signs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which listening request a notification belongs to.
fn subscription(params: &RawObject<'_>) -> Option<u64> {
    let meta = RawObject::parse(params.get_some(meta::META)?).ok()?;
    Id::from_raw(meta.get(meta::SUBSCRIPTION_ID)?)?.as_u64()
}
