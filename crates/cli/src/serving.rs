//! The gateway as this program runs it: its hosts, its callers, its signals.

mod callers;
mod seating;
mod welcome;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use toolgate_assembly::WorkspaceContext as Context;
use toolgate_auth::callers::ClientTokens;
use toolgate_control::current_uid;
use toolgate_daemon::{WatchedRun, fit_open_files, runtime};
use toolgate_gateway::{Callers, Gateway, KNOWN_WITHIN, Settings};
use toolgate_store::Store;
use toolgate_types::config::{CallerAuth, Gateway as GatewayConfig, Naming};
use toolgate_types::{Secret, since_1970};

use crate::args::{Scope, Serve};
use crate::contexts::{Contexts, pool};
use crate::daemon::seat::Seat;
use crate::daemon::{Daemon, Lookout, Stays, Visitors};
use crate::failure::{Done, Exit, Failure};
use crate::output::Output;
use crate::surroundings::Surroundings;
pub(crate) use callers::NobodyElse;
use callers::{Anybody, WithToken};

/// Serves until a signal says otherwise.
pub(crate) fn serve(arguments: &Serve, surroundings: &Surroundings, output: &mut Output) -> Done {
    let loaded = surroundings.load(Scope::Effective);
    crate::command_host::report_problems(&loaded, output)?;
    let config = &loaded.config;
    let (listen, auth) =
        (arguments.listen.unwrap_or(config.gateway.listen), auth(arguments, config));
    refuse_open_door(listen, auth)?;
    let settings = surroundings.run_settings();
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, &settings, output);
    let store: Arc<dyn Store> = Arc::new(surroundings.store()?);
    let mut seat = seating::take(surroundings, output)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let (callers, token) = callers(auth, &store, surroundings).await?;
        let own = Context { folder: surroundings.cwd.clone(), options: surroundings.options() };
        let pool = pool(&config.limits);
        let contexts =
            Contexts::new(Some(own), surroundings, &store, (&observer, logs.traces()), pool)?;
        let contexts = Arc::new(contexts);
        let visitors = Arc::new(Visitors::default());
        let settings = Settings {
            hosts: Arc::clone(&contexts) as _,
            callers,
            naming: arguments.naming.unwrap_or(config.gateway.naming),
            clients: config.gateway.clients.clone(),
            allowed_hosts: allowed_hosts(listen, &config.gateway),
            allowed_origins: config.gateway.allowed_origins.clone(),
            limits: fit_open_files(&config.limits),
            known_within: KNOWN_WITHIN,
            watch: Arc::new(Lookout(Arc::clone(&visitors))),
        };
        let listener =
            TcpListener::bind(listen).await.map_err(|error| cannot_listen(listen, &error))?;
        let address = listener.local_addr().unwrap_or(listen);
        let sockets = seat.as_mut().map(Seat::bind).transpose()?;
        witness.began(config.servers.len());
        if toolgate_assembly::is_closed(config) {
            output.warning(toolgate_assembly::WHAT_IS_CLOSED);
        }
        welcome::greet(address, token.as_ref(), auth, surroundings, output);
        let gateway = Gateway::new(settings);
        let stop = stopped_by_signal();
        let daemon = Daemon {
            gateway: gateway.clone(),
            contexts,
            store,
            visitors,
            stays: Stays::Always,
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
        Ok(Exit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(output);
    drop(seat);
    served
}

fn auth(arguments: &Serve, config: &toolgate_types::config::Config) -> CallerAuth {
    arguments.auth.unwrap_or(config.gateway.auth)
}

/// Without a token only this machine may call.
fn refuse_open_door(listen: SocketAddr, auth: CallerAuth) -> Result<(), Failure> {
    match auth {
        CallerAuth::Token => Ok(()),
        CallerAuth::None if listen.ip().is_loopback() => Ok(()),
        CallerAuth::None => Err(Failure::new(format!(
            "`auth = \"none\"` is for loopback only, and {listen} is not"
        ))
        .hint("use tokens: `auth = \"token\"`")),
        CallerAuth::Oauth => {
            Err(Failure::new("`auth = \"oauth\"` is not there yet").hint("use `auth = \"token\"`"))
        }
    }
}

async fn callers(
    auth: CallerAuth,
    store: &Arc<dyn Store>,
    surroundings: &Surroundings,
) -> Result<(Arc<dyn Callers>, Option<Secret>), Failure> {
    if auth == CallerAuth::None {
        return Ok((Arc::new(Anybody), None));
    }
    let tokens = ClientTokens::new(Arc::clone(store));
    let file = surroundings.state_folder()?.join("tokens/default");
    let now = since_1970(SystemTime::now());
    let first = tokens.first_token(&file, now).await.map_err(Failure::new)?;
    Ok((Arc::new(WithToken(tokens)), Some(first)))
}

/// The address itself is a name of the gateway, where it is one in particular.
fn allowed_hosts(listen: SocketAddr, config: &GatewayConfig) -> Vec<String> {
    let mut hosts = config.allowed_hosts.clone();
    if !listen.ip().is_unspecified() {
        hosts.push(listen.to_string());
    }
    hosts
}

fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> Failure {
    let failure = Failure::new(format!("cannot listen on {listen}: {error}"));
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            failure.hint("is `toolgate serve` running already? choose another with --listen")
        }
        _ => failure,
    }
}

/// Ends with the first SIGTERM or Ctrl-C.
pub(crate) fn stopped_by_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        // Without a handler the signal ends us at once, and what watches over the servers ends them.
        if let Ok(mut signals) = signal(kind) {
            let stop = stop.clone();
            tokio::spawn(async move {
                if signals.recv().await.is_some() {
                    stop.cancel();
                }
            });
        }
    }
    stop
}

/// The forms of names that can be typed.
pub(crate) fn naming(word: &str) -> Result<Naming, String> {
    let known = || Naming::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
    Naming::parse(word).ok_or_else(|| format!("one of {}", known()))
}

/// The ways to prove who one is that can be typed.
pub(crate) fn caller_auth(word: &str) -> Result<CallerAuth, String> {
    match CallerAuth::parse(word) {
        Some(auth @ (CallerAuth::Token | CallerAuth::None)) => Ok(auth),
        _ => Err("one of token, none".to_owned()),
    }
}
