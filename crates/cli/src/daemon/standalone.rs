//! `toolgate stdio --standalone`: everything in the process that the client started, for this client
//! alone. It ends with it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_control::hello::Hello;
use toolgate_daemon::{WatchedRun, runtime};
use toolgate_gateway::socket::Windows as _;
use toolgate_store::Store;

use super::gateway_for_windows;
use super::windows::{Doorkeeper, Visitors};
use crate::args::Scope;
use crate::contexts::{Contexts, pool};
use crate::failure::{Done, Exit, Failure};
use crate::output::{ForClientAsync, Output};
use crate::serving::stopped_by_signal;
use crate::surroundings::Surroundings;

/// Serves the client on the standard streams. The surroundings are the person's own, what `hello`
/// says is a project's word, and `values` are looked up for the variables that are named.
pub(crate) fn standalone(
    hello: &Hello,
    values: impl Fn(&str) -> Option<String>,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
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
        let visitors = Arc::new(Visitors::default());
        let gateway = gateway_for_windows(&contexts, &visitors, config);
        let (brought, _) = tokio::sync::mpsc::unbounded_channel();
        let doorkeeper = Doorkeeper {
            contexts,
            visitors,
            store,
            brought,
            stop: CancellationToken::new(),
            may_retire: false,
        };
        let wanted = doorkeeper.wanted(hello).await;
        let values = wanted.iter().filter_map(|name| Some((name.clone(), values(name)?)));
        let shim = Some(std::process::id());
        let window = doorkeeper.open(hello, shim, values.collect()).await.map_err(Failure::new)?;
        witness.began(config.servers.len());
        let conversation = gateway.attach(window.attached).await.map_err(Failure::new)?;
        let stop = stopped_by_signal();
        let stdout = ForClientAsync::open()
            .map_err(|error| Failure::new(format!("cannot use the standard streams: {error}")))?;
        let stdin = tokio::io::stdin();
        let _ = stop.run_until_cancelled(conversation.run(stdin, stdout)).await;
        gateway.close().await;
        witness.ended();
        Ok(Exit::Ok)
    });
    runtime.shutdown_background();
    logs.finish(output);
    ended
}
