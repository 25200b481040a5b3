//! `toolgate stdio --standalone`: everything in the process that the client started, for this client
//! alone. It ends with it.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_control::hello::ShimHello;
use toolgate_control::{CommandEnd, CommandExit, CommandFailure};
use toolgate_gateway::ConnectionThreads;
use toolgate_gateway::socket::WindowAdmission as _;
use toolgate_store::Store;

use crate::contexts::WorkspaceContexts;
use crate::daemon::gateway_for_windows;
use crate::doorkeeper::Doorkeeper;
use crate::quiet_times::use_quiet_times;
use crate::reload::HostReload;
use crate::signals::stopped_by_signal;
use crate::threads::runtime;
use crate::visitors::AttachedVisitors;
use crate::{RunConsole, RunSettings, WatchedRun};

/// Serves the client on the streams that `open` gives. The settings are the person's own, what `hello`
/// says is a project's word, and `values` are looked up for the variables that are named.
pub fn run_standalone<R, W>(
    hello: &ShimHello,
    values: impl Fn(&str) -> Option<String>,
    settings: &RunSettings,
    console: &mut dyn RunConsole,
    open: impl FnOnce() -> io::Result<(R, W)>,
) -> CommandEnd
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let loaded = settings.person_config();
    let config = &loaded.config;
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, settings, console);
    let store: Arc<dyn Store> = Arc::new(settings.store()?);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let watched = (&observer, logs.traces());
        let contexts =
            WorkspaceContexts::new(None, settings.variables(), &store, watched, &config.limits)?;
        let visitors = Arc::new(AttachedVisitors::default());
        // One client is served by whoever runs it.
        let threads = ConnectionThreads::default();
        let gateway = gateway_for_windows(&contexts, &visitors, config, threads);
        let (brought, bringing) = mpsc::unbounded_channel();
        let reload = HostReload {
            gateway: gateway.clone(),
            contexts: Arc::clone(&contexts),
            visitors: Arc::clone(&visitors),
        };
        // Nobody asks it to look again but the files themselves.
        let (_look_again, looked_for) = mpsc::channel(1);
        let reload = tokio::spawn(reload.run(bringing, looked_for));
        let doorkeeper = Doorkeeper {
            contexts,
            visitors,
            store,
            brought,
            stop: CancellationToken::new(),
            may_retire: false,
        };
        let wanted = doorkeeper.wanted(hello).await;
        let values = wanted.iter().filter_map(|name| Some((name.clone(), values(name)?))).collect();
        let shim = Some(std::process::id());
        let window = doorkeeper.open(hello, shim, &wanted, values).await;
        let window = window.map_err(CommandFailure::new)?;
        witness.began(config.servers.len());
        let conversation = gateway.attach(window.attached).await.map_err(CommandFailure::new)?;
        tokio::spawn(use_quiet_times());
        let stop = stopped_by_signal();
        let (input, output) = open().map_err(|error| {
            CommandFailure::new(format!("cannot use the standard streams: {error}"))
        })?;
        let _ = stop.run_until_cancelled(conversation.run(input, output)).await;
        reload.abort();
        gateway.close().await;
        witness.ended();
        Ok(CommandExit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(console);
    ended
}
