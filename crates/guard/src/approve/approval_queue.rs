//! Where calls wait for a person. one queue serves all hosts of a process; whoever can reach a person
//! listens to it and answers here.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::{OnceCell, broadcast, watch};
use tokio::time::Instant;
use toolgate_store::Store;
use toolgate_types::config::Channel;
use toolgate_types::{ApprovalChoice, Digest, Principal, SessionId, WindowMark, since_1970};
use tracing::debug;

use super::answered_counts::{AnsweredCount, AnsweredCounts};
use super::approval_book::{ApprovalBook, ApprovalGone, NotWaiting, RejoinedApproval};
use super::attendance::{Attendance, WatchedQueue};
use super::pending_consent::ConsentLedger;
use super::resume_token::ResumeToken;
use super::seal_key::{NoRandomness, SealKey};
use super::window_grants::WindowGrants;
use super::{
    ApprovalConsent, ApprovalOutcome, ApprovalReference, ApprovalRequest, ApprovalVerdict,
    Approver, PendingConsent, ShownCall, WaitingApproval,
};
use crate::SessionGrant;

/// How much somebody who listens may be behind before they have to look for themselves.
const UNHEARD: usize = 1024;

/// Where calls wait. Cheap to clone.
#[derive(Clone)]
pub struct ApprovalQueue(Arc<QueueInner>);

struct QueueInner {
    book: Mutex<ApprovalBook>,
    news: broadcast::Sender<QueueEvent>,
    /// Whether somebody can look at what waits.
    has_queue: AtomicBool,
    has_desktop: AtomicBool,
    attendance: Arc<Attendance>,
    store: Option<Arc<dyn Store>>,
    key: OnceCell<SealKey>,
    answered: AnsweredCounts,
    windows: WindowGrants,
    /// Which queue it is: what another one sealed is not known here.
    number: u64,
    /// When it was set up, by both clocks. What is sealed goes by the one that nobody can set back:
    /// what was used could be used again otherwise.
    began: (Instant, u64),
}

/// What happens at the approval queue.
#[derive(Debug, Clone)]
pub enum QueueEvent {
    Asked(WaitingApproval),
    Settled(ApprovalReference, ApprovalOutcome),
}

/// The approval queue has no room; nobody was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

impl ApprovalQueue {
    /// One whose notes are sealed with the key of this installation, or, without a store, with one
    /// that is forgotten with it.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        let (news, _) = broadcast::channel(UNHEARD);
        Self(Arc::new(QueueInner {
            book: Mutex::default(),
            news,
            has_queue: AtomicBool::new(false),
            has_desktop: AtomicBool::new(false),
            attendance: Arc::default(),
            store,
            key: OnceCell::new(),
            answered: AnsweredCounts::default(),
            windows: WindowGrants::default(),
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

    /// A person, and no agent, used a command: they are taken to be near for a while.
    pub fn note_person(&self) {
        self.0.attendance.note_word(Instant::now());
    }

    /// A person, and no agent, looks at what waits for as long as this is kept.
    pub fn watched(&self) -> WatchedQueue {
        self.0.attendance.watch()
    }

    /// Whether a person can be reached over one of these channels, other than the caller itself.
    pub fn is_attended(&self, channels: &[Channel]) -> bool {
        let is_near = self.0.attendance.is_attended(Instant::now());
        channels.contains(&Channel::Desktop) && self.has_desktop()
            || channels.contains(&Channel::Queue) && is_near
    }

    /// Hears of everything from now on.
    pub fn listen(&self) -> broadcast::Receiver<QueueEvent> {
        self.0.news.subscribe()
    }

    /// What waits for an answer, the oldest first.
    pub fn waiting(&self) -> Vec<WaitingApproval> {
        self.book().waiting(Instant::now())
    }

    /// How waiting ended so far, by channel and answer.
    pub fn answered(&self) -> Vec<AnsweredCount> {
        self.0.answered.all()
    }

    /// The one of this reference that waits, or whose yes was not used yet, so that a no still wins.
    pub fn find(&self, reference: &ApprovalReference) -> Option<WaitingApproval> {
        self.book().find(reference, Instant::now())
    }

    /// Why an answer to this finds nobody.
    pub fn why_not(&self, reference: &ApprovalReference) -> NotWaiting {
        self.book().why_not(reference)
    }

    /// Puts a call on the approval queue. It is there until it is answered, given up or too old.
    pub fn put(&self, request: ApprovalRequest) -> Result<QueuedApproval, QueueFull> {
        let since = since_1970(SystemTime::now());
        let lifetime = u64::try_from(request.lifetime.as_millis()).unwrap_or(u64::MAX);
        let deadline = Instant::now() + request.lifetime;
        let request = Arc::new(request);
        let (waiting, answered) = {
            let mut book = self.book();
            if book.is_full(request.caller.as_deref()) {
                debug!(server = request.server, "approval queue is full for this client");
                return Err(QueueFull);
            }
            let reference = loop {
                let reference = ApprovalReference::of(random());
                if !book.knows(&reference) {
                    break reference;
                }
            };
            let until = since.saturating_add(lifetime);
            let waiting = WaitingApproval { reference, request, since, until };
            let answered = book.put(waiting.clone(), deadline);
            // Before anybody can answer: who listens must not hear of the end first.
            let _ = self.0.news.send(QueueEvent::Asked(waiting.clone()));
            (waiting, answered)
        };
        let (approval, request) = (&waiting.reference, &waiting.request);
        debug!(%approval, server = request.server, channels = ?request.channels, "approval asked for");
        let approvals = self.clone();
        Ok(QueuedApproval { approvals, waiting, deadline, answered, left: None, is_over: false })
    }

    /// Answers one. Where several do, the first counts; a no counts until the call runs.
    pub fn answer(
        &self,
        reference: &ApprovalReference,
        verdict: ApprovalVerdict,
    ) -> Result<(), NotWaiting> {
        let answered = {
            let mut book = self.book();
            let answered = book.answer(reference, verdict.clone(), Instant::now());
            if let Ok(waiting) = &answered
                && let Some(grant) = &waiting.request.grant
                && verdict.choice != ApprovalChoice::Once
            {
                self.0.windows.note(grant, book.has_granted(grant));
            }
            answered
        };
        let waiting = answered.inspect_err(|why| {
            debug!(approval = %reference, channel = verdict.approver.channel, ?why, "answer not taken");
        })?;
        self.tell(&waiting, ApprovalOutcome::Answered(verdict));
        Ok(())
    }

    /// A call that was left here came back for its answer.
    pub(super) fn join(
        &self,
        reference: &ApprovalReference,
        subject: Digest,
    ) -> Result<QueuedApproval, ApprovalGone> {
        let RejoinedApproval { waiting, deadline, answered, left } =
            self.book().join(reference, subject, Instant::now())?;
        let approvals = self.clone();
        Ok(QueuedApproval { approvals, waiting, deadline, answered, left, is_over: false })
    }

    /// A window has this session from now on: what was granted for it holds again, whichever daemon
    /// it was attached to then.
    pub async fn recall_window(&self, session: &SessionId, window: WindowMark) {
        let Some(store) = &self.0.store else { return };
        let granted = self.0.windows.recall(session, window, store).await;
        let mut book = self.book();
        granted.into_iter().for_each(|grant| book.grant(grant));
    }

    /// What was granted for a session.
    pub fn grants(&self, principal: &Principal, session: &SessionId) -> Vec<SessionGrant> {
        self.book().grants(principal, session)
    }

    /// A session ended: nothing is granted for it any more, and nobody waits in it.
    pub fn end_session(&self, session: &SessionId) {
        self.0.windows.leave(session);
        let withdrawn = self.book().end_session(session, Instant::now());
        for waiting in withdrawn {
            self.tell(&waiting, ApprovalOutcome::Withdrawn);
        }
    }

    fn give_up(&self, reference: &ApprovalReference, how: ApprovalOutcome) {
        let waiting = self.book().give_up(reference, how.clone(), Instant::now());
        if let Some(waiting) = waiting {
            self.tell(&waiting, how);
        }
    }

    fn tell(&self, waiting: &WaitingApproval, how: ApprovalOutcome) {
        let (approval, server) = (&waiting.reference, &waiting.request.server);
        debug!(%approval, server, outcome = how.as_str(), channel = how.channel(), "approval settled");
        self.0.answered.add(&how);
        waiting.request.note.settled(&waiting.reference, &how);
        let _ = self.0.news.send(QueueEvent::Settled(waiting.reference.clone(), how));
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
    pub(super) fn use_up(&self, note: &ResumeToken) -> bool {
        let now = Instant::now();
        let left = Duration::from_millis(note.expires.saturating_sub(self.clock(now)));
        self.book().remember(note.reference.clone(), now + left, now)
    }

    /// Keeps the bytes of a call that goes on later.
    pub(super) fn keep_going(
        &self,
        reference: &ApprovalReference,
        call: Arc<ShownCall>,
        until: Instant,
    ) {
        self.book().keep_going(reference.clone(), call, until, Instant::now());
    }

    pub(super) fn go_on(&self, reference: &ApprovalReference) -> Option<Arc<ShownCall>> {
        self.book().go_on(reference)
    }

    /// Milliseconds since 1970, as far as what is sealed here goes.
    pub(super) fn clock(&self, at: Instant) -> u64 {
        let (began, since_1970) = self.0.began;
        let passed = at.saturating_duration_since(began).as_millis();
        since_1970.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX))
    }

    fn book(&self) -> MutexGuard<'_, ApprovalBook> {
        // Changes are single steps, so a panic elsewhere left it whole.
        self.0.book.lock()
    }
}

impl ConsentLedger for ApprovalQueue {
    fn run(&self, reference: &ApprovalReference) -> Result<(), Option<ApprovalOutcome>> {
        self.book().run(reference, Instant::now())
    }

    fn lay_down(&self, reference: &ApprovalReference) {
        self.book().used(reference, Instant::now());
    }
}

impl std::fmt::Debug for ApprovalQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApprovalQueue").field("waiting", &self.waiting().len()).finish()
    }
}

/// A call at the approval queue. Dropped, it is withdrawn.
#[derive(Debug)]
pub struct QueuedApproval {
    approvals: ApprovalQueue,
    waiting: WaitingApproval,
    deadline: Instant,
    answered: watch::Receiver<Option<ApprovalOutcome>>,
    left: Option<Instant>,
    is_over: bool,
}

impl QueuedApproval {
    pub fn reference(&self) -> &ApprovalReference {
        &self.waiting.reference
    }

    pub fn request(&self) -> &Arc<ApprovalRequest> {
        &self.waiting.request
    }

    /// How long its call was away to ask the person itself.
    pub fn was_away(&self) -> Duration {
        self.left.map_or(Duration::ZERO, |left| left.elapsed())
    }

    /// Somebody answered faster than a person can read: that is written down, and counts for nothing.
    pub fn say_too_fast(&self, approver: &Approver) {
        let (approval, channel) = (&self.waiting.reference, approver.channel);
        debug!(%approval, channel, after = ?approver.after, "answered by a machine");
        self.waiting.request.note.too_fast(approval, approver);
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What was said over a channel of the caller's own, which showed this much; another one may have
    /// been faster. `false` if it was not taken because not all was shown.
    pub fn say(&self, choice: ApprovalChoice, approver: Approver, seen: Option<Digest>) -> bool {
        let verdict = ApprovalVerdict { choice, approver, reason: None, seen };
        self.approvals.answer(&self.waiting.reference, verdict) != Err(NotWaiting::Unseen)
    }

    /// Nobody could be asked after all.
    pub fn say_unheard(&self) {
        self.approvals.give_up(&self.waiting.reference, ApprovalOutcome::Unheard);
    }

    /// Waits for the first answer, and uses it: there is none a second time. Until then it may be
    /// dropped and called again.
    pub async fn settled(&mut self) -> Result<ApprovalConsent, ApprovalOutcome> {
        if self.is_over {
            return Err(ApprovalOutcome::Withdrawn);
        }
        let answered = self.answered.wait_for(|settled| settled.is_some());
        if tokio::time::timeout_at(self.deadline, answered).await.is_err() {
            self.approvals.give_up(&self.waiting.reference, ApprovalOutcome::Expired);
        }
        self.take()
    }

    /// The answer that is there already, used; where there is none it is not waited for any more.
    pub fn settled_by_now(mut self) -> Option<Result<ApprovalConsent, ApprovalOutcome>> {
        let is_settled = self.answered.borrow().is_some();
        is_settled.then(|| self.take())
    }

    fn take(&mut self) -> Result<ApprovalConsent, ApprovalOutcome> {
        self.is_over = true;
        let (request, reference) = (&self.waiting.request, &self.waiting.reference);
        let mut book = self.approvals.book();
        // An answer of the very last moment counts, as whoever gave it was told.
        if book.claim(reference) {
            let mut fate = self.answered.clone();
            fate.mark_unchanged();
            let pending =
                PendingConsent::new(Arc::new(self.approvals.clone()), reference.clone(), fate);
            let consent = ApprovalConsent::to(request.subject, Arc::clone(&request.call));
            return Ok(consent.pending_as(pending));
        }
        book.used(reference, Instant::now());
        let settled = self.answered.borrow().clone();
        Err(match settled {
            // Its yes was used already.
            Some(ApprovalOutcome::Answered(verdict)) if verdict.choice != ApprovalChoice::Deny => {
                ApprovalOutcome::Withdrawn
            }
            settled => settled.unwrap_or(ApprovalOutcome::Withdrawn),
        })
    }

    /// The caller comes back for the answer; nobody else is told that it left.
    pub fn leave(mut self) {
        self.is_over = true;
        let (approvals, reference) = (self.approvals.clone(), self.waiting.reference.clone());
        if let Some(deadline) = approvals.book().leave(&reference, Instant::now()) {
            tokio::spawn({
                let approvals = approvals.clone();
                async move {
                    tokio::time::sleep_until(deadline).await;
                    approvals.give_up(&reference, ApprovalOutcome::Expired);
                }
            });
        }
    }
}

impl Drop for QueuedApproval {
    fn drop(&mut self) {
        if !self.is_over {
            self.approvals.give_up(&self.waiting.reference, ApprovalOutcome::Withdrawn);
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
