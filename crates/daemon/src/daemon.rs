//! The daemon: one pool of servers, one policy and one log for every window of an agent on this
//! machine. `toolgate stdio` starts it; `toolgate serve` is the same with an address.
//!
//! It ends by itself when nobody uses it, unless a person started it.

use std::sync::Arc;

use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_control::DAEMON_ENDS_WITHIN;
use toolgate_gateway::socket::GateIdentity;
use toolgate_gateway::socket::control::answer_commands;
use toolgate_gateway::{ConnectionEntrance, ConnectionThreads, DRAIN, Gateway};
use toolgate_store::Store;
use toolgate_types::config::Config;

use crate::contexts::WorkspaceContexts;
use crate::control::PersonCommands;
use crate::daemon_stay::DaemonStay;
use crate::desktop::DesktopSession;
use crate::doorkeeper::Doorkeeper;
use crate::endpoint::{GatewayDoor, NobodyElse, OpenEndpoints, gateway_settings};
use crate::reload::HostReload;
use crate::visitors::AttachedVisitors;

/// The sockets, bound.
pub(crate) struct DaemonSockets {
    pub(crate) agents: UnixListener,
    pub(crate) control: UnixListener,
}

/// Whoever waits for a daemon to end waits for longer than it gives to those who are attached.
const _: () = assert!(DRAIN.as_secs() < DAEMON_ENDS_WITHIN.as_secs());

/// Everything that the daemon is beside its gateway.
pub(crate) struct DaemonState {
    pub(crate) gateway: Gateway,
    pub(crate) contexts: Arc<WorkspaceContexts>,
    pub(crate) store: Arc<dyn Store>,
    /// Those who are attached, as its gateway knows them.
    pub(crate) visitors: Arc<AttachedVisitors>,
    pub(crate) stays: DaemonStay,
    /// Where it listens for others than shims.
    pub(crate) endpoints: Arc<OpenEndpoints>,
    /// Whose windows and commands it attends to.
    pub(crate) uid: u32,
    pub(crate) stop: CancellationToken,
}

impl DaemonState {
    /// Attends to windows and commands until it is stopped or nobody uses it.
    pub(crate) async fn run(self, sockets: DaemonSockets) {
        let Self { gateway, contexts, store, visitors, stays, endpoints, uid, stop } = self;
        let itself = GateIdentity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            uid,
        };
        contexts.approvals.open_queue();
        let desktop = DesktopSession::open(&contexts.approvals, contexts.variables());
        let desktop = desktop.map(|desktop| tokio::spawn(desktop.run()));
        let (brought, bringing) = mpsc::unbounded_channel();
        let doorkeeper = Arc::new(Doorkeeper {
            contexts: Arc::clone(&contexts),
            visitors: Arc::clone(&visitors),
            store: Arc::clone(&store),
            brought,
            stop: stop.clone(),
            may_retire: stays != DaemonStay::Always,
        });
        let (look_again, looked_for) = mpsc::channel(1);
        let reload = HostReload {
            gateway: gateway.clone(),
            contexts: Arc::clone(&contexts),
            visitors: Arc::clone(&visitors),
        };
        let reload = tokio::spawn(reload.run(bringing, looked_for));
        let control = Arc::new(PersonCommands {
            gateway: gateway.clone(),
            contexts,
            visitors: Arc::clone(&visitors),
            look_again,
            stays,
            endpoints,
            store,
            began: std::time::SystemTime::now(),
            stop: stop.clone(),
        });
        let commands =
            tokio::spawn(answer_commands(sockets.control, control, itself.uid, stop.clone()));
        let idle = tokio::spawn(end_when_unused(visitors, stays, stop.clone()));
        gateway.attend(sockets.agents, doorkeeper, itself, stop).await;
        reload.abort();
        idle.abort();
        let _ = commands.await;
        gateway.close().await;
        if let Some(desktop) = desktop {
            desktop.abort();
        }
    }
}

/// A gateway that only windows of agents come to.
pub(crate) fn gateway_for_windows(
    contexts: &Arc<WorkspaceContexts>,
    visitors: &Arc<AttachedVisitors>,
    config: &Config,
    threads: ConnectionThreads,
) -> Gateway {
    let door = GatewayDoor {
        entrance: ConnectionEntrance::Plain,
        resource: None,
        login_pages: None,
        callers: Arc::new(NobodyElse),
        naming: config.gateway.naming,
        allowed_hosts: Vec::new(),
        limits: config.limits.clone(),
    };
    let hosts = Arc::clone(contexts) as _;
    Gateway::on(threads, gateway_settings(config, hosts, contexts, visitors, door))
}

/// Stops it once nobody was attached for so long.
async fn end_when_unused(
    visitors: Arc<AttachedVisitors>,
    stays: DaemonStay,
    stop: CancellationToken,
) {
    let DaemonStay::WhileUsed(patience) = stays else { return };
    loop {
        let changed = visitors.changed.notified();
        match visitors.is_empty() {
            false => changed.await,
            true => {
                if tokio::time::timeout(patience, changed).await.is_err() && visitors.is_empty() {
                    return stop.cancel();
                }
            }
        }
    }
}
