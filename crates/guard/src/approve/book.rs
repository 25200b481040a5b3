//! Who waits, what was answered, what was used, what was granted. Bookkeeping only: the clock is
//! passed in, and nobody is told from here.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;
use toolgate_types::{ApprovalChoice, Caller, Digest, Principal, SessionId};

use super::waiting_client::WaitingClient;
use super::{Reference, Settled, ShownCall, Verdict, Waiting};
use crate::Grant;

/// More calls than this do not wait at once: whoever would have to answer them cannot.
const MOST_WAITING: usize = 4096;

/// Of one client fewer do: it could fill the queue, and with it the person's eyes.
const MOST_OF_ONE_CLIENT: usize = 32;

/// More answers than this are not kept for sessions; the oldest go first.
const MOST_GRANTS: usize = 4096;

/// So many that are over are kept in mind before it is looked who can be forgotten.
const FEW: usize = 1024;

/// Why an answer was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotWaiting {
    #[error("no call with this reference is waiting")]
    Unknown,
    #[error("it was answered already")]
    Answered,
    #[error("that was not offered for this call")]
    NotOffered,
    #[error("this call was not shown whole, so it cannot be approved from here")]
    Unseen,
}

/// Why a call that came back finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Gone {
    /// Never here: another daemon asked, or this one before it was started again.
    #[error("nothing is known of it here")]
    Unknown,
    #[error("it was used already")]
    Used,
    /// The same call is here already, waiting.
    #[error("it is under way already")]
    UnderWay,
    #[error("it was for something else")]
    Other,
}

/// A petition and what became of it so far.
struct Slot {
    waiting: Waiting,
    deadline: Instant,
    /// Whether a call waits for it right now.
    is_attended: bool,
    settled: watch::Sender<Option<Settled>>,
}

/// A petition that is over.
struct Over {
    /// From then on nobody can come back with it any more.
    until: Instant,
    was_answered: bool,
}

#[derive(Default)]
pub(super) struct Book {
    slots: HashMap<Reference, Slot>,
    over: HashMap<Reference, Over>,
    /// How many of those there may be before they are looked through again.
    forgets_at: usize,
    grants: Vec<Grant>,
    /// What was approved and goes on after its server asked for something, and until when.
    going_on: HashMap<Reference, (Arc<ShownCall>, Instant)>,
}

impl Book {
    /// Whether there is no room for another one of this caller.
    pub(super) fn is_full(&self, caller: Option<&Caller>) -> bool {
        let client = caller.map(WaitingClient::of);
        let is_its = |slot: &&Slot| {
            let other = slot.waiting.petition.caller.as_deref().map(WaitingClient::of);
            client.is_some() && slot.is_open() && other == client
        };
        self.slots.len() >= MOST_WAITING
            || self.slots.values().filter(is_its).count() >= MOST_OF_ONE_CLIENT
    }

    /// Keeps what goes on, until it does or it is too late.
    pub(super) fn keep_going(
        &mut self,
        reference: Reference,
        call: Arc<ShownCall>,
        until: Instant,
        now: Instant,
    ) {
        self.going_on.retain(|_, (_, until)| now < *until);
        self.going_on.insert(reference, (call, until));
    }

    /// What goes on now, once.
    pub(super) fn go_on(&mut self, reference: &Reference) -> Option<Arc<ShownCall>> {
        self.going_on.remove(reference).map(|(call, _)| call)
    }

    pub(super) fn knows(&self, reference: &Reference) -> bool {
        self.slots.contains_key(reference) || self.over.contains_key(reference)
    }

    pub(super) fn put(
        &mut self,
        waiting: Waiting,
        deadline: Instant,
    ) -> watch::Receiver<Option<Settled>> {
        let (settled, answered) = watch::channel(None);
        let reference = waiting.reference.clone();
        self.slots.insert(reference, Slot { waiting, deadline, is_attended: true, settled });
        answered
    }

    /// Those that nobody answered yet, the oldest first.
    pub(super) fn waiting(&self, now: Instant) -> Vec<Waiting> {
        let open = self.slots.values().filter(|slot| slot.is_open() && now < slot.deadline);
        let mut waiting: Vec<_> = open.map(|slot| slot.waiting.clone()).collect();
        waiting.sort_by(|one, other| {
            one.since.cmp(&other.since).then_with(|| one.reference.cmp(&other.reference))
        });
        waiting
    }

    /// The first answer counts.
    pub(super) fn answer(
        &mut self,
        reference: &Reference,
        verdict: Verdict,
        now: Instant,
    ) -> Result<Waiting, NotWaiting> {
        let Some(slot) = self.slots.get(reference) else {
            let over = self.over.get(reference);
            return Err(match over.is_some_and(|over| over.was_answered) {
                true => NotWaiting::Answered,
                false => NotWaiting::Unknown,
            });
        };
        if !slot.is_open() {
            return Err(NotWaiting::Answered);
        }
        if now >= slot.deadline {
            return Err(NotWaiting::Unknown);
        }
        let petition = &slot.waiting.petition;
        if !petition.choices().contains(&verdict.choice) {
            return Err(NotWaiting::NotOffered);
        }
        let is_seen = verdict.seen.is_some_and(|seen| petition.is_whole(seen));
        if verdict.choice != ApprovalChoice::Deny && !is_seen {
            return Err(NotWaiting::Unseen);
        }
        if let (ApprovalChoice::Session, Some(grant)) = (verdict.choice, &petition.grant) {
            self.grants.retain(|known| known != grant);
            if self.grants.len() >= MOST_GRANTS {
                self.grants.remove(0);
            }
            self.grants.push(grant.clone());
        }
        slot.settled.send_replace(Some(Settled::Answered(verdict)));
        Ok(slot.waiting.clone())
    }

    /// Ends one without an answer, and gives it to be told of; what had one keeps it.
    pub(super) fn give_up(
        &mut self,
        reference: &Reference,
        how: Settled,
        now: Instant,
    ) -> Option<Waiting> {
        let slot = self.end(reference, now)?;
        slot.is_open().then(|| {
            slot.settled.send_replace(Some(how));
            slot.waiting
        })
    }

    /// Whoever waited has its answer: nobody gets it again.
    pub(super) fn used(&mut self, reference: &Reference, now: Instant) {
        self.end(reference, now);
    }

    fn end(&mut self, reference: &Reference, now: Instant) -> Option<Slot> {
        let slot = self.slots.remove(reference)?;
        let over = Over { until: slot.deadline, was_answered: !slot.is_open() };
        self.keep_in_mind(reference.clone(), over, now);
        Some(slot)
    }

    fn keep_in_mind(&mut self, reference: Reference, over: Over, now: Instant) {
        if self.over.len() >= self.forgets_at {
            self.forget(now);
            // Looked through only once it has doubled, so that many cost no more than few.
            self.forgets_at = self.over.len().saturating_mul(2).max(FEW);
        }
        self.over.insert(reference, over);
    }

    /// The call will come back for it.
    pub(super) fn leave(&mut self, reference: &Reference) -> Option<Instant> {
        let slot = self.slots.get_mut(reference)?;
        slot.is_attended = false;
        Some(slot.deadline)
    }

    /// It came back.
    pub(super) fn join(
        &mut self,
        reference: &Reference,
        subject: Digest,
        now: Instant,
    ) -> Result<(Waiting, Instant, watch::Receiver<Option<Settled>>), Gone> {
        if self.over.get(reference).is_some_and(|over| now < over.until) {
            return Err(Gone::Used);
        }
        let slot = self.slots.get_mut(reference).ok_or(Gone::Unknown)?;
        if slot.waiting.petition.subject != subject {
            return Err(Gone::Other);
        }
        if std::mem::replace(&mut slot.is_attended, true) {
            return Err(Gone::UnderWay);
        }
        Ok((slot.waiting.clone(), slot.deadline, slot.settled.subscribe()))
    }

    /// What is too old to be used again needs no memory.
    fn forget(&mut self, now: Instant) {
        self.over.retain(|_, over| now < over.until);
    }

    /// Notes that this was used; `false` if it was before, or is too old.
    pub(super) fn remember(&mut self, reference: Reference, until: Instant, now: Instant) -> bool {
        if self.knows(&reference) || now >= until {
            return false;
        }
        self.keep_in_mind(reference, Over { until, was_answered: true }, now);
        true
    }

    /// What a person granted for a session.
    pub(super) fn grants(&self, principal: &Principal, session: &SessionId) -> Vec<Grant> {
        let is_its = |grant: &&Grant| grant.session == *session && grant.principal == *principal;
        self.grants.iter().filter(is_its).cloned().collect()
    }

    /// Nothing is granted for it any more, and nobody waits in it; those that did, to be told of.
    pub(super) fn end_session(&mut self, session: &SessionId, now: Instant) -> Vec<Waiting> {
        self.grants.retain(|grant| grant.session != *session);
        let is_its = |slot: &&Slot| {
            let caller: Option<&Arc<Caller>> = slot.waiting.petition.caller.as_ref();
            caller.and_then(|caller| caller.session.as_ref()) == Some(session)
        };
        let its = self.slots.values().filter(is_its);
        let its: Vec<_> = its.map(|slot| slot.waiting.reference.clone()).collect();
        let withdrawn = its.iter().filter_map(|one| self.give_up(one, Settled::Withdrawn, now));
        withdrawn.collect()
    }
}

impl Slot {
    fn is_open(&self) -> bool {
        self.settled.borrow().is_none()
    }
}

#[cfg(test)]
mod tests;
