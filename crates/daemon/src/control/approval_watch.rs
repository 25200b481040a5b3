//! What waits for the person, told to a command for as long as it watches.

use std::collections::BTreeSet;

use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::broadcast::error::RecvError;
use toolgate_control::{APPROVAL_EVENT, ApprovalEnd, ApprovalEvent, NoResult};
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_guard::{QueueEvent, WaitingApproval};
use toolgate_types::config::Channel;

use super::pending_approval::{approval_end, pending_approval};
use super::{PersonCommands, written};

impl PersonCommands {
    /// Tells what waits, and what happens to it, for as long as somebody wants to know.
    pub(super) async fn watch(&self, peer: &ControlPeer) -> Result<Box<RawValue>, CommandDeclined> {
        let is_a_person = self.is_a_person(peer).await;
        let _watched = is_a_person.then(|| self.contexts.approvals.watched());
        let mut news = self.contexts.approvals.listen();
        let mut told = WatcherView { peer, open: BTreeSet::new() };
        let telling = async {
            told.compare(&self.queued()).await;
            loop {
                match news.recv().await {
                    Ok(QueueEvent::Asked(waiting)) if waiting.request.is_for(Channel::Queue) => {
                        told.asked(&waiting).await;
                    }
                    Ok(QueueEvent::Asked(_)) => {}
                    Ok(QueueEvent::Settled(reference, how)) => {
                        told.settled(approval_end(&reference, &how)).await;
                    }
                    // Whoever reads too slowly is told how it stands now.
                    Err(RecvError::Lagged(_)) => told.compare(&self.queued()).await,
                    Err(RecvError::Closed) => return,
                }
            }
        };
        tokio::select! {
            () = telling => {}
            () = peer.given_up().cancelled() => {}
            () = self.stop.cancelled() => {}
        }
        written(&NoResult {})
    }
}

/// What somebody who watches knows of.
struct WatcherView<'a> {
    peer: &'a ControlPeer,
    open: BTreeSet<String>,
}

impl WatcherView<'_> {
    async fn asked(&mut self, waiting: &WaitingApproval) {
        if self.open.insert(waiting.reference.to_string()) {
            self.tell(&ApprovalEvent::Asked(Box::new(pending_approval(waiting)))).await;
        }
    }

    async fn settled(&mut self, end: ApprovalEnd) {
        if self.open.remove(&end.reference) {
            self.tell(&ApprovalEvent::Settled(end)).await;
        }
    }

    /// Makes up for what was not heard.
    async fn compare(&mut self, waiting: &[WaitingApproval]) {
        let is_open =
            |reference: &str| waiting.iter().any(|one| one.reference.as_str() == reference);
        let gone = self.open.iter().filter(|reference| !is_open(reference));
        for reference in gone.cloned().collect::<Vec<_>>() {
            self.settled(ApprovalEnd::unseen(reference)).await;
        }
        for one in waiting {
            self.asked(one).await;
        }
    }

    async fn tell(&self, event: &ApprovalEvent) {
        if let Ok(event) = to_raw_value(event) {
            self.peer.tell_surely(APPROVAL_EVENT, &event).await;
        }
    }
}
