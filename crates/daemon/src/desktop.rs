//! What waits, on the desktop: a notification for each call, with the answers as buttons.
//!
//! `notify-send` shows it. What is too long to be read in a notification cannot be allowed there:
//! nobody should allow what they cannot see.

mod browser;
mod login_notice;
mod notification;
mod notifier;

pub use browser::open_in_browser;
pub(crate) use login_notice::LoginNotices;

use std::collections::HashMap;
use std::time::Instant;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_config::Variables;
use toolgate_guard::{
    ApprovalQueue, ApprovalReference, ApprovalVerdict, Approver, QueueEvent, WaitingApproval,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::config::Channel;

use notification::DesktopNotification;
use notifier::{DesktopNotifier, NotifierReply};

/// More notifications than this are a wall; the rest waits in the queue alone.
const MOST: usize = 8;

/// A desktop that can be reached from here.
pub(crate) struct DesktopSession {
    approvals: ApprovalQueue,
    news: Receiver<QueueEvent>,
    notifier: DesktopNotifier,
}

impl DesktopSession {
    /// `None` where there is none. From now on it is one of the channels.
    pub(crate) fn open(approvals: &ApprovalQueue, variables: &Variables) -> Option<Self> {
        let notifier = DesktopNotifier::find(variables)?;
        let news = approvals.listen();
        approvals.open_desktop();
        Some(Self { approvals: approvals.clone(), news, notifier })
    }

    /// Shows what comes, and takes away what was settled elsewhere.
    pub(crate) async fn run(mut self) {
        let mut open: HashMap<ApprovalReference, CancellationToken> = HashMap::new();
        let mut showing = JoinSet::new();
        loop {
            tokio::select! {
                news = self.news.recv() => match news {
                    Ok(QueueEvent::Asked(waiting)) => {
                        if waiting.request.is_for(Channel::Desktop) && showing.len() < MOST {
                            let settled = CancellationToken::new();
                            open.insert(waiting.reference.clone(), settled.clone());
                            let (approvals, notifier) = (self.approvals.clone(), self.notifier.clone());
                            showing.spawn(show(approvals, notifier, waiting, settled));
                        }
                    }
                    Ok(QueueEvent::Settled(reference, _)) => {
                        if let Some(settled) = open.remove(&reference) {
                            settled.cancel();
                        }
                    }
                    Err(RecvError::Lagged(_)) => open.retain(|reference, settled| {
                        let waits = self.approvals.find(reference).is_some();
                        if !waits {
                            settled.cancel();
                        }
                        waits
                    }),
                    Err(RecvError::Closed) => return,
                },
                Some(shown) = showing.join_next() => {
                    if let Ok(reference) = shown {
                        open.remove(&reference);
                    }
                }
            }
        }
    }
}

/// Shows one until it is answered, here or elsewhere, or put away.
async fn show(
    approvals: ApprovalQueue,
    notifier: DesktopNotifier,
    waiting: WaitingApproval,
    settled: CancellationToken,
) -> ApprovalReference {
    let WaitingApproval { reference, request, .. } = waiting;
    let notification = DesktopNotification::of(&request);
    let written = Instant::now();
    match notifier.show(&notification.asking(), &settled).await {
        NotifierReply::Word(word) => {
            let approver = Approver::over("desktop").after(written.elapsed());
            let choice = ApprovalChoice::parse(&word).filter(|choice| notification.offers(*choice));
            if written.elapsed() < request.fastest_answer {
                request.note.too_fast(&reference, &approver);
            } else if let Some(choice) = choice {
                // Another channel may have been faster.
                let seen = notification.seen();
                let verdict = ApprovalVerdict { choice, approver, reason: None, seen };
                let _ = approvals.answer(&reference, verdict);
            }
        }
        // An older one has no buttons; that something waits can be told all the same.
        NotifierReply::Failed => _ = notifier.show(&notification.telling(), &settled).await,
        NotifierReply::Nothing => {}
    }
    reference
}
