//! The resources that somebody wants to hear about, on this connection and on the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_guard::Permitted;
use toolgate_types::Operation;
use toolgate_wire::Era;

use super::ServerInstance;
use super::live::LiveConnection;
use crate::{OperationOptions, UpstreamError, WantedChanges};

/// Each with the guard's proof, which is needed again after a reconnect.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(BTreeMap<String, (Arc<Permitted<Operation>>, usize)>);

impl Subscriptions {
    /// What a modern server should tell us.
    pub(crate) fn wanted(&self, live: &LiveConnection) -> WantedChanges {
        WantedChanges {
            tools: live.declares("tools", "listChanged"),
            resources: live.declares("resources", "listChanged"),
            prompts: live.declares("prompts", "listChanged"),
            uris: self.0.keys().cloned().collect(),
        }
    }
}

impl ServerInstance {
    /// Wants to hear when a resource changes. As often as it was wanted it must be given up.
    pub(crate) async fn subscribe(
        &self,
        permitted: Permitted<Operation>,
    ) -> Result<(), UpstreamError> {
        let Operation::Subscribe { uri } = permitted.get() else { return Ok(()) };
        let (uri, permitted) = (uri.clone(), Arc::new(permitted));
        let live = self.using().await?;
        let is_first = {
            let mut is_first = false;
            self.subscriptions.send_modify(|all| {
                let (_, users) = all.0.entry(uri.clone()).or_insert_with(|| {
                    is_first = true;
                    (Arc::clone(&permitted), 0)
                });
                *users += 1;
            });
            is_first
        };
        if is_first && let Some(older) = self.live_in_older_era().await {
            // The first connection has the last word on whether it can be.
            let _ = older.connection.perform(&permitted, self.patiently()).await;
        }
        if is_first && live.connection.handshake().era() == Era::Legacy {
            let subscribed = live.connection.perform(&permitted, self.patiently()).await;
            if let Err(error) = subscribed {
                self.subscriptions.send_modify(|all| drop(all.0.remove(&uri)));
                return Err(error.into());
            }
        }
        if live.connection.handshake().era() == Era::Modern {
            self.is_heard_of(&uri).await;
        }
        Ok(())
    }

    /// No longer wants to hear of it.
    pub(crate) async fn unsubscribe(
        &self,
        permitted: Permitted<Operation>,
    ) -> Result<(), UpstreamError> {
        let Operation::Unsubscribe { uri } = permitted.get() else { return Ok(()) };
        let was_last = self.subscriptions.send_if_modified(|all| match all.0.get_mut(uri) {
            Some((_, users)) if *users > 1 => {
                *users -= 1;
                false
            }
            Some(_) => all.0.remove(uri).is_some(),
            None => false,
        });
        if was_last && let Some(older) = self.live_in_older_era().await {
            let _ = older.connection.perform(&permitted, self.patiently()).await;
        }
        let live = self.state().live.clone();
        if let Some(live) = live.filter(|_| was_last).and_then(|live| live.begin())
            && live.connection.handshake().era() == Era::Legacy
        {
            live.connection.perform(&permitted, self.patiently()).await?;
        }
        Ok(())
    }

    /// After a reconnect the server knows nothing of what was wanted.
    pub(super) async fn subscribe_again(&self, live: &LiveConnection) {
        let wanted: Vec<_> = {
            let all = self.subscriptions.borrow();
            all.0.values().map(|(permitted, _)| Arc::clone(permitted)).collect()
        };
        for permitted in wanted {
            let _ = live.connection.perform(&permitted, self.patiently()).await;
        }
    }

    /// With the entry's time limit for ordinary requests.
    fn patiently(&self) -> OperationOptions<'static> {
        OperationOptions::within(self.entry.value.timeouts.request.duration())
    }
}
