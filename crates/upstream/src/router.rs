//! Sends what arrives to where it belongs: answers to who asked, questions and words to the one whose
//! operation they are about, the rest to the inbox.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use toolgate_types::{QuietReceiver, QuietSender, quiet_queue};
use toolgate_wire::{
    IncomingMessages, Message, MessageId, MessageLimits, ProtocolRevision, RawObject, Request,
    meta, method, peek_id,
};

use crate::attendant::Attendant;
use crate::failure::RequestError;
use crate::inbox::ServerInbox;
use crate::open_questions::{AskedMeanwhile, OpenQuestions};
use crate::pending_replies::PendingReplies;
use crate::reply::ServerReply;
use crate::server_remark::ServerRemark;
use crate::spill::AnswerSpill;
use crate::spilled_answer::SpillPlace;

/// How many signs of life of one request may lie unread.
const UNREAD_SIGNS: usize = 64;

/// An operation that was told to end is gone after so long.
const GONE_SOON: Duration = Duration::from_millis(20);

/// What a server says of a request that is under way.
#[derive(Debug)]
pub(crate) enum RequestSign {
    Remark(ServerRemark),
    /// From now on it tells what was listened for.
    Acknowledged,
    /// Whoever waits has to look whether to go on.
    LookUp,
}

/// A request that was sent and not yet answered.
struct OpenRequest {
    signs: QuietSender<RequestSign>,
    attendant: Option<Attendant>,
    questions: OpenQuestions,
}

/// Whose operation something is about.
enum OperationOwner {
    /// Nobody's in particular.
    Nobodys,
    /// The one of the request with this number.
    One(u64),
    /// One of several; which, the server does not say.
    Unclear,
}

/// The middle of a connection.
pub(crate) struct MessageRouter {
    pub(crate) pending: PendingReplies,
    inbox: ServerInbox,
    under_way: Mutex<HashMap<u64, OpenRequest>>,
    /// A question could not be told to belong to one of several operations.
    is_confused: AtomicBool,
    limits: MessageLimits,
    /// Where answers beyond those go, if anywhere.
    spill: Option<SpillPlace>,
    revision: OnceLock<ProtocolRevision>,
    /// How many streams of changes were acknowledged.
    acknowledged: watch::Sender<u64>,
}

impl MessageRouter {
    pub(crate) fn new(
        inbox: ServerInbox,
        limits: MessageLimits,
        spill: Option<SpillPlace>,
    ) -> Self {
        Self {
            pending: PendingReplies::default(),
            inbox,
            under_way: Mutex::default(),
            is_confused: AtomicBool::new(false),
            limits,
            spill,
            revision: OnceLock::new(),
            acknowledged: watch::Sender::default(),
        }
    }

    /// Tells when another stream of changes was acknowledged.
    pub(crate) fn acknowledgements(&self) -> watch::Receiver<u64> {
        self.acknowledged.subscribe()
    }

    /// What the two sides agreed on; until then nothing is taken for a batch.
    pub(crate) fn agree(&self, revision: ProtocolRevision) {
        let _ = self.revision.set(revision);
    }

    /// The agreed revision, once there is one.
    pub(crate) fn revision(&self) -> Option<ProtocolRevision> {
        self.revision.get().copied()
    }

    pub(crate) fn limits(&self) -> &MessageLimits {
        &self.limits
    }

    pub(crate) fn spill(&self) -> Option<&SpillPlace> {
        self.spill.as_ref()
    }

    /// Takes a message that was too long to hold; only an answer is of any use then.
    pub(crate) async fn accept_spilled(&self, spill: AnswerSpill) {
        let (id, reply) = spill.end(&self.limits).await;
        if !id.is_some_and(|id| self.pending.complete(id, reply)) {
            self.inbox.garbage(self.limits.bytes);
        }
    }

    /// Takes one line or one event; `on` is the request on whose own stream it came.
    pub(crate) fn accept(&self, bytes: &[u8], on: Option<u64>) {
        let agreed = self.revision();
        if agreed.is_none() {
            self.inbox.answers_handshake();
        }
        let peer = agreed.unwrap_or(ProtocolRevision::NEWEST_LEGACY);
        match IncomingMessages::parse(bytes, peer, &self.limits) {
            Ok(IncomingMessages::One(message)) => self.route(&message, on),
            Ok(IncomingMessages::Batch(messages)) => {
                for message in messages {
                    match message {
                        Ok(message) => self.route(&message, on),
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

    fn route(&self, message: &Message<'_>, on: Option<u64>) {
        match message {
            Message::Response(response) => {
                let id = response.id.as_ref().and_then(MessageId::as_u64);
                match id {
                    // A late or repeated answer finds nobody, and that is fine.
                    Some(id) => drop(self.pending.complete(id, Ok(ServerReply::of(response)))),
                    None => self.inbox.garbage(0),
                }
            }
            Message::Request(request) => match self.whose_question(request, on) {
                OperationOwner::One(id) => {
                    let asked = self.under_way().get(&id).and_then(OpenRequest::asked);
                    self.inbox.request(request, asked);
                }
                OperationOwner::Nobodys => self.inbox.request(request, None),
                OperationOwner::Unclear if ServerInbox::is_question(request) => {
                    self.is_confused.store(true, Ordering::Relaxed);
                    self.inbox.refuse(request);
                }
                OperationOwner::Unclear => self.inbox.request(request, None),
            },
            Message::Notification(notification) if notification.method == method::PROGRESS => {
                let params = notification.params.as_ref();
                let token = params.and_then(|params| params.get("progressToken"));
                let token = token.and_then(MessageId::from_raw).and_then(|id| id.as_u64());
                if let (Some(token), Some(params)) = (token, params) {
                    let report = ServerRemark::Progress(params.raw().to_owned());
                    self.sign(token, RequestSign::Remark(report));
                }
            }
            Message::Notification(notification)
                if notification.method == method::SUBSCRIPTIONS_ACKNOWLEDGED =>
            {
                if let Some(id) = notification.params.as_ref().and_then(subscription) {
                    self.sign(id, RequestSign::Acknowledged);
                    self.acknowledged.send_modify(|count| *count += 1);
                }
            }
            Message::Notification(notification) => match (self.whose(on), &notification.params) {
                (OperationOwner::One(id), Some(params))
                    if notification.method == method::LOG_MESSAGE && self.is_told(id) =>
                {
                    let message = ServerRemark::Log(params.raw().to_owned());
                    self.sign(id, RequestSign::Remark(message));
                }
                _ => self.inbox.notification(notification),
            },
        }
    }

    /// A message that was longer than allowed and is lost, with its first bytes.
    pub(crate) fn too_long(&self, head: &[u8]) {
        let reason = RequestError::too_large();
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
    pub(crate) fn follow(
        &self,
        id: u64,
        attendant: Option<Attendant>,
    ) -> QuietReceiver<RequestSign> {
        let (signs, receiver) = quiet_queue(UNREAD_SIGNS);
        let questions = OpenQuestions::default();
        self.under_way().insert(id, OpenRequest { signs, attendant, questions });
        receiver
    }

    /// Whether the server of a request waits for an answer itself.
    pub(crate) fn has_open_question(&self, id: u64) -> bool {
        self.under_way().get(&id).is_some_and(|one| one.questions.is_open())
    }

    /// Whether a request is to end, for others who need its server.
    pub(crate) fn gives_way(&self, id: u64) -> bool {
        self.under_way().get(&id).is_some_and(|one| one.questions.gives_way())
    }

    /// Whether operations have to come one after another from now on, so that each question has
    /// only one that it can be about.
    pub(crate) fn is_confused(&self) -> bool {
        self.is_confused.load(Ordering::Relaxed)
    }

    /// Ends operations whose callers can only come back, and did not for so long, while the server waits
    /// for their answer: those of others than this party. Tells when to look again, as long as there
    /// are any.
    pub(crate) fn end_abandoned(&self, party: Option<&str>, grace: Duration) -> Option<Instant> {
        let now = Instant::now();
        let mut again: Option<Instant> = None;
        for OpenRequest { attendant, questions, signs } in self.under_way().values() {
            let Some(attendant) = attendant.as_ref().filter(|one| one.asker.defers()) else {
                continue;
            };
            let is_own = party.is_some() && attendant.party.as_deref() == party;
            let Some(since) = questions.open_since().filter(|_| !is_own) else { continue };
            let end = since + grace;
            if end <= now {
                questions.give_way();
                // Where there is no room, something else wakes who waits.
                let _ = signs.try_send(RequestSign::LookUp);
            }
            let next = end.max(now + GONE_SOON);
            again = Some(again.map_or(next, |earlier| earlier.min(next)));
        }
        again
    }

    /// Folders are told by whoever is at work, another party waiting or not: nothing is asked of them
    /// that another could overhear.
    fn whose_question(&self, request: &Request<'_>, on: Option<u64>) -> OperationOwner {
        match self.whose(on) {
            OperationOwner::Unclear if request.method == method::ROOTS_LIST => {
                let all = self.under_way();
                let attended = all.iter().filter(|(_, one)| one.attendant.is_some());
                only_at_work(attended).map_or(OperationOwner::Unclear, OperationOwner::One)
            }
            owner => owner,
        }
    }

    fn whose(&self, on: Option<u64>) -> OperationOwner {
        let all = self.under_way();
        if let Some(on) = on {
            let is_attended = all.get(&on).is_some_and(|one| one.attendant.is_some());
            return if is_attended { OperationOwner::One(on) } else { OperationOwner::Nobodys };
        }
        let attended: Vec<_> = all.iter().filter(|(_, one)| one.attendant.is_some()).collect();
        match attended.as_slice() {
            [] => OperationOwner::Nobodys,
            [(id, _)] => OperationOwner::One(**id),
            several => only_one_at_work(several),
        }
    }

    fn is_told(&self, id: u64) -> bool {
        let all = self.under_way();
        let attendant = all.get(&id).and_then(|one| one.attendant.as_ref());
        attendant.is_some_and(|attendant| attendant.takes_logs)
    }

    pub(crate) fn forget(&self, id: u64) {
        self.pending.forget(id);
        self.under_way().remove(&id);
    }

    fn sign(&self, id: u64, sign: RequestSign) {
        if let Some(one) = self.under_way().get(&id) {
            // Who does not read along misses some; a flood costs a fixed amount.
            let _ = one.signs.try_send(sign);
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<u64, OpenRequest>> {
        self.under_way.lock()
    }
}

/// Of several operations of one party, the one whose server does not wait for an answer already. What
/// one party is asked never goes to another.
fn only_one_at_work(several: &[(&u64, &OpenRequest)]) -> OperationOwner {
    let party = |one: &OpenRequest| one.attendant.as_ref().and_then(|it| it.party.clone());
    let first = several.first().and_then(|(_, one)| party(one));
    let is_one_party = first.is_some() && several.iter().all(|(_, one)| party(one) == first);
    match only_at_work(several.iter().copied()) {
        Some(id) if is_one_party => OperationOwner::One(id),
        _ => OperationOwner::Unclear,
    }
}

fn only_at_work<'a>(attended: impl Iterator<Item = (&'a u64, &'a OpenRequest)>) -> Option<u64> {
    let mut at_work = attended.filter(|(_, one)| !one.questions.is_open());
    match (at_work.next(), at_work.next()) {
        (Some((id, _)), None) => Some(*id),
        _ => None,
    }
}

impl OpenRequest {
    /// Who answers a question about it, as long as it is under way.
    fn asked(&self) -> Option<(Attendant, AskedMeanwhile)> {
        Some((self.attendant.clone()?, self.questions.one_more()))
    }
}

/// Which listening request a notification belongs to.
fn subscription(params: &RawObject<'_>) -> Option<u64> {
    let meta = RawObject::parse(params.get_some(meta::META)?).ok()?;
    MessageId::from_raw(meta.get(meta::SUBSCRIPTION_ID)?)?.as_u64()
}
