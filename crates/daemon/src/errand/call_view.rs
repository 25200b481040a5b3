//! What the person sees while something is carried out: the server's reports, and that another person,
//! or they themselves elsewhere, are waited for.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use toolgate_guard::{
    ApprovalOutcome, ApprovalReference, ApprovalVerdict, QueueEvent, WaitingApproval,
};
use toolgate_host::CallOptions;
use toolgate_types::config::Channel;
use toolgate_types::{Caller, OperationOutcome, quiet_queue};

use super::shown_output::ShownOutput;
use super::{CarryFailure, ErrandHost, TERMINAL_CHANNEL};

/// Reports that wait to be shown; a server that sends more is heard a little later.
const REPORTS: usize = 64;

/// How long it may take to hear who answered.
const SOON: Duration = Duration::from_secs(1);

/// How a call is made in view of a person.
pub(super) struct CallManner<'s> {
    pub(super) options: CallOptions,
    pub(super) waits: bool,
    /// Where what a command prints is shown while it runs.
    pub(super) output: Option<&'s mut ShownOutput>,
}

/// Waits for the outcome and shows what is told meanwhile. Where no person is to be waited for, and one
/// would be, there is none.
pub(super) async fn in_view<F>(
    hosted: &ErrandHost,
    caller: &Arc<Caller>,
    CallManner { options, waits, output: mut shown }: CallManner<'_>,
    work: impl FnOnce(CallOptions) -> F,
) -> Result<Option<OperationOutcome>, CarryFailure>
where
    F: Future<Output = Result<OperationOutcome, CarryFailure>>,
{
    let (sender, mut remarked) = quiet_queue(REPORTS);
    let remarks = hosted.progress.is_watched().then_some(sender);
    // One at a time: what is not shown yet is not read.
    let (printer, mut pieces) = mpsc::channel(1);
    let output = shown.is_some().then_some(printer);
    let options = CallOptions { remarks, output, ..options };
    let mut news = hosted.host.approvals().listen();
    let mut approval = CallApproval { hosted, caller, waits, waiting: None };
    let mut work = std::pin::pin!(work(options));
    let outcome = loop {
        tokio::select! {
            // A question is off the screen before anything is said of its answer.
            biased;
            outcome = &mut work => break outcome.map(Some),
            Some(remark) = remarked.recv() => hosted.hear(&remark),
            Some(piece) = pieces.recv() => {
                if let Some(shown) = &mut shown {
                    shown.show(piece, &*hosted.progress).await;
                }
            }
            heard = news.recv() => {
                if let Ok(news) = heard {
                    approval.hear(news);
                }
                if approval.is_waited_for_in_vain() {
                    return Ok(None);
                }
            }
        }
    };
    let is_asked_elsewhere = matches!(
        outcome,
        Ok(Some(OperationOutcome::InputRequired(_) | OperationOutcome::ApprovalRequired(_)))
    );
    if !is_asked_elsewhere {
        // It is told right after it counts, which a quick call may overtake.
        let settled = async {
            while approval.is_to_be_told() {
                let Ok(news) = news.recv().await else { return };
                approval.hear(news);
            }
        };
        let _ = tokio::time::timeout(SOON, settled).await;
    }
    // What came together with the answer.
    while let Some(remark) = remarked.try_recv() {
        hosted.hear(&remark);
    }
    while let (Some(shown), Ok(piece)) = (&mut shown, pieces.try_recv()) {
        shown.show(piece, &*hosted.progress).await;
    }
    outcome
}

/// The reference under which a call of this caller waits, where somebody can answer it.
pub(super) fn reference_of(hosted: &ErrandHost, caller: &Arc<Caller>) -> Option<String> {
    let approvals = hosted.host.approvals();
    let found = approvals.waiting().into_iter().find(|one| is_of(one, caller));
    found.filter(|_| approvals.has_queue()).map(|one| one.reference.to_string())
}

/// Each call has a caller of its own.
fn is_of(waiting: &WaitingApproval, caller: &Arc<Caller>) -> bool {
    waiting.request.caller.as_ref().is_some_and(|known| Arc::ptr_eq(known, caller))
}

/// What becomes of asking about the call.
struct CallApproval<'a> {
    hosted: &'a ErrandHost,
    caller: &'a Arc<Caller>,
    waits: bool,
    waiting: Option<WaitingApproval>,
}

impl CallApproval<'_> {
    fn is_about(&self, reference: &ApprovalReference) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| waiting.reference == *reference)
    }

    /// Whoever does not wait says so over the channel that is its own. Without that one it has to be
    /// seen here.
    fn is_waited_for_in_vain(&self) -> bool {
        let is_held = |one: &WaitingApproval| !one.request.is_for(Channel::Agent);
        !self.waits && self.waiting.as_ref().is_some_and(is_held)
    }

    /// Whether the person was asked, and does not know yet that it was answered.
    fn is_to_be_told(&self) -> bool {
        self.hosted.is_asked_here && self.waiting.is_some()
    }

    /// From now on the server is waited for.
    fn settled(&mut self, how: &ApprovalOutcome) {
        let Some(waiting) = self.waiting.take() else { return };
        let ErrandHost { progress, is_asked_here, .. } = self.hosted;
        if let ApprovalOutcome::Answered(ApprovalVerdict { choice, approver, .. }) = how
            && *is_asked_here
            && approver.channel != TERMINAL_CHANNEL
        {
            progress.remark(&format!("answered elsewhere ({}): {choice}", approver.channel));
        }
        progress.doing(&format!("waiting for {}", waiting.request.server));
    }

    fn hear(&mut self, news: QueueEvent) {
        match news {
            QueueEvent::Asked(waiting) if is_of(&waiting, self.caller) => {
                let is_asked_here =
                    self.hosted.is_asked_here && waiting.request.is_for(Channel::Agent);
                if self.waits && !is_asked_here {
                    let words = format!("waiting for the user (ref {})", waiting.reference);
                    self.hosted.progress.remark(&words);
                }
                self.waiting = Some(waiting);
            }
            QueueEvent::Settled(reference, how) if self.is_about(&reference) => self.settled(&how),
            QueueEvent::Asked(_) | QueueEvent::Settled(..) => {}
        }
    }
}
