//! What waits, on the desktop: a notification for each call, with the answers as buttons.
//!
//! `notify-send` shows it. What is too long to be read in a notification cannot be allowed there:
//! nobody should allow what they cannot see.

mod notification;
mod notifier;

use std::collections::HashMap;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_config::Variables;
use toolgate_guard::{Approver, Desk, News, Reference, Verdict, Waiting};
use toolgate_types::ApprovalChoice;
use toolgate_types::config::Channel;

use notification::Notification;
use notifier::{Notifier, Said};

/// More notifications than this are a wall; the rest waits in the queue alone.
const MOST: usize = 8;

/// A desktop that can be reached from here.
pub(crate) struct Desktop {
    desk: Desk,
    news: Receiver<News>,
    notifier: Notifier,
}

impl Desktop {
    /// `None` where there is none. From now on it is one of the channels.
    pub(crate) fn open(desk: &Desk, variables: &Variables) -> Option<Self> {
        let notifier = Notifier::find(variables)?;
        let news = desk.listen();
        desk.open_desktop();
        Some(Self { desk: desk.clone(), news, notifier })
    }

    /// Shows what comes, and takes away what was settled elsewhere.
    pub(crate) async fn run(mut self) {
        let mut open: HashMap<Reference, CancellationToken> = HashMap::new();
        let mut showing = JoinSet::new();
        loop {
            tokio::select! {
                news = self.news.recv() => match news {
                    Ok(News::Asked(waiting)) => {
                        if waiting.petition.is_for(Channel::Desktop) && showing.len() < MOST {
                            let settled = CancellationToken::new();
                            open.insert(waiting.reference.clone(), settled.clone());
                            let (desk, notifier) = (self.desk.clone(), self.notifier.clone());
                            showing.spawn(show(desk, notifier, waiting, settled));
                        }
                    }
                    Ok(News::Settled(reference, _)) => {
                        if let Some(settled) = open.remove(&reference) {
                            settled.cancel();
                        }
                    }
                    Err(RecvError::Lagged(_)) => open.retain(|reference, settled| {
                        let waits = self.desk.find(reference).is_some();
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
    desk: Desk,
    notifier: Notifier,
    waiting: Waiting,
    settled: CancellationToken,
) -> Reference {
    let Waiting { reference, petition, .. } = waiting;
    let notification = Notification::of(&petition);
    match notifier.show(&notification.asking(), &settled).await {
        Said::Word(word) => {
            let choice = ApprovalChoice::parse(&word).filter(|choice| notification.offers(*choice));
            if let Some(choice) = choice {
                let approver = Approver::over("desktop");
                // Another channel may have been faster.
                let seen = notification.seen();
                let verdict = Verdict { choice, approver, reason: None, seen };
                let _ = desk.answer(&reference, verdict);
            }
        }
        // An older one has no buttons; that something waits can be told all the same.
        Said::Failed => _ = notifier.show(&notification.telling(), &settled).await,
        Said::Nothing => {}
    }
    reference
}
