//! Sessions of the older era: who opened them, what is open in them, what is said in them.

mod requests;
mod stream;
mod table;

use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_host::ResourcePlace;
use toolgate_types::{
    Caller, Era, ListKind, LogLevel, PeerLink, QuestionAnswer, Requester, ServerId,
    SessionOverrides,
};
use toolgate_wire::{ProtocolRevision, RawObject};

use crate::client_abilities::{ElicitationSupport, relayed};
use crate::client_patience::patience_of;
use crate::hub::{NewsListener, ServerNews};
use crate::place::CallerPlace;
use crate::respond;

pub(crate) use requests::{RequestGuard, RequestTable};
pub(crate) use stream::{EventStream, SessionStreams};
pub(crate) use table::{IDLE, NoSession, SessionTable};

/// How many pages a session remembers.
const KEPT_PAGES: usize = 32;

/// A session.
pub(crate) struct ClientSession {
    pub(crate) id: Box<str>,
    pub(crate) place: Arc<CallerPlace>,
    pub(crate) revision: ProtocolRevision,
    pub(crate) askable: ElicitationSupport,
    /// What servers are told that the client can do.
    pub(crate) relayed: Option<Arc<RawValue>>,
    /// Who calls in it, the same for all of its requests.
    pub(crate) caller: Arc<Caller>,
    /// By which servers tell its requests from those of others.
    pub(crate) party: Arc<str>,
    pub(crate) streams: SessionStreams,
    pub(crate) requests: Arc<RequestTable>,
    questions: Mutex<HashMap<Box<str>, oneshot::Sender<QuestionAnswer>>>,
    next_question: AtomicU64,
    state: Mutex<SessionState>,
    /// Until when its client waits for a first list, where it makes only one.
    patience_ends: Option<Instant>,
    /// In nanoseconds of the table's own clock.
    last_used: AtomicU64,
}

/// What a session is made of before its client said a word.
pub(crate) struct SessionParts {
    pub(crate) id: Box<str>,
    pub(crate) streams: SessionStreams,
    pub(crate) requests: Arc<RequestTable>,
    pub(crate) requester: Requester,
}

impl SessionParts {
    /// A session of its own; `None` where the system has no randomness for its id.
    pub(crate) fn by_http(link: &PeerLink) -> Option<Self> {
        let (streams, requests) = (SessionStreams::default(), Arc::default());
        // One of its own: the client may come over another connection the next time.
        let requester = Requester::Peer(link.apart());
        SessionTable::new_id().map(|id| Self { id, streams, requests, requester })
    }
}

/// A resource that a client wants to hear of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Subscription {
    pub(crate) place: ResourcePlace,
    /// The URI that it asked for, and hears again.
    pub(crate) asked: String,
}

impl Subscription {
    /// Whether it is about what a server says has changed.
    pub(crate) fn is_about(&self, server: &ServerId, uri: &str) -> bool {
        self.place.server == *server && self.place.uri == uri
    }
}

#[derive(Default)]
struct SessionState {
    subscriptions: HashSet<Subscription>,
    /// The pages of servers that its person was sent to, the last ones.
    pages: VecDeque<(ServerId, String)>,
    log_level: Option<LogLevel>,
    /// The lists that the client was given, and so wants to hear about.
    listed: Vec<ListKind>,
}

/// A question that was asked.
pub(crate) struct SessionQuestion<'a> {
    session: &'a ClientSession,
    pub(crate) id: Box<str>,
    answer: Option<oneshot::Receiver<QuestionAnswer>>,
}

impl ClientSession {
    pub(crate) fn new(
        way: SessionParts,
        place: Arc<CallerPlace>,
        revision: ProtocolRevision,
        capabilities: Option<&RawValue>,
        (client, overrides): (Option<String>, Option<Arc<SessionOverrides>>),
    ) -> Self {
        let SessionParts { id, streams, requests, requester } = way;
        let from = (requester, overrides);
        let caller = place.caller(Era::Legacy, Some(&id), client, from);
        let patience = caller.client.as_deref().and_then(patience_of);
        let capabilities = capabilities.and_then(|raw| RawObject::parse(raw).ok());
        Self {
            party: place.party(caller.session.as_ref()),
            caller,
            patience_ends: patience.map(|patience| Instant::now() + patience),
            id,
            place,
            revision,
            askable: ElicitationSupport::of(capabilities.as_ref()),
            relayed: relayed(capabilities.as_ref(), Era::Legacy),
            streams,
            requests,
            questions: Mutex::default(),
            next_question: AtomicU64::new(1),
            state: Mutex::default(),
            last_used: AtomicU64::new(0),
        }
    }

    /// Its client speaks over this connection now.
    pub(crate) fn heard_over(&self, link: &PeerLink) {
        if let Requester::Peer(known) = &self.caller.requester {
            known.moved_to(link);
        }
    }

    /// Ends when it does.
    pub(crate) fn ended(&self) -> &CancellationToken {
        self.requests.ended()
    }

    pub(crate) fn is_busy(&self) -> bool {
        !self.requests.is_empty() || self.streams.are_read()
    }

    pub(crate) fn ask(&self) -> SessionQuestion<'_> {
        let number = self.next_question.fetch_add(1, Ordering::Relaxed);
        // Of this session alone: a client may answer what another daemon asked before.
        let own = self.id.get(..8).unwrap_or(&self.id);
        let id: Box<str> = format!("tg-{own}-{number}").into();
        let (sender, receiver) = oneshot::channel();
        lock(&self.questions).insert(id.clone(), sender);
        SessionQuestion { session: self, id, answer: Some(receiver) }
    }

    /// The answer to one of our questions; whether anybody waits for it.
    pub(crate) fn answer(&self, id: &str, answer: QuestionAnswer) -> bool {
        let asked = lock(&self.questions).remove(id);
        asked.is_some_and(|asked| asked.send(answer).is_ok())
    }

    /// Whether its client is known to list once and never again.
    pub(crate) fn lists_once(&self) -> bool {
        self.patience_ends.is_some()
    }

    /// Until when its client waits for this list: only for the first one.
    pub(crate) fn patience_ends(&self, kind: ListKind) -> Option<Instant> {
        self.patience_ends.filter(|_| !lock(&self.state).listed.contains(&kind))
    }

    pub(crate) fn listed(&self, kind: ListKind) {
        let mut state = lock(&self.state);
        if !state.listed.contains(&kind) {
            state.listed.push(kind);
        }
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        lock(&self.state).log_level = Some(level);
    }

    /// From which level on its client wants to hear servers, where it said so.
    pub(crate) fn wanted_log_level(&self) -> Option<LogLevel> {
        lock(&self.state).log_level
    }

    /// Its person is sent to a page of a server; when that is done, it wants to hear.
    pub(crate) fn sent_to(&self, server: ServerId, elicitation: String) {
        let mut state = lock(&self.state);
        if state.pages.len() >= KEPT_PAGES {
            state.pages.pop_front();
        }
        state.pages.push_back((server, elicitation));
    }

    /// Whether it was not subscribed before.
    pub(crate) fn subscribed(&self, subscription: Subscription) -> bool {
        lock(&self.state).subscriptions.insert(subscription)
    }

    pub(crate) fn unsubscribed(&self, asked: &str) -> Option<ResourcePlace> {
        let mut state = lock(&self.state);
        let known = state.subscriptions.iter().find(|one| one.asked == asked).cloned()?;
        state.subscriptions.remove(&known);
        Some(known.place)
    }

    /// Takes what it is subscribed to, to be given up.
    pub(crate) fn take_subscriptions(&self) -> Vec<ResourcePlace> {
        let all = std::mem::take(&mut lock(&self.state).subscriptions);
        all.into_iter().map(|one| one.place).collect()
    }
}

impl NewsListener for ClientSession {
    fn log_level(&self) -> Option<Option<LogLevel>> {
        (!self.ended().is_cancelled()).then(|| self.wanted_log_level())
    }

    fn hear(&self, news: &ServerNews) {
        if let ServerNews::Updated { server, uri } = news {
            let asked: Vec<String> = {
                let state = lock(&self.state);
                let about = state.subscriptions.iter().filter(|one| one.is_about(server, uri));
                about.map(|one| one.asked.clone()).collect()
            };
            for uri in asked {
                self.streams.tell(respond::updated(&uri, None));
            }
            return;
        }
        let wanted = {
            let state = lock(&self.state);
            match news {
                // One word covers both lists of resources.
                ServerNews::ListChanged(ListKind::Resources) => {
                    let both = [ListKind::Resources, ListKind::ResourceTemplates];
                    both.iter().any(|kind| state.listed.contains(kind))
                }
                ServerNews::ListChanged(kind) => state.listed.contains(kind),
                // Told above, under the URI that was asked for.
                ServerNews::Updated { .. } => false,
                ServerNews::Elicited { server, id, .. } => {
                    state.pages.iter().any(|page| page.0 == *server && page.1 == *id)
                }
                ServerNews::Log(message) => {
                    state.log_level.is_some_and(|level| respond::is_loud_enough(message, level))
                }
            }
        };
        if wanted {
            self.streams.tell(respond::news(news, None));
        }
    }
}

impl SessionQuestion<'_> {
    /// Waits for the answer; a session that ends answers nothing.
    pub(crate) async fn answered(mut self) -> Option<QuestionAnswer> {
        let answer = self.answer.take()?;
        tokio::select! {
            answer = answer => answer.ok(),
            () = self.session.ended().cancelled() => None,
        }
    }
}

impl Drop for SessionQuestion<'_> {
    fn drop(&mut self) {
        lock(&self.session.questions).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Changes are single insertions and removals, so a panic elsewhere left it whole.
    mutex.lock()
}
