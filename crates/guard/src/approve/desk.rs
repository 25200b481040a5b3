//! Where calls wait for a person. One desk serves all hosts of a process; whoever can reach a person
//! listens to it and answers here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{OnceCell, broadcast, watch};
use tokio::time::Instant;
use toolgate_store::Store;
use toolgate_types::{ApprovalChoice, Digest, Principal, SessionId, since_1970};

use super::book::{Book, Gone, NotWaiting};
use super::note::Note;
use super::seal_key::{NoRandomness, SealKey};
use super::{Approver, Consent, Petition, Reference, Settled, ShownCall, Verdict, Waiting};
use crate::Grant;

/// How much somebody who listens may be behind before they have to look for themselves.
const UNHEARD: usize = 1024;

/// Where calls wait. Cheap to clone.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    book: Mutex<Book>,
    news: broadcast::Sender<News>,
    /// Whether somebody can look at what waits.
    has_queue: AtomicBool,
    has_desktop: AtomicBool,
    store: Option<Arc<dyn Store>>,
    key: OnceCell<SealKey>,
    /// Which desk it is: what another one sealed is not known here.
    number: u64,
    /// When it was set up, by both clocks. What is sealed goes by the one that nobody can set back:
    /// what was used could be used again otherwise.
    began: (Instant, u64),
}

/// What happens at the desk.
#[derive(Debug, Clone)]
pub enum News {
    Asked(Waiting),
    Settled(Reference, Settled),
}

/// The desk has no room; nobody was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl Desk {
    /// One whose notes are sealed with the key of this installation, or, without a store, with one
    /// that is forgotten with it.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        let (news, _) = broadcast::channel(UNHEARD);
        Self(Arc::new(Inner {
            book: Mutex::default(),
            news,
            has_queue: AtomicBool::new(false),
            has_desktop: AtomicBool::new(false),
            store,
            key: OnceCell::new(),
            number: random(),
            began: (Instant::now(), since_1970(SystemTime::now())),
        }))
    }

    /// From now on somebody can look at what waits, and answer.
    pub fn open_queue(&self) {
        self.0.has_queue.store(true, Ordering::Relaxed);
    }

    pub fn has_queue(&self) -> bool {
        self.0.has_queue.load(Ordering::Relaxed)
    }

    /// From now on whatever waits is shown on the desktop.
    pub fn open_desktop(&self) {
        self.0.has_desktop.store(true, Ordering::Relaxed);
    }

    pub fn has_desktop(&self) -> bool {
        self.0.has_desktop.load(Ordering::Relaxed)
    }

    /// Hears of everything from now on.
    pub fn listen(&self) -> broadcast::Receiver<News> {
        self.0.news.subscribe()
    }

    /// What waits for an answer, the oldest first.
    pub fn waiting(&self) -> Vec<Waiting> {
        self.book().waiting(Instant::now())
    }

    /// The one that waits under this reference.
    pub fn find(&self, reference: &Reference) -> Option<Waiting> {
        self.waiting().into_iter().find(|waiting| waiting.reference == *reference)
    }

    /// Puts a call on the desk. It is there until it is answered, given up or too old.
    pub fn put(&self, petition: Petition) -> Result<Held, Full> {
        let since = since_1970(SystemTime::now());
        let lifetime = u64::try_from(petition.lifetime.as_millis()).unwrap_or(u64::MAX);
        let deadline = Instant::now() + petition.lifetime;
        let petition = Arc::new(petition);
        let (waiting, answered) = {
            let mut book = self.book();
            if book.is_full(petition.caller.as_deref()) {
                return Err(Full);
            }
            let reference = loop {
                let reference = Reference::of(random());
                if !book.knows(&reference) {
                    break reference;
                }
            };
            let until = since.saturating_add(lifetime);
            let waiting = Waiting { reference, petition, since, until };
            let answered = book.put(waiting.clone(), deadline);
            // Before anybody can answer: who listens must not hear of the end first.
            let _ = self.0.news.send(News::Asked(waiting.clone()));
            (waiting, answered)
        };
        Ok(Held { desk: self.clone(), waiting, deadline, answered, is_over: false })
    }

    /// Answers one. Where several do, the first counts.
    pub fn answer(&self, reference: &Reference, verdict: Verdict) -> Result<(), NotWaiting> {
        let waiting = self.book().answer(reference, verdict.clone(), Instant::now())?;
        self.tell(&waiting, Settled::Answered(verdict));
        Ok(())
    }

    /// A call that was left here came back for its answer.
    pub(super) fn join(&self, reference: &Reference, subject: Digest) -> Result<Held, Gone> {
        let (waiting, deadline, answered) = self.book().join(reference, subject, Instant::now())?;
        Ok(Held { desk: self.clone(), waiting, deadline, answered, is_over: false })
    }

    /// What was granted for a session.
    pub fn grants(&self, principal: &Principal, session: &SessionId) -> Vec<Grant> {
        self.book().grants(principal, session)
    }

    /// A session ended: nothing is granted for it any more, and nobody waits in it.
    pub fn end_session(&self, session: &SessionId) {
        let withdrawn = self.book().end_session(session, Instant::now());
        for waiting in withdrawn {
            self.tell(&waiting, Settled::Withdrawn);
        }
    }

    fn give_up(&self, reference: &Reference, how: Settled) {
        let waiting = self.book().give_up(reference, how.clone(), Instant::now());
        if let Some(waiting) = waiting {
            self.tell(&waiting, how);
        }
    }

    fn tell(&self, waiting: &Waiting, how: Settled) {
        waiting.petition.note.settled(&waiting.reference, &how);
        let _ = self.0.news.send(News::Settled(waiting.reference.clone(), how));
    }

    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    pub(super) async fn key(&self) -> Result<&SealKey, NoRandomness> {
        let find = async || match &self.0.store {
            Some(store) => match store.installation_key().await {
                Ok(key) => Ok(SealKey::derived(&key)),
                // What is sealed now cannot be opened later, and is asked for again.
                Err(_) => SealKey::random(),
            },
            None => SealKey::random(),
        };
        self.0.key.get_or_try_init(find).await
    }

    /// Notes that something is used; `false` if it was before, or is too old.
    pub(super) fn use_up(&self, note: &Note) -> bool {
        let now = Instant::now();
        let left = Duration::from_millis(note.expires.saturating_sub(self.clock(now)));
        self.book().remember(note.reference.clone(), now + left, now)
    }

    /// Keeps the bytes of a call that goes on later.
    pub(super) fn keep_going(&self, reference: &Reference, call: Arc<ShownCall>, until: Instant) {
        self.book().keep_going(reference.clone(), call, until, Instant::now());
    }

    pub(super) fn go_on(&self, reference: &Reference) -> Option<Arc<ShownCall>> {
        self.book().go_on(reference)
    }

    /// Milliseconds since 1970, as far as what is sealed here goes.
    pub(super) fn clock(&self, at: Instant) -> u64 {
        let (began, since_1970) = self.0.began;
        let passed = at.saturating_duration_since(began).as_millis();
        since_1970.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Changes are single steps, so a panic elsewhere left it whole.
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("waiting", &self.waiting().len()).finish()
    }
}

/// A call at the desk. Dropped, it is withdrawn.
#[derive(Debug)]
pub struct Held {
    desk: Desk,
    waiting: Waiting,
    deadline: Instant,
    answered: watch::Receiver<Option<Settled>>,
    is_over: bool,
}

impl Held {
    pub fn reference(&self) -> &Reference {
        &self.waiting.reference
    }

    pub fn petition(&self) -> &Arc<Petition> {
        &self.waiting.petition
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What was said over a channel of the caller's own, which showed this much; another one may have
    /// been faster. `false` if it was not taken because not all was shown.
    pub fn say(&self, choice: ApprovalChoice, approver: Approver, seen: Option<Digest>) -> bool {
        let verdict = Verdict { choice, approver, reason: None, seen };
        self.desk.answer(&self.waiting.reference, verdict) != Err(NotWaiting::Unseen)
    }

    /// Nobody could be asked after all.
    pub fn say_unheard(&self) {
        self.desk.give_up(&self.waiting.reference, Settled::Unheard);
    }

    /// Waits for the first answer, and uses it: there is none a second time. Until then it may be
    /// dropped and called again.
    pub async fn settled(&mut self) -> Result<Consent, Settled> {
        if self.is_over {
            return Err(Settled::Withdrawn);
        }
        let answered = self.answered.wait_for(|settled| settled.is_some());
        if tokio::time::timeout_at(self.deadline, answered).await.is_err() {
            self.desk.give_up(&self.waiting.reference, Settled::Expired);
        }
        self.take()
    }

    /// The answer that is there already, used; where there is none it is not waited for any more.
    pub fn settled_by_now(mut self) -> Option<Result<Consent, Settled>> {
        let is_settled = self.answered.borrow().is_some();
        is_settled.then(|| self.take())
    }

    fn take(&mut self) -> Result<Consent, Settled> {
        self.is_over = true;
        self.desk.book().used(&self.waiting.reference, Instant::now());
        // An answer of the very last moment counts, as whoever gave it was told.
        match self.answered.borrow().clone() {
            Some(Settled::Answered(Verdict {
                choice: ApprovalChoice::Once | ApprovalChoice::Session,
                ..
            })) => {
                let petition = &self.waiting.petition;
                Ok(Consent::to(petition.subject, Arc::clone(&petition.call)))
            }
            settled => Err(settled.unwrap_or(Settled::Withdrawn)),
        }
    }

    /// The caller comes back for the answer; nobody else is told that it left.
    pub fn leave(mut self) {
        self.is_over = true;
        let (desk, reference) = (self.desk.clone(), self.waiting.reference.clone());
        if let Some(deadline) = desk.book().leave(&reference) {
            tokio::spawn({
                let desk = desk.clone();
                async move {
                    tokio::time::sleep_until(deadline).await;
                    desk.give_up(&reference, Settled::Expired);
                }
            });
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_over {
            self.desk.give_up(&self.waiting.reference, Settled::Withdrawn);
        }
    }
}

/// A number for something that is no secret: where the system has no randomness, one that is only
/// different will do.
pub(super) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        use std::hash::{BuildHasher as _, RandomState};
        RandomState::new().hash_one(std::process::id())
    })
}
