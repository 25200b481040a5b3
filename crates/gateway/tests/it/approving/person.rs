//! Somebody who looks at the approval queue and answers there, as the queue does.

use tokio::sync::broadcast::Receiver;
use toolgate_host::{
    ApprovalChoice, ApprovalOutcome, ApprovalQueue, ApprovalReference, ApprovalVerdict, Approver,
    NotWaiting, QueueEvent, WaitingApproval,
};

use crate::gate::{Running, within};

pub(crate) struct Person {
    approvals: ApprovalQueue,
    news: Receiver<QueueEvent>,
}

impl Person {
    /// Can answer from now on.
    pub(crate) fn at_the_queue(gate: &Running) -> Self {
        gate.approvals.open_queue();
        gate.approvals.note_person();
        Self::who_only_watches(gate)
    }

    /// Hears of everything; no call counts on an answer.
    pub(crate) fn who_only_watches(gate: &Running) -> Self {
        Self { approvals: gate.approvals.clone(), news: gate.approvals.listen() }
    }

    /// Waits for the next call that is put on the approval queue.
    pub(crate) async fn asked(&mut self) -> WaitingApproval {
        loop {
            if let QueueEvent::Asked(waiting) = within(self.news.recv()).await.unwrap() {
                return waiting;
            }
        }
    }

    /// Waits for the next one that is over, however it ended.
    pub(crate) async fn settled(&mut self) -> (ApprovalReference, ApprovalOutcome) {
        loop {
            if let QueueEvent::Settled(reference, how) = within(self.news.recv()).await.unwrap() {
                return (reference, how);
            }
        }
    }

    /// What happened and was not looked at so far.
    pub(crate) fn unheard(&mut self) -> Vec<QueueEvent> {
        std::iter::from_fn(|| self.news.try_recv().ok()).collect()
    }

    pub(crate) fn answers(
        &self,
        waiting: &WaitingApproval,
        choice: ApprovalChoice,
    ) -> Result<(), NotWaiting> {
        answer(&self.approvals, waiting, choice)
    }
}

/// What a person says at the queue.
pub(crate) fn answer(
    approvals: &ApprovalQueue,
    waiting: &WaitingApproval,
    choice: ApprovalChoice,
) -> Result<(), NotWaiting> {
    let seen = Some(waiting.request.shown.digest());
    let verdict = ApprovalVerdict { choice, approver: Approver::over("queue"), reason: None, seen };
    approvals.answer(&waiting.reference, verdict)
}
