//! What the person's own commands can ask the daemon: how its servers are doing, who is attached, to
//! look at the configuration again, to run an errand, what waits for their word, to end.

mod approval_answers;
mod approval_watch;
mod errand_runs;
mod open_endpoint;
mod pending_approval;
mod server_runs;
mod status;
mod window_switches;

use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolgate_control::{
    ANSWER_APPROVAL, CHECK_LINEAGE, DaemonInfo, LIST_APPROVALS, LineageAnswer, LineageRequest,
    NoResult, OPEN_ENDPOINT, RESTART_SERVER, STOP_SERVER, SWITCH_WINDOWS, StatusReport,
    StatusRequest, StatusScope, WATCH_APPROVALS, WorkspaceStatus,
};
use toolgate_gateway::Gateway;
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer, ControlService};
use toolgate_store::Store;
use toolgate_types::{Principal, since_1970, visible};

use crate::contexts::{LiveHost, WorkspaceContexts};
use crate::daemon_stay::DaemonStay;
use crate::endpoint::OpenEndpoints;
use crate::visitors::{AttachedVisitor, AttachedVisitors};
use crate::{
    CarryOut, CheckServers, DescribeTool, Errand as _, FindThings, ListTools, lineage, lock,
};
use approval_answers::look;
use server_runs::RunWish;
use status::{idle_workspace, workspace_status};

/// What only somebody who is there asks.
const PERSON_METHODS: [&str; 7] = [
    "mcp.list",
    "config.reload",
    CHECK_LINEAGE,
    LIST_APPROVALS,
    ANSWER_APPROVAL,
    WATCH_APPROVALS,
    SWITCH_WINDOWS,
];

pub(crate) struct PersonCommands {
    pub(crate) gateway: Gateway,
    pub(crate) contexts: Arc<WorkspaceContexts>,
    pub(crate) visitors: Arc<AttachedVisitors>,
    pub(crate) look_again: mpsc::Sender<oneshot::Sender<()>>,
    pub(crate) stays: DaemonStay,
    pub(crate) endpoints: Arc<OpenEndpoints>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) began: SystemTime,
    pub(crate) stop: CancellationToken,
}

#[async_trait]
impl ControlService for PersonCommands {
    async fn asked(
        &self,
        method: &str,
        params: Option<&RawValue>,
        peer: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        // What runs things for scripts too, and what shims ask, is no sign of a person.
        if PERSON_METHODS.contains(&method) {
            self.note_person(peer).await;
        }
        match method {
            "mcp.list" => self.list(read(params)?).await,
            "daemon.info" => written(&self.info()),
            "config.reload" => {
                let (done, is_done) = oneshot::channel();
                let _ = self.look_again.send(done).await;
                let _ = is_done.await;
                self.contexts.pins_changed().await;
                written(&NoResult {})
            }
            // Only what was accepted is started, and nobody waits for it.
            "config.warm" => {
                for live in self.contexts.live().into_iter().filter(|live| !live.rests()) {
                    let host = live.host.clone();
                    tokio::spawn(async move { host.warm().await });
                }
                written(&NoResult {})
            }
            "daemon.retire" if self.stays == DaemonStay::Always || !self.visitors.is_empty() => {
                Err(CommandDeclined::Failed("it is in use".to_owned()))
            }
            "daemon.retire" | "daemon.stop" => {
                self.stop.cancel();
                written(&NoResult {})
            }
            STOP_SERVER => self.run_server(read(params)?, RunWish::Stopped, peer).await,
            RESTART_SERVER => self.run_server(read(params)?, RunWish::Anew, peer).await,
            SWITCH_WINDOWS => written(&self.switch_windows(read(params)?, peer).await?),
            CHECK_LINEAGE => written(&self.check(read(params)?, peer).await?),
            LIST_APPROVALS => written(&self.approvals()),
            ANSWER_APPROVAL => self.answer(params, peer).await,
            WATCH_APPROVALS => self.watch(peer).await,
            OPEN_ENDPOINT => self.open_endpoint(params, peer).await,
            ListTools::METHOD => self.run::<ListTools>(params, peer).await,
            FindThings::METHOD => self.run::<FindThings>(params, peer).await,
            CheckServers::METHOD => self.run::<CheckServers>(params, peer).await,
            DescribeTool::METHOD => self.run::<DescribeTool>(params, peer).await,
            CarryOut::METHOD => self.run::<CarryOut>(params, peer).await,
            _ => Err(CommandDeclined::UnknownMethod),
        }
    }
}

impl PersonCommands {
    /// Whoever uses a command and is no agent's program is a person, and near.
    async fn note_person(&self, peer: &ControlPeer) {
        if self.is_a_person(peer).await {
            self.contexts.approvals.note_person();
        }
    }

    async fn is_a_person(&self, peer: &ControlPeer) -> bool {
        let (pid, visitors) = (peer.pid, Arc::clone(&self.visitors));
        let looked = tokio::task::spawn_blocking(move || look(pid, &visitors)).await;
        looked.is_ok_and(|(_, is_an_agents)| !is_an_agents)
    }

    fn info(&self) -> DaemonInfo {
        let endpoints = self.endpoints.shown();
        DaemonInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            since: since_1970(self.began),
            stays: self.stays == DaemonStay::Always,
            endpoint: endpoints.first().cloned(),
            endpoints,
            windows: self.visitors.all().len(),
        }
    }

    /// Whose the one who asks may be.
    async fn check(
        &self,
        wish: LineageRequest,
        peer: &ControlPeer,
    ) -> Result<LineageAnswer, CommandDeclined> {
        let (pid, visitors) = (peer.pid, Arc::clone(&self.visitors));
        let LineageRequest { verb, is_for_services } = wish;
        let looked = tokio::task::spawn_blocking(move || {
            // Nobody has the number zero: one that cannot be seen from here.
            let chain = lineage::chain_of(pid.unwrap_or(0));
            let is_nobodys = !is_for_services && chain.is_nobodys() && visitors.has_agents();
            let is_an_agents = is_nobodys || visitors.may_have_started(&chain);
            (chain, is_an_agents)
        });
        let (chain, is_an_agents) =
            looked.await.map_err(|error| CommandDeclined::Failed(error.to_string()))?;
        if is_an_agents {
            let why = "an agent's program would do what is for the user";
            tracing::warn!(target: "toolgate", %chain, verb = visible(&verb), "{why}");
        }
        Ok(LineageAnswer { is_an_agents })
    }

    async fn list(&self, listing: StatusRequest) -> Result<Box<RawValue>, CommandDeclined> {
        let StatusRequest { scope, workspace, standpoint } = listing;
        let wanted = match (standpoint, workspace) {
            (Some(standpoint), _) => {
                Some(self.context(&standpoint).map_err(CommandDeclined::Failed)?)
            }
            (None, Some(folder)) => Some(self.contexts.of_folder(&folder)),
            (None, None) => None,
        };
        let visitors = self.visitors.all();
        let live = self.contexts.live();
        let is_meant = |live: &&Arc<LiveHost>| {
            wanted.as_ref().is_none_or(|wanted| live.context().folder == wanted.folder)
        };
        let mut workspaces: Vec<_> =
            live.iter().filter(is_meant).map(|live| shown(live, &visitors)).collect();
        if let (StatusScope::Configured, true, Some(wanted)) =
            (scope, workspaces.is_empty(), &wanted)
        {
            let prepared =
                self.contexts.configured(wanted).await.map_err(CommandDeclined::Failed)?;
            workspaces.push(idle_workspace(&wanted.folder, &prepared));
        }
        written(&StatusReport { schema_version: 1, workspaces })
    }
}

fn shown(live: &LiveHost, visitors: &[AttachedVisitor]) -> WorkspaceStatus {
    let prepared = Arc::clone(&lock(&live.prepared));
    let refused = lock(&live.refused).clone();
    let mut shown =
        workspace_status(&live.context().folder, live.host.status(), &prepared, refused);
    shown.lists = live.host.list_costs(prepared.config.gateway.naming);
    shown.lists.retain(|list| list.direct.tools > 0);
    let is_another = live.principal != Principal::local_user();
    shown.principal = is_another.then(|| live.principal.as_str().to_owned());
    let its = visitors.iter().filter(|visitor| Some(&visitor.key) == live.key.as_ref());
    shown.attached = its.map(AttachedVisitor::shown).collect();
    shown
}

fn read<T: for<'a> Deserialize<'a> + Default>(
    params: Option<&RawValue>,
) -> Result<T, CommandDeclined> {
    let read = params.map(|params| serde_json::from_str(params.get())).transpose();
    Ok(read.map_err(|error| CommandDeclined::Params(error.to_string()))?.unwrap_or_default())
}

fn written(answer: &impl Serialize) -> Result<Box<RawValue>, CommandDeclined> {
    to_raw_value(answer).map_err(|error| CommandDeclined::Failed(error.to_string()))
}
