//! `toolgate __daemon`: what a shim starts when nothing answers.

use std::sync::Arc;

use toolgate_control::{CommandEnd, CommandExit, CommandFailure, current_uid};
use toolgate_store::Store;

use crate::contexts::WorkspaceContexts;
use crate::daemon::{DaemonState, gateway_for_windows};
use crate::daemon_lock::{DaemonLock, LockAttempt};
use crate::daemon_stay::DaemonStay;
use crate::open_file_limit::fit_open_files;
use crate::quiet_times::use_quiet_times;
use crate::signals::stopped_by_signal;
use crate::threads::{connection_threads, runtime};
use crate::visitors::AttachedVisitors;
use crate::{RunConsole, RunSettings, WatchedRun};

/// Runs until nobody uses it; `ready` is called once it can be found.
pub fn run_daemon(
    settings: &RunSettings,
    console: &mut dyn RunConsole,
    ready: impl FnOnce(),
) -> CommandEnd {
    let mut lock = match DaemonLock::take(settings.variables())? {
        LockAttempt::Held(lock) => lock,
        LockAttempt::TakenBy(by) => {
            return Err(CommandFailure::new(format!("a daemon runs already ({by})")));
        }
    };
    let loaded = settings.person_config();
    let config = &loaded.config;
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, settings, console);
    let store: Arc<dyn Store> = Arc::new(settings.store()?);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let watched = (&observer, logs.traces());
        let contexts =
            WorkspaceContexts::new(None, settings.variables(), &store, watched, &config.limits)?;
        // Nobody connects over HTTP here, but windows and servers take open files too.
        fit_open_files(&config.limits);
        let visitors = Arc::new(AttachedVisitors::default());
        let gateway = gateway_for_windows(&contexts, &visitors, config, connection_threads()?);
        let sockets = lock.bind()?;
        witness.began(config.servers.len());
        ready();
        tokio::spawn(use_quiet_times());
        let daemon = DaemonState {
            gateway,
            contexts,
            store,
            visitors,
            stays: DaemonStay::WhileUsed(config.limits.daemon_idle.duration()),
            endpoints: Arc::default(),
            uid: current_uid(),
            stop: stopped_by_signal(),
        };
        daemon.run(sockets).await;
        witness.ended();
        Ok(CommandExit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(console);
    drop(lock);
    ended
}
