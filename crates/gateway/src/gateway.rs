//! The gateway itself.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::connection_threads::ConnectionThreads;
use crate::settings::GatewaySettings;
use crate::state::GatewayState;

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// A gateway. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    pub(crate) shared: Arc<GatewayState>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").finish_non_exhaustive()
    }
}

impl Gateway {
    /// One whose connections stay on the runtime that it runs on.
    pub fn new(settings: GatewaySettings) -> Self {
        Self::on(ConnectionThreads::default(), settings)
    }

    /// One whose connections are served on these threads.
    pub fn on(threads: ConnectionThreads, settings: GatewaySettings) -> Self {
        let (metrics, threads) = (Arc::default(), Arc::new(threads));
        Self { shared: Arc::new(GatewayState::new(settings, metrics, threads)) }
    }

    /// Another one in the same process, with callers and an end of its own; what happens is counted
    /// together.
    pub fn beside(&self, settings: GatewaySettings) -> Self {
        let metrics = Arc::clone(&self.shared.metrics);
        let threads = Arc::clone(&self.shared.threads);
        Self { shared: Arc::new(GatewayState::new(settings, metrics, threads)) }
    }

    /// Ends the sessions that nobody used for too long, and the hosts of people who came no more, again and
    /// again.
    pub(crate) async fn sweep(&self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            for session in self.shared.sessions.take_idle() {
                crate::legacy::finish(&session).await;
            }
            for served in self.shared.served.take_unused(&self.shared.places) {
                self.shared.served.end(&served).await;
            }
        }
    }

    /// From now on nothing new is begun anywhere. What is under way is finished, for a while, and
    /// those who are connected leave then.
    pub fn drain(&self) {
        self.shared.drain();
    }

    /// Forgets the hosts of a workspace and closes their servers. Whoever is connected to them has to
    /// leave; whoever comes next gets new ones.
    pub async fn forget(&self, workspace: Option<&str>) {
        let hosts = self.shared.served.forget(workspace);
        hosts.iter().for_each(|served| served.forgotten.cancel());
        self.shared.places.forget(workspace);
        for served in hosts {
            // What they subscribed to ends with the servers.
            for session in self.shared.sessions.take_at(&served) {
                session.ended().cancel();
                session.streams.end_general();
                session.place.end_session(&session.id).await;
            }
            served.host.close_all().await;
        }
    }

    /// What those see who are connected to a workspace may be something else by now.
    pub fn lists_changed(&self, workspace: &str) {
        self.shared.served.tell_lists_changed(workspace);
    }

    /// Ends every host, and with them everything that they started.
    pub async fn close(&self) {
        self.shared.sessions.end_all();
        for served in self.shared.served.all() {
            served.host.close_all().await;
        }
    }
}
