//! A question that a call's own client shows, until it is answered or of no use any more: also while a
//! call that somebody else approved is on its way, since a no wins until it runs.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolgate_guard::{ApprovalQueue, ApprovalVerdict, PendingConsent, Refusal};
use toolgate_types::{ApprovalChoice, ApprovalReply, Asker, FormAnswer};
use tracing::debug;

use super::approval_form::{ApprovalForm, TimedAnswer};
use super::call_trouble::CallTrouble;

/// A form that is open. Dropped, it is taken away.
pub(super) struct OpenForm {
    asking: Pin<Box<dyn Future<Output = ApprovalReply> + Send>>,
    pub(super) form: ApprovalForm,
    pub(super) channel: &'static str,
    /// Until it is said when it was written.
    asked: Instant,
}

impl OpenForm {
    pub(super) fn show(asker: Arc<dyn Asker>, channel: &'static str, form: ApprovalForm) -> Self {
        let question = form.question.clone();
        Self {
            asking: Box::pin(async move { asker.approve(question).await }),
            form,
            channel,
            asked: Instant::now(),
        }
    }

    /// Says why it is of no use any more, for the person who sees it.
    pub(super) fn is_over(&self, why: &'static str) {
        self.form.question.moment.is_over(why);
    }

    /// What was said in it, timed from when it was written.
    pub(super) fn timed(&self, answer: Option<FormAnswer>, fastest: Duration) -> TimedAnswer {
        let written = self.form.question.moment.elapsed();
        let after = written.unwrap_or_else(|| self.asked.elapsed());
        TimedAnswer::new(answer, self.channel, after, fastest)
    }
}

/// What is said in it, which closes it. Where none is open, nothing is ever said.
pub(super) async fn reply_of(open: &mut Option<OpenForm>) -> (ApprovalReply, OpenForm) {
    let Some(form) = open else { return pending().await };
    let reply = form.asking.as_mut().await;
    match open.take() {
        Some(form) => (reply, form),
        None => pending().await,
    }
}

/// A yes on its way to being used, and the form in which a no may still be said.
pub(super) struct RevocableApproval {
    approvals: ApprovalQueue,
    pending: Arc<PendingConsent>,
    form: Option<OpenForm>,
    fastest: Duration,
}

impl RevocableApproval {
    pub(super) fn new(
        approvals: &ApprovalQueue,
        pending: &Arc<PendingConsent>,
        form: Option<OpenForm>,
        fastest: Duration,
    ) -> Self {
        Self { approvals: approvals.clone(), pending: Arc::clone(pending), form, fastest }
    }

    /// Does some work of the call, unless somebody says no before it runs.
    pub(super) async fn unless_declined<T>(
        &mut self,
        work: impl Future<Output = Result<T, CallTrouble>>,
    ) -> Result<T, CallTrouble> {
        let Self { approvals, pending, form, fastest } = self;
        let decided = pending.decided();
        tokio::pin!(work, decided);
        loop {
            tokio::select! {
                biased;
                (reply, open) = reply_of(form) => {
                    let channel = open.channel;
                    let TimedAnswer { approver, is_machine, .. } = open.timed(None, *fastest);
                    let is_no = matches!(
                        reply,
                        ApprovalReply::Said(ApprovalChoice::Deny) | ApprovalReply::Declined
                    );
                    if is_no && !is_machine {
                        let choice = ApprovalChoice::Deny;
                        let no = ApprovalVerdict { choice, approver, reason: None, seen: None };
                        let taken = approvals.answer(pending.reference(), no);
                        debug!(approval = %pending.reference(), channel, ?taken, "a no after a yes");
                    }
                }
                decided = &mut decided => {
                    // It runs, or never will: nobody has to be asked any more.
                    if let Some(form) = form.take() {
                        form.is_over(match decided {
                            Ok(()) => "it was approved elsewhere, and runs",
                            Err(_) => "it was declined elsewhere",
                        });
                    }
                    decided.map_err(Refusal::from)?;
                    return work.await;
                }
                done = &mut work => return done,
            }
        }
    }
}
