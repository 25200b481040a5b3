//! `toolgate __daemon`: what a shim starts when nothing answers. It says on its standard output that
//! it is ready, or why it will not be, and nothing else.

use std::sync::Arc;

use toolgate_control::{DAEMON_READY, current_uid};
use toolgate_daemon::{WatchedRun, fit_open_files, runtime};
use toolgate_store::Store;

use super::seat::{Sat, Seat};
use super::{Daemon, Stays, Visitors, gateway_for_windows};
use crate::args::Scope;
use crate::contexts::{Contexts, pool};
use crate::failure::{Done, Exit, Failure};
use crate::output::{Outlet, Output, Printable};
use crate::serving::stopped_by_signal;
use crate::surroundings::Surroundings;

/// Runs until nobody uses it.
pub(crate) fn run(surroundings: &Surroundings, output: &mut Output) -> Done {
    let ended = run_unless_taken(surroundings, output);
    if let Err(failure) = &ended {
        tell(&failure.message);
    }
    ended
}

fn run_unless_taken(surroundings: &Surroundings, output: &mut Output) -> Done {
    let mut seat = match Seat::take(&surroundings.variables)? {
        Sat::Down(seat) => seat,
        Sat::Taken(by) => return Err(Failure::new(format!("a daemon runs already ({by})"))),
    };
    let loaded = surroundings.load(Scope::Global);
    let config = &loaded.config;
    let settings = surroundings.run_settings();
    let WatchedRun { observer, logs, witness } = WatchedRun::begin(config, &settings, output);
    let store: Arc<dyn Store> = Arc::new(surroundings.store()?);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let watched = (&observer, logs.traces());
        let contexts = Contexts::new(None, surroundings, &store, watched, pool(&config.limits))?;
        let contexts = Arc::new(contexts);
        // Nobody connects over HTTP here, but windows and servers take open files too.
        fit_open_files(&config.limits);
        let visitors = Arc::new(Visitors::default());
        let gateway = gateway_for_windows(&contexts, &visitors, config);
        let sockets = seat.bind()?;
        witness.began(config.servers.len());
        tell(DAEMON_READY);
        let daemon = Daemon {
            gateway,
            contexts,
            store,
            visitors,
            stays: Stays::WhileUsed(config.limits.daemon_idle.duration()),
            endpoint: None,
            uid: current_uid(),
            stop: stopped_by_signal(),
        };
        daemon.run(sockets).await;
        witness.ended();
        Ok(Exit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(output);
    drop(seat);
    ended
}

/// One line for whoever started us. It may not listen any more.
fn tell(words: &str) {
    let words = words.replace('\n', " ");
    let _ = Outlet::Data.put(&Printable::line(&words).ended());
}
