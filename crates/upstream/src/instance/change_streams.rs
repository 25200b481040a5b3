//! The stream on which a modern server tells of changes: asked for anew when something else is wanted,
//! and kept until the next one is acknowledged, so that nothing falls between two.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tracing::debug;

use super::ServerInstance;
use super::live::LiveConnection;
use crate::server::is_refusal;
use crate::{RequestError, WantedChanges};

/// A stream of changes that ended is opened again after so long.
const LISTEN_AGAIN: Duration = Duration::from_secs(5);

/// Who wants to hear of a resource waits no longer than this for the server to know.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(5);

/// What the server tells of.
#[derive(Debug, Default)]
pub(super) struct HeardChanges {
    uris: BTreeSet<String>,
    /// It has no such stream, so nobody waits for one.
    is_refused: bool,
}

type ChangeStream = Pin<Box<dyn Future<Output = Result<(), RequestError>> + Send>>;

impl ServerInstance {
    /// Waits until the server said that it tells of this resource, or has no way to.
    pub(super) async fn is_heard_of(&self, uri: &str) {
        let mut heard = self.heard.subscribe();
        let known = heard.wait_for(|heard| heard.is_refused || heard.uris.contains(uri));
        let _ = timeout(ACKNOWLEDGED_WITHIN, known).await;
    }

    fn hears(&self, wanted: &WantedChanges) {
        let uris = wanted.uris.iter().cloned().collect();
        self.heard.send_replace(HeardChanges { uris, is_refused: false });
    }
}

/// As long as the connection is there.
pub(super) async fn hear_changes(instance: Weak<ServerInstance>, live: Weak<LiveConnection>) {
    let Some(mut subscriptions) = instance.upgrade().map(|up| {
        // What the server of an earlier connection told of says nothing about this one.
        up.heard.send_replace(HeardChanges::default());
        up.subscriptions.subscribe()
    }) else {
        return;
    };
    // What goes on until the next is acknowledged.
    let mut before: Option<ChangeStream> = None;
    loop {
        let Some(connection) = live.upgrade() else { return };
        let wanted = subscriptions.borrow_and_update().wanted(&connection);
        if wanted == WantedChanges::default() {
            drop((connection, before.take()));
            if let Some(instance) = instance.upgrade() {
                instance.hears(&wanted);
            }
            if subscriptions.changed().await.is_err() {
                return;
            }
            continue;
        }
        let mut acknowledged = connection.connection.acknowledgements();
        let mut stream = listening(connection, wanted.clone());
        let mut is_acknowledged = false;
        let ended = loop {
            tokio::select! {
                ended = &mut stream => break Some(ended),
                _ = over(&mut before) => before = None,
                acknowledgement = acknowledged.changed(), if !is_acknowledged => {
                    if acknowledgement.is_err() {
                        return;
                    }
                    (is_acknowledged, before) = (true, None);
                    if let Some(instance) = instance.upgrade() {
                        instance.hears(&wanted);
                    }
                }
                changed = subscriptions.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    break None;
                }
            }
        };
        match ended {
            // Something else is wanted. One that was never acknowledged is not worth keeping.
            None if is_acknowledged || before.is_none() => before = Some(stream),
            None => {}
            // One that refuses has no such stream; its lists are asked for by their age.
            Some(Err(error)) if is_refusal(&error) => {
                if let Some(instance) = instance.upgrade() {
                    instance.heard.send_modify(|heard| heard.is_refused = true);
                    debug!(
                        server = instance.id.as_str(),
                        "it tells of no changes: its lists go by age"
                    );
                }
                return;
            }
            Some(_) => {
                before = None;
                drop(stream);
                sleep(LISTEN_AGAIN).await;
                // Whatever changed in between was not heard.
                if let Some(instance) = instance.upgrade() {
                    instance.state().catalog.reconnected();
                }
            }
        }
    }
}

fn listening(live: Arc<LiveConnection>, wanted: WantedChanges) -> ChangeStream {
    Box::pin(async move { live.connection.listen(&wanted).await })
}

/// The end of a stream, where there is one.
async fn over(stream: &mut Option<ChangeStream>) {
    match stream {
        Some(stream) => drop(stream.await),
        None => std::future::pending().await,
    }
}
