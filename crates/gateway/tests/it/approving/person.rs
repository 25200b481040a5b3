//! Somebody who looks at the desk and answers there, as the queue does.

use tokio::sync::broadcast::Receiver;
use toolgate_host::{
    ApprovalChoice, Approver, Desk, News, NotWaiting, Reference, Settled, Verdict, Waiting,
};

use crate::gate::{Running, within};

pub(crate) struct Person {
    desk: Desk,
    news: Receiver<News>,
}

impl Person {
    /// Can answer from now on.
    pub(crate) fn at_the_queue(gate: &Running) -> Self {
        gate.desk.open_queue();
        Self::who_only_watches(gate)
    }

    /// Hears of everything; no call counts on an answer.
    pub(crate) fn who_only_watches(gate: &Running) -> Self {
        Self { desk: gate.desk.clone(), news: gate.desk.listen() }
    }

    /// Waits for the next call that is put on the desk.
    pub(crate) async fn asked(&mut self) -> Waiting {
        loop {
            if let News::Asked(waiting) = within(self.news.recv()).await.unwrap() {
                return waiting;
            }
        }
    }

    /// Waits for the next one that is over, however it ended.
    pub(crate) async fn settled(&mut self) -> (Reference, Settled) {
        loop {
            if let News::Settled(reference, how) = within(self.news.recv()).await.unwrap() {
                return (reference, how);
            }
        }
    }

    /// What happened and was not looked at so far.
    pub(crate) fn unheard(&mut self) -> Vec<News> {
        std::iter::from_fn(|| self.news.try_recv().ok()).collect()
    }

    pub(crate) fn answers(
        &self,
        waiting: &Waiting,
        choice: ApprovalChoice,
    ) -> Result<(), NotWaiting> {
        answer(&self.desk, waiting, choice)
    }
}

/// What a person says at the queue.
pub(crate) fn answer(
    desk: &Desk,
    waiting: &Waiting,
    choice: ApprovalChoice,
) -> Result<(), NotWaiting> {
    let seen = Some(waiting.petition.shown.digest());
    let verdict = Verdict { choice, approver: Approver::over("queue"), reason: None, seen };
    desk.answer(&waiting.reference, verdict)
}
