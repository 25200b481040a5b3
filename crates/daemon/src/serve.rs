//! `toolgate serve`: the gateway on an address. Where a daemon runs that somebody uses, it is asked to
//! listen there too; otherwise this process is the daemon.

mod beside;
mod take_lock;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use toolgate_assembly::WorkspaceContext;
use toolgate_auth::callers::ClientTokens;
use toolgate_config::McpConfigLoadResult;
use toolgate_control::{CommandEnd, CommandExit, CommandFailure, Standpoint, current_uid};
use toolgate_gateway::Gateway;
use toolgate_store::Store;
use toolgate_types::config::{CallerAuth, Naming};
use toolgate_types::{Secret, since_1970};

use crate::contexts::WorkspaceContexts;
use crate::daemon::DaemonState;
use crate::daemon_lock::DaemonLock;
use crate::daemon_stay::DaemonStay;
use crate::endpoint::{EndpointChoice, OpenEndpoints, refuse_open_door};
use crate::quiet_times::use_quiet_times;
use crate::signals::stopped_by_signal;
use crate::threads::{connection_threads, runtime};
use crate::visitors::AttachedVisitors;
use crate::{RunConsole, RunSettings, WatchedRun};
use take_lock::{ServePlace, take_place};

/// What was asked for beside the configuration.
#[derive(Debug)]
pub struct ServeRequest<'a> {
    /// The configuration that counts here.
    pub loaded: &'a McpConfigLoadResult,
    /// Where it was asked for, for a daemon that runs already.
    pub standpoint: Standpoint,
    /// Instead of the configured ones.
    pub listen: Option<SocketAddr>,
    pub auth: Option<CallerAuth>,
    pub naming: Option<Naming>,
}

/// A gateway that can be called from now on.
#[derive(Debug)]
pub struct ServeStarted {
    /// `http` or `https`.
    pub scheme: &'static str,
    pub address: SocketAddr,
    /// The first token, where callers need one.
    pub token: Option<Secret>,
    pub auth: CallerAuth,
    /// Whether another process serves it, which goes on without this one.
    pub is_added: bool,
}

/// Serves until a signal says otherwise; `greet` is told once it can be called.
pub fn serve<C: RunConsole>(
    request: ServeRequest<'_>,
    settings: &RunSettings,
    console: &mut C,
    greet: impl FnOnce(&ServeStarted, &mut C),
) -> CommandEnd {
    let config = &request.loaded.config;
    let choice = request.choice()?;
    let place = take_place(settings.variables(), console)?;
    if toolgate_assembly::is_closed(config) {
        console.warn(toolgate_assembly::WHAT_IS_CLOSED);
    }
    match place {
        ServePlace::Daemon(lock) => {
            serve_as_daemon(choice, request, settings, lock, console, greet)
        }
        ServePlace::Beside(_) if !settings.options.given_steps.is_empty() => {
            let why = "a daemon runs that somebody uses, and its steps have their bundles already";
            Err(CommandFailure::new(why)
                .hint("`toolgate status` shows who uses it, `toolgate stop` ends it"))
        }
        ServePlace::Beside(daemon) => {
            let token = runtime()?.block_on(async {
                let store: Arc<dyn Store> = Arc::new(settings.store()?);
                first_token(choice.auth, &store, settings).await
            })?;
            let scheme = config.gateway.entrance.scheme();
            let greet = |address, console: &mut C| {
                let auth = choice.auth;
                greet(&ServeStarted { scheme, address, token, auth, is_added: true }, console);
            };
            beside::serve_beside(daemon, choice, request.standpoint, console, greet)
        }
    }
}

/// The same, for what is no folder's gateway: it neither is the daemon nor asks one.
pub fn serve_alone<C: RunConsole>(
    request: ServeRequest<'_>,
    settings: &RunSettings,
    console: &mut C,
    greet: impl FnOnce(&ServeStarted, &mut C),
) -> CommandEnd {
    serve_as_daemon(request.choice()?, request, settings, None, console, greet)
}

impl ServeRequest<'_> {
    fn choice(&self) -> Result<EndpointChoice, CommandFailure> {
        let config = &self.loaded.config;
        let choice = EndpointChoice {
            listen: self.listen.unwrap_or(config.gateway.listen),
            auth: self.auth.unwrap_or(config.gateway.auth),
            naming: self.naming.unwrap_or(config.gateway.naming),
        };
        refuse_open_door(choice.listen, choice.auth, config)?;
        Ok(choice)
    }
}

fn serve_as_daemon<C: RunConsole>(
    choice: EndpointChoice,
    request: ServeRequest<'_>,
    settings: &RunSettings,
    mut lock: Option<DaemonLock>,
    console: &mut C,
    greet: impl FnOnce(&ServeStarted, &mut C),
) -> CommandEnd {
    let config = &request.loaded.config;
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, settings, console);
    let store: Arc<dyn Store> = Arc::new(settings.store()?);
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let token = first_token(choice.auth, &store, settings).await?;
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
        let hosts = Arc::clone(&contexts) as _;
        let door = choice.settings(config, hosts, (&contexts, None), &visitors, &store)?;
        let gateway = Gateway::on(connection_threads()?, door);
        let (listener, address) = choice.bind().await?;
        let scheme = config.gateway.entrance.scheme();
        let sockets = lock.as_mut().map(DaemonLock::bind).transpose()?;
        witness.began(config.servers.len());
        greet(
            &ServeStarted { scheme, address, token, auth: choice.auth, is_added: false },
            console,
        );
        tokio::spawn(use_quiet_times());
        let stop = stopped_by_signal();
        let endpoints = Arc::<OpenEndpoints>::default();
        let _shown = endpoints.open(scheme, address);
        let daemon = DaemonState {
            gateway: gateway.clone(),
            contexts,
            store,
            visitors,
            stays: DaemonStay::Always,
            endpoints,
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

/// The token that is made at the first start, where callers need one.
async fn first_token(
    auth: CallerAuth,
    store: &Arc<dyn Store>,
    settings: &RunSettings,
) -> Result<Option<Secret>, CommandFailure> {
    if !auth.takes_tokens() {
        return Ok(None);
    }
    let tokens = ClientTokens::new(Arc::clone(store));
    let file = settings.state_folder()?.join("tokens/default");
    let now = since_1970(SystemTime::now());
    Ok(Some(tokens.first_token(&file, now).await.map_err(CommandFailure::new)?))
}
