//! `toolgate serve`: the gateway on an address, with its callers; the daemon of this machine too.

mod address;
mod callers;
mod take_lock;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::net::TcpListener;
use toolgate_assembly::WorkspaceContext;
use toolgate_auth::callers::ClientTokens;
use toolgate_config::McpConfigLoadResult;
use toolgate_control::{CommandEnd, CommandExit, CommandFailure, current_uid};
use toolgate_gateway::{CallerVerifier, Gateway, GatewaySettings, KNOWN_WITHIN};
use toolgate_store::Store;
use toolgate_types::config::{CallerAuth, Naming};
use toolgate_types::{Secret, since_1970};

use crate::caller_watch::CallerWatch;
use crate::contexts::WorkspaceContexts;
use crate::daemon::DaemonState;
use crate::daemon_lock::DaemonLock;
use crate::daemon_stay::DaemonStay;
use crate::open_file_limit::fit_open_files;
use crate::signals::stopped_by_signal;
use crate::threads::runtime;
use crate::visitors::AttachedVisitors;
use crate::{RunConsole, RunSettings, WatchedRun};
use address::{allowed_hosts, cannot_listen, refuse_open_door};
pub(crate) use callers::NobodyElse;
use callers::{AnyLocalCaller, TokenCallers};

/// What was asked for beside the configuration.
#[derive(Debug)]
pub struct ServeRequest<'a> {
    /// The configuration that counts here.
    pub loaded: &'a McpConfigLoadResult,
    /// Instead of the configured ones.
    pub listen: Option<SocketAddr>,
    pub auth: Option<CallerAuth>,
    pub naming: Option<Naming>,
}

/// A gateway that can be called from now on.
#[derive(Debug)]
pub struct ServeStarted {
    pub address: SocketAddr,
    /// The first token, where callers need one.
    pub token: Option<Secret>,
    pub auth: CallerAuth,
}

/// Serves until a signal says otherwise; `greet` is told once it can be called.
pub fn serve<C: RunConsole>(
    request: &ServeRequest<'_>,
    settings: &RunSettings,
    console: &mut C,
    greet: impl FnOnce(&ServeStarted, &mut C),
) -> CommandEnd {
    let config = &request.loaded.config;
    let (listen, auth) = (
        request.listen.unwrap_or(config.gateway.listen),
        request.auth.unwrap_or(config.gateway.auth),
    );
    refuse_open_door(listen, auth)?;
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, settings, console);
    let store: Arc<dyn Store> = Arc::new(settings.store()?);
    let mut lock = take_lock::take_lock(settings.variables(), console)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let (callers, token) = callers(auth, &store, settings).await?;
        let own =
            WorkspaceContext { folder: settings.folder.clone(), options: settings.options.clone() };
        let contexts = WorkspaceContexts::new(
            Some(own),
            settings.variables(),
            &store,
            (&observer, logs.traces()),
            &config.limits,
        )?;
        let visitors = Arc::new(AttachedVisitors::default());
        let gateway = GatewaySettings {
            hosts: Arc::clone(&contexts) as _,
            callers,
            naming: request.naming.unwrap_or(config.gateway.naming),
            clients: config.gateway.clients.clone(),
            allowed_hosts: allowed_hosts(listen, &config.gateway),
            allowed_origins: config.gateway.allowed_origins.clone(),
            limits: fit_open_files(&config.limits),
            approvals: contexts.approvals.clone(),
            pool: contexts.pool().clone(),
            known_within: KNOWN_WITHIN,
            watch: Arc::new(CallerWatch(Arc::clone(&visitors))),
        };
        let listener =
            TcpListener::bind(listen).await.map_err(|error| cannot_listen(listen, &error))?;
        let address = listener.local_addr().unwrap_or(listen);
        let sockets = lock.as_mut().map(DaemonLock::bind).transpose()?;
        witness.began(config.servers.len());
        if toolgate_assembly::is_closed(config) {
            console.warn(toolgate_assembly::WHAT_IS_CLOSED);
        }
        greet(&ServeStarted { address, token, auth }, console);
        let gateway = Gateway::new(gateway);
        let stop = stopped_by_signal();
        let daemon = DaemonState {
            gateway: gateway.clone(),
            contexts,
            store,
            visitors,
            stays: DaemonStay::Always,
            endpoint: Some(format!("http://{address}/mcp")),
            uid: current_uid(),
            stop: stop.clone(),
        };
        match sockets {
            Some(sockets) => {
                tokio::join!(gateway.serve(listener, stop), daemon.run(sockets));
            }
            None => gateway.serve(listener, stop).await,
        }
        gateway.close().await;
        witness.ended();
        Ok(CommandExit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(console);
    drop(lock);
    served
}

async fn callers(
    auth: CallerAuth,
    store: &Arc<dyn Store>,
    settings: &RunSettings,
) -> Result<(Arc<dyn CallerVerifier>, Option<Secret>), CommandFailure> {
    if auth == CallerAuth::None {
        return Ok((Arc::new(AnyLocalCaller), None));
    }
    let tokens = ClientTokens::new(Arc::clone(store));
    let file = settings.state_folder()?.join("tokens/default");
    let now = since_1970(SystemTime::now());
    let first = tokens.first_token(&file, now).await.map_err(CommandFailure::new)?;
    Ok((Arc::new(TokenCallers(tokens)), Some(first)))
}
