//! A host as a verb uses it: the servers that are meant, the person who waits, and what was known not
//! to run.
//!
//! It is the same whether the host is in this process or in the daemon, where other hosts use the
//! same servers: one that runs is left as it is, and the person is spoken to through an [`Onlooker`].

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_control::{CommandFailure, interrupted};
use toolgate_host::{Attendant, Audience, Host, ServerRemark};
use toolgate_types::{LogLevel, Requester, ServerId, ServerState, ServerStatus};

use super::{ChosenServers, MissingServer, Onlooker};

/// A host that runs.
pub struct ErrandHost {
    pub host: Host,
    /// For whom lists are made here.
    pub audience: Audience,
    /// The servers that are meant; `None` is all.
    pub meant: Option<Vec<ServerId>>,
    /// The folder that it is for.
    pub folder: PathBuf,
    pub progress: Arc<dyn Onlooker>,
    /// The person pressed Ctrl-C.
    pub interrupted: CancellationToken,
    /// Who is asked and told what servers want meanwhile, where that is not the host's own.
    pub attendant: Option<Attendant>,
    /// Whether the person who waits can be asked to approve something.
    pub is_asked_here: bool,
    /// The processes behind what is asked for, where others may answer it.
    pub requester: Requester,
    /// What servers that run already are asked to say.
    pub log_level: Option<LogLevel>,
    /// What was known not to run before anything was started.
    left_out: Vec<MissingServer>,
    began: SystemTime,
}

impl ErrandHost {
    /// What a server says of a call while somebody watches; log messages come as events.
    pub(super) fn hear(&self, remark: &ServerRemark) {
        if let ServerRemark::Progress(report) = remark {
            self.progress.report(report);
        }
    }

    pub fn new(
        host: Host,
        ChosenServers { audience, meant, left_out, .. }: ChosenServers,
        folder: &Path,
        progress: Arc<dyn Onlooker>,
        interrupted: CancellationToken,
    ) -> Self {
        Self {
            host,
            audience,
            meant,
            folder: folder.to_owned(),
            progress,
            interrupted,
            attendant: None,
            is_asked_here: false,
            requester: Requester::Unknown,
            log_level: None,
            left_out,
            began: SystemTime::now(),
        }
    }

    /// Connects to every server that is not connected yet, each within its own time and whatever
    /// comes of it.
    pub async fn connect(&self) -> Result<(), CommandFailure> {
        self.connect_to(|id| self.means(id)).await
    }

    /// The same of these alone.
    pub(super) async fn connect_to(
        &self,
        is_meant: impl Fn(&ServerId) -> bool,
    ) -> Result<(), CommandFailure> {
        self.progress.doing("connecting");
        let mut connecting = JoinSet::new();
        for ServerStatus { id, connection, .. } in self.host.status() {
            if connection.is_some() || !is_meant(&id) {
                continue;
            }
            let host = self.host.clone();
            connecting.spawn(async move { host.reconnect(&id).await });
        }
        self.unless_interrupted(async {
            while connecting.join_next().await.is_some() {}
            if let Some(level) = self.log_level {
                self.host.set_log_level(level).await;
            }
        })
        .await
    }

    /// What comes of it, unless the person interrupts.
    pub async fn unless_interrupted<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, CommandFailure> {
        self.interrupted.run_until_cancelled(work).await.ok_or_else(interrupted)
    }

    /// Whether a server was connected at any time of this run; what is known of another is from an
    /// earlier one.
    pub fn is_reached(&self, status: &ServerStatus) -> bool {
        let is_new = status.last_connected_at.is_some_and(|at| at >= self.began);
        status.connection.is_some() || is_new
    }

    /// The servers of which it does not hold.
    pub fn unreached(&self) -> Vec<ServerId> {
        let unreached = self.host.status().into_iter().filter(|status| !self.is_reached(status));
        unreached.map(|status| status.id).collect()
    }

    fn means(&self, id: &ServerId) -> bool {
        self.meant.as_ref().is_none_or(|meant| meant.contains(id))
    }

    /// The servers of which `is_listed` does not hold, and why.
    pub fn missing(&self, is_listed: impl Fn(&ServerStatus) -> bool) -> Vec<MissingServer> {
        let mut missing = self.left_out.clone();
        let failed = self
            .host
            .status()
            .into_iter()
            .filter(|status| self.means(&status.id))
            .filter(|status| status.state != ServerState::Pending && !is_listed(status));
        missing.extend(failed.map(MissingServer::from));
        missing
    }
}

impl fmt::Debug for ErrandHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrandHost").field("folder", &self.folder).finish_non_exhaustive()
    }
}
