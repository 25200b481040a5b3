//! One server ended or started anew, in every folder that has it. For a person alone.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::value::RawValue;
use tokio::task::JoinSet;
use toolgate_control::{ServerRun, ServerRunRequest, ServerRuns};
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_types::{ServerId, ServerState, ServerStatus};

use super::{PersonCommands, written};
use crate::contexts::LiveHost;
use crate::refusal;

/// What is to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunWish {
    Stopped,
    Anew,
}

impl PersonCommands {
    pub(super) async fn run_server(
        &self,
        ServerRunRequest { server }: ServerRunRequest,
        wish: RunWish,
        peer: &ControlPeer,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        if !self.is_a_person(peer).await {
            return Err(CommandDeclined::Failed(refusal().message));
        }
        let live = self.contexts.live();
        let ids = live.iter().flat_map(|live| live.host.status()).map(|status| status.id);
        let mut known: Vec<String> = ids.map(|id| id.to_string()).collect();
        known.sort_unstable();
        known.dedup();
        let Ok(id) = ServerId::parse(&server) else {
            return written(&ServerRuns { runs: Vec::new(), known });
        };
        let began = SystemTime::now();
        let having = live.iter().filter(|live| status_of(live, &id).is_some());
        // Those that share a process share what becomes of it: one after another, and each looks first.
        let mut runs = Vec::new();
        let mut ending = JoinSet::new();
        for live in having.clone().filter(|_| wish == RunWish::Stopped) {
            let (live, id) = (Arc::clone(live), id.clone());
            ending.spawn(async move { live.host.close(&id).await });
        }
        while ending.join_next().await.is_some() {}
        for live in having {
            if wish == RunWish::Anew && is_to_start(status_of(live, &id), began) {
                live.host.reconnect(&id).await;
            }
            runs.extend(status_of(live, &id).map(|status| shown(live, status, wish)));
        }
        written(&ServerRuns { runs, known })
    }
}

fn status_of(live: &LiveHost, id: &ServerId) -> Option<ServerStatus> {
    live.host.status().into_iter().find(|status| status.id == *id)
}

/// Whether nobody started it since.
fn is_to_start(status: Option<ServerStatus>, began: SystemTime) -> bool {
    status.is_some_and(|status| {
        let is_new = status.last_connected_at.is_some_and(|at| at >= began);
        !is_new && !matches!(status.state, ServerState::Pending | ServerState::Disabled)
    })
}

fn shown(live: &LiveHost, status: ServerStatus, wish: RunWish) -> ServerRun {
    ServerRun {
        folder: live.context().folder.display().to_string(),
        is_done: status.connection.is_some() == (wish == RunWish::Anew),
        state: status.state.as_str().to_owned(),
        error: status.last_error.filter(|_| status.connection.is_none() && wish == RunWish::Anew),
    }
}
