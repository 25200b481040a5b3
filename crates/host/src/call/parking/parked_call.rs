//! A parked call: its rounds, who waits for it, and what became of it.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use toolgate_guard::{ApprovalReference, ParkedNote};
use toolgate_types::{
    CallError, CorrelationId, Digest, InputRequired, Principal, QuestionAnswer, QuietSender,
    RetryAnswers, ServerId, SessionId,
};
use toolgate_upstream::ServerRemark;

use super::FinishedWork;
use super::chain_round::ChainRound;
use crate::call::call_trouble::CallTrouble;

/// One chain, from the first question to the outcome and for a while after that.
pub(crate) struct ParkedCall {
    pub(super) reference: ApprovalReference,
    pub(super) server: ServerId,
    pub(super) principal: Principal,
    /// The only one that can come back, where the caller has one.
    pub(super) session: Option<SessionId>,
    subject: Digest,
    /// What exactly a person approved before it began, where one did.
    pub(super) approved: Option<Digest>,
    /// What the records of all rounds are known by.
    pub(super) chain: CorrelationId,
    state: Mutex<ChainState>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct ChainState {
    rounds: Vec<ChainRound>,
    outcome: Option<Result<FinishedWork, Box<CallError>>>,
    /// Requests of its caller that wait for what comes next, and what each of them hears.
    waiting: Vec<(u64, Option<QuietSender<ServerRemark>>)>,
    next_waiter: u64,
    /// Its caller's session is over.
    is_left: bool,
}

/// What comes after a round.
pub(super) enum ChainStep {
    Asked(InputRequired),
    Ended(Result<FinishedWork, Box<CallError>>),
}

impl ParkedCall {
    pub(super) fn new(
        server: ServerId,
        (principal, session): (Principal, Option<SessionId>),
        subject: Digest,
        approved: Option<Digest>,
        chain: CorrelationId,
    ) -> Self {
        let reference = ApprovalReference::random();
        let (state, changed) = (Mutex::default(), watch::Sender::default());
        Self { reference, server, principal, session, subject, approved, chain, state, changed }
    }

    pub(super) fn note(
        &self,
        round: usize,
        asked: Vec<String>,
        expires: Instant,
    ) -> ParkedNote<'_> {
        let Self { reference, subject, principal, .. } = self;
        ParkedNote { reference, subject: *subject, principal, round, asked, expires }
    }

    pub(super) fn is_of(&self, subject: Digest) -> bool {
        self.subject == subject
    }

    pub(super) fn rounds(&self) -> usize {
        self.state().rounds.len()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().outcome.is_some()
    }

    /// Whether its server waits for an answer.
    pub(super) fn is_asking(&self) -> bool {
        self.state().is_asking()
    }

    pub(super) fn ask(&self, round: ChainRound) {
        self.state().rounds.push(round);
        self.changed.send_replace(());
    }

    /// The answers to one round, once. Given again they are nothing new, and others are refused.
    pub(super) fn answer(&self, round: usize, given: RetryAnswers) -> Result<(), CallTrouble> {
        let refused = |why: &str| CallTrouble::State(why.to_owned());
        let mut state = self.state();
        let unknown = || refused("the state that came back is of a round that was never asked");
        let round = state.rounds.get_mut(round).ok_or_else(unknown)?;
        let mut given = given.responses;
        let missing = round.asked.questions.iter().map(|question| &question.key);
        let missing = missing.filter(|key| !given.iter().any(|(given, _)| given == *key));
        if let Some(key) = missing.into_iter().next() {
            return Err(CallTrouble::State(format!("the answer to `{key}` is missing")));
        }
        given.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut name = Sha256::new();
        for (key, answer) in &given {
            for part in [key.as_str(), answer.get()] {
                name.update(part.len().to_le_bytes());
                name.update(part);
            }
        }
        let name = Digest(name.finalize().into());
        match round.answered {
            Some(before) if before == name => return Ok(()),
            Some(_) => return Err(refused("this was answered already, and otherwise")),
            None => round.answered = Some(name),
        }
        for (key, answer) in std::mem::take(&mut round.answers) {
            if let Some(at) = given.iter().position(|(given, _)| *given == key) {
                let (_, raw) = given.swap_remove(at);
                // A server that does not want to know any more has gone.
                let _ = answer.send(QuestionAnswer::Answered(raw));
            }
        }
        drop(state);
        self.changed.send_replace(());
        Ok(())
    }

    /// What a server says goes to whoever waits.
    pub(super) fn tell(&self, remark: &ServerRemark) {
        for (_, listener) in &self.state().waiting {
            if let Some(listener) = listener {
                let _ = listener.try_send(remark.clone());
            }
        }
    }

    pub(super) fn end(&self, outcome: Result<FinishedWork, Box<CallError>>) {
        self.state().outcome = Some(outcome);
        self.changed.send_replace(());
    }

    /// Something was asked, answered or waited for since.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Nobody answers in time, or nobody waits for what was answered.
    pub(super) async fn given_up(&self) {
        let mut changes = self.changes();
        loop {
            changes.borrow_and_update();
            let expires = {
                let state = self.state();
                if state.is_left {
                    return;
                }
                match state.is_asking() {
                    true => state.rounds.last().map(|round| round.expires),
                    false if state.waiting.is_empty() => return,
                    false => None,
                }
            };
            let expired = async {
                match expires {
                    Some(expires) => sleep_until(expires).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = expired => return,
                // It is told by this very call.
                _ = changes.changed() => {}
            }
        }
    }

    /// Its caller is gone for good.
    pub(super) fn leave(&self) {
        self.state().is_left = true;
        self.changed.send_replace(());
    }

    /// From now on somebody waits for it.
    pub(super) fn wait(
        self: &Arc<Self>,
        listener: Option<QuietSender<ServerRemark>>,
    ) -> WaitingCaller {
        let mut state = self.state();
        state.next_waiter += 1;
        let number = state.next_waiter;
        state.waiting.push((number, listener));
        WaitingCaller { parked: Arc::clone(self), number }
    }

    fn state(&self) -> MutexGuard<'_, ChainState> {
        self.state.lock()
    }
}

impl ChainState {
    fn is_asking(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.answered.is_none())
    }

    fn after(&self, round: usize) -> Option<ChainStep> {
        match self.rounds.get(round + 1) {
            Some(next) => Some(ChainStep::Asked(next.asked.clone())),
            None => self.outcome.clone().map(ChainStep::Ended),
        }
    }
}

/// A request of the caller that waits for what comes next. The last one to leave gives the call up.
pub(super) struct WaitingCaller {
    parked: Arc<ParkedCall>,
    number: u64,
}

impl WaitingCaller {
    pub(super) async fn after(&self, round: usize) -> ChainStep {
        let mut changes = self.parked.changes();
        loop {
            changes.borrow_and_update();
            let step = self.parked.state().after(round);
            if let Some(step) = step {
                return step;
            }
            let _ = changes.changed().await;
        }
    }
}

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        self.parked.state().waiting.retain(|(number, _)| *number != self.number);
        self.parked.changed.send_replace(());
    }
}
