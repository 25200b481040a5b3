//! Who waits, what was answered, what was used, what was granted. Bookkeeping only: the clock is
//! passed in, and nobody is told from here.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;
use toolgate_types::{ApprovalChoice, Caller, Digest, Principal, SessionId};

use super::waiting_client::WaitingClient;
use super::{ApprovalOutcome, ApprovalReference, ApprovalVerdict, ShownCall, WaitingApproval};
use crate::SessionGrant;

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
    /// A no that came too late.
    #[error("it already ran")]
    AlreadyRan,
    #[error("that was not offered for this call")]
    NotOffered,
    #[error("this call was not shown whole, so it cannot be approved from here")]
    Unseen,
}

/// Why a call that came back finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalGone {
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

/// An approval request and what became of it so far.
struct BookedApproval {
    waiting: WaitingApproval,
    deadline: Instant,
    /// Whether a call waits for it right now.
    is_attended: bool,
    /// Whether that call has its yes and is about to use it. Until it does, a no still wins.
    is_claimed: bool,
    /// When its call left to ask the person itself.
    left: Option<Instant>,
    settled: watch::Sender<Option<ApprovalOutcome>>,
}

/// An approval request that is over.
struct FinishedApproval {
    /// From then on nobody can come back with it any more.
    until: Instant,
    ending: ApprovalEnding,
}

/// What became of an approval request that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApprovalEnding {
    Unanswered,
    Answered,
    /// It was approved, and went to its server.
    Ran,
}

/// One that a call came back for.
pub(super) struct RejoinedApproval {
    pub(super) waiting: WaitingApproval,
    pub(super) deadline: Instant,
    pub(super) answered: watch::Receiver<Option<ApprovalOutcome>>,
    pub(super) left: Option<Instant>,
}

#[derive(Default)]
pub(super) struct ApprovalBook {
    slots: HashMap<ApprovalReference, BookedApproval>,
    over: HashMap<ApprovalReference, FinishedApproval>,
    /// How many of those there may be before they are looked through again.
    forgets_at: usize,
    grants: Vec<SessionGrant>,
    /// What was approved and goes on after its server asked for something, and until when.
    going_on: HashMap<ApprovalReference, (Arc<ShownCall>, Instant)>,
}

impl ApprovalBook {
    /// Whether there is no room for another one of this caller.
    pub(super) fn is_full(&self, caller: Option<&Caller>) -> bool {
        let client = caller.map(WaitingClient::of);
        let is_its = |slot: &&BookedApproval| {
            let other = slot.waiting.request.caller.as_deref().map(WaitingClient::of);
            client.is_some() && slot.is_open() && other == client
        };
        self.slots.len() >= MOST_WAITING
            || self.slots.values().filter(is_its).count() >= MOST_OF_ONE_CLIENT
    }

    /// Keeps what goes on, until it does or it is too late.
    pub(super) fn keep_going(
        &mut self,
        reference: ApprovalReference,
        call: Arc<ShownCall>,
        until: Instant,
        now: Instant,
    ) {
        self.going_on.retain(|_, (_, until)| now < *until);
        self.going_on.insert(reference, (call, until));
    }

    /// What goes on now, once.
    pub(super) fn go_on(&mut self, reference: &ApprovalReference) -> Option<Arc<ShownCall>> {
        self.going_on.remove(reference).map(|(call, _)| call)
    }

    pub(super) fn knows(&self, reference: &ApprovalReference) -> bool {
        self.slots.contains_key(reference) || self.over.contains_key(reference)
    }

    pub(super) fn put(
        &mut self,
        waiting: WaitingApproval,
        deadline: Instant,
    ) -> watch::Receiver<Option<ApprovalOutcome>> {
        let (settled, answered) = watch::channel(None);
        let reference = waiting.reference.clone();
        self.slots.insert(
            reference,
            BookedApproval {
                waiting,
                deadline,
                is_attended: true,
                is_claimed: false,
                left: None,
                settled,
            },
        );
        answered
    }

    /// Those that nobody answered yet, the oldest first.
    pub(super) fn waiting(&self, now: Instant) -> Vec<WaitingApproval> {
        let open = self.slots.values().filter(|slot| slot.is_open() && now < slot.deadline);
        let mut waiting: Vec<_> = open.map(|slot| slot.waiting.clone()).collect();
        waiting.sort_by(|one, other| {
            one.since.cmp(&other.since).then_with(|| one.reference.cmp(&other.reference))
        });
        waiting
    }

    /// The one of this reference that waits, or whose yes was not used yet.
    pub(super) fn find(
        &self,
        reference: &ApprovalReference,
        now: Instant,
    ) -> Option<WaitingApproval> {
        let slot = self.slots.get(reference)?;
        (slot.is_approved() || slot.is_open() && now < slot.deadline).then(|| slot.waiting.clone())
    }

    /// Why an answer to this finds nobody.
    pub(super) fn why_not(&self, reference: &ApprovalReference) -> NotWaiting {
        match self.over.get(reference).map(|over| over.ending) {
            Some(ApprovalEnding::Ran) => NotWaiting::AlreadyRan,
            Some(ApprovalEnding::Answered) => NotWaiting::Answered,
            Some(ApprovalEnding::Unanswered) | None => NotWaiting::Unknown,
        }
    }

    /// The first answer counts, but for a no, which wins until the call runs.
    pub(super) fn answer(
        &mut self,
        reference: &ApprovalReference,
        verdict: ApprovalVerdict,
        now: Instant,
    ) -> Result<WaitingApproval, NotWaiting> {
        let Some(slot) = self.slots.get(reference) else { return Err(self.why_not(reference)) };
        let is_overruling = slot.is_approved() && verdict.choice == ApprovalChoice::Deny;
        if !slot.is_open() && !is_overruling {
            return Err(NotWaiting::Answered);
        }
        // Once it was approved it runs, however late that is.
        if now >= slot.deadline && !is_overruling {
            return Err(NotWaiting::Unknown);
        }
        let request = &slot.waiting.request;
        if !request.choices().contains(&verdict.choice) {
            return Err(NotWaiting::NotOffered);
        }
        let is_seen = verdict.seen.is_some_and(|seen| request.is_whole(seen));
        if verdict.choice != ApprovalChoice::Deny && !is_seen {
            return Err(NotWaiting::Unseen);
        }
        if let (true, Some(grant)) = (slot.granted(), &request.grant) {
            self.grants.retain(|known| known != grant);
        }
        if let (ApprovalChoice::Session, Some(grant)) = (verdict.choice, &request.grant) {
            // Not by a method of its own: what is answered is still borrowed.
            push_grant(&mut self.grants, grant.clone());
        }
        slot.settled.send_replace(Some(ApprovalOutcome::Answered(verdict)));
        Ok(slot.waiting.clone())
    }

    /// Ends one without an answer, and gives it to be told of; what had one keeps it.
    pub(super) fn give_up(
        &mut self,
        reference: &ApprovalReference,
        how: ApprovalOutcome,
        now: Instant,
    ) -> Option<WaitingApproval> {
        // Whoever has its yes uses it, or lays it down.
        if self.slots.get(reference)?.is_claimed {
            return None;
        }
        let slot = self.end(reference, now)?;
        slot.is_open().then(|| {
            slot.settled.send_replace(Some(how));
            slot.waiting
        })
    }

    /// The yes is handed to the call that waited, which will use it or lay it down; `false` where
    /// there is none any more.
    pub(super) fn claim(&mut self, reference: &ApprovalReference) -> bool {
        let approved = self.slots.get_mut(reference).filter(|slot| slot.is_approved());
        approved.is_some_and(|slot| !std::mem::replace(&mut slot.is_claimed, true))
    }

    /// The call goes to its server now: from here on no answer changes that. If it was declined
    /// since, what was said.
    pub(super) fn run(
        &mut self,
        reference: &ApprovalReference,
        now: Instant,
    ) -> Result<(), Option<ApprovalOutcome>> {
        let slot = self.slots.get(reference).ok_or(None)?;
        if !slot.is_approved() {
            return Err(slot.settled.borrow().clone());
        }
        self.end_as(reference, ApprovalEnding::Ran, now);
        Ok(())
    }

    /// Whoever waited has its answer, or needs none any more: nobody gets it again.
    pub(super) fn used(&mut self, reference: &ApprovalReference, now: Instant) {
        self.end(reference, now);
    }

    fn end(&mut self, reference: &ApprovalReference, now: Instant) -> Option<BookedApproval> {
        let ending = match self.slots.get(reference)?.is_open() {
            true => ApprovalEnding::Unanswered,
            false => ApprovalEnding::Answered,
        };
        self.end_as(reference, ending, now)
    }

    fn end_as(
        &mut self,
        reference: &ApprovalReference,
        ending: ApprovalEnding,
        now: Instant,
    ) -> Option<BookedApproval> {
        let slot = self.slots.remove(reference)?;
        let over = FinishedApproval { until: slot.deadline, ending };
        self.keep_in_mind(reference.clone(), over, now);
        Some(slot)
    }

    fn keep_in_mind(&mut self, reference: ApprovalReference, over: FinishedApproval, now: Instant) {
        if self.over.len() >= self.forgets_at {
            self.forget(now);
            // Looked through only once it has doubled, so that many cost no more than few.
            self.forgets_at = self.over.len().saturating_mul(2).max(FEW);
        }
        self.over.insert(reference, over);
    }

    /// The call will come back for it.
    pub(super) fn leave(&mut self, reference: &ApprovalReference, now: Instant) -> Option<Instant> {
        let slot = self.slots.get_mut(reference)?;
        slot.is_attended = false;
        slot.left = Some(now);
        Some(slot.deadline)
    }

    /// It came back.
    pub(super) fn join(
        &mut self,
        reference: &ApprovalReference,
        subject: Digest,
        now: Instant,
    ) -> Result<RejoinedApproval, ApprovalGone> {
        if self.over.get(reference).is_some_and(|over| now < over.until) {
            return Err(ApprovalGone::Used);
        }
        let slot = self.slots.get_mut(reference).ok_or(ApprovalGone::Unknown)?;
        if slot.waiting.request.subject != subject {
            return Err(ApprovalGone::Other);
        }
        if slot.is_claimed || std::mem::replace(&mut slot.is_attended, true) {
            return Err(ApprovalGone::UnderWay);
        }
        Ok(RejoinedApproval {
            waiting: slot.waiting.clone(),
            deadline: slot.deadline,
            answered: slot.settled.subscribe(),
            left: slot.left,
        })
    }

    /// What is too old to be used again needs no memory.
    fn forget(&mut self, now: Instant) {
        self.over.retain(|_, over| now < over.until);
    }

    /// Notes that this was used; `false` if it was before, or is too old.
    pub(super) fn remember(
        &mut self,
        reference: ApprovalReference,
        until: Instant,
        now: Instant,
    ) -> bool {
        if self.knows(&reference) || now >= until {
            return false;
        }
        self.keep_in_mind(reference, FinishedApproval { until, ending: ApprovalEnding::Ran }, now);
        true
    }

    /// Something that was granted before.
    pub(super) fn grant(&mut self, grant: SessionGrant) {
        push_grant(&mut self.grants, grant);
    }

    pub(super) fn has_granted(&self, grant: &SessionGrant) -> bool {
        self.grants.contains(grant)
    }

    /// What a person granted for a session.
    pub(super) fn grants(&self, principal: &Principal, session: &SessionId) -> Vec<SessionGrant> {
        let is_its =
            |grant: &&SessionGrant| grant.session == *session && grant.principal == *principal;
        self.grants.iter().filter(is_its).cloned().collect()
    }

    /// Nothing is granted for it any more, and nobody waits in it; those that did, to be told of.
    pub(super) fn end_session(
        &mut self,
        session: &SessionId,
        now: Instant,
    ) -> Vec<WaitingApproval> {
        self.grants.retain(|grant| grant.session != *session);
        let is_its = |slot: &&BookedApproval| {
            let caller: Option<&Arc<Caller>> = slot.waiting.request.caller.as_ref();
            // An answer that was given counts for the call that is there for it.
            let is_taken = slot.is_attended && !slot.is_open();
            !is_taken && caller.and_then(|caller| caller.session.as_ref()) == Some(session)
        };
        let its = self.slots.values().filter(is_its);
        let its: Vec<_> = its.map(|slot| slot.waiting.reference.clone()).collect();
        let withdrawn =
            its.iter().filter_map(|one| self.give_up(one, ApprovalOutcome::Withdrawn, now));
        withdrawn.collect()
    }
}

/// The latest comes last, and the oldest goes where there are too many.
fn push_grant(grants: &mut Vec<SessionGrant>, grant: SessionGrant) {
    grants.retain(|known| *known != grant);
    if grants.len() >= MOST_GRANTS {
        grants.remove(0);
    }
    grants.push(grant);
}

impl BookedApproval {
    fn is_open(&self) -> bool {
        self.settled.borrow().is_none()
    }

    /// Whether somebody said yes, and nobody said no since.
    fn is_approved(&self) -> bool {
        self.choice().is_some_and(|choice| choice != ApprovalChoice::Deny)
    }

    /// Whether its yes was for the session.
    fn granted(&self) -> bool {
        self.choice() == Some(ApprovalChoice::Session)
    }

    fn choice(&self) -> Option<ApprovalChoice> {
        match &*self.settled.borrow() {
            Some(ApprovalOutcome::Answered(verdict)) => Some(verdict.choice),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
