//! A host for one run of a verb: the configuration as it counts here, the servers that are meant,
//! Ctrl-C, and the end of everything that was started.
//!
//! What is done with the host is the verb's business; nothing is printed while it runs but progress.

mod live_only;

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_config::{McpConfigLoadResult, Severity};
use toolgate_host::{Guard, HelperPath, Host};
use toolgate_store::Store;
use toolgate_types::config::{Config, Naming, Transport};
use toolgate_types::{
    Acceptances, EntryKind, LogLevel, ServerId, ServerState, ServerStatus, Standing, visible,
};

use crate::args::Scope;
use crate::asking::AtTerminal;
use crate::commands::find_server;
use crate::failure::{Exit, Failure};
use crate::listing::Missing;
use crate::output::{Output, counted};
use crate::progress::Progress;
use crate::surroundings::Surroundings;
use crate::trusting;
use live_only::LiveOnly;

/// Which host a verb needs.
pub(crate) struct Wish<'a> {
    /// Only this server; no other is in the host, so none is started.
    pub(crate) only: Option<&'a str>,
    pub(crate) guard: Guard,
    /// Whether lists may come from the last run.
    pub(crate) cached: bool,
    /// Whether the person is there for what servers ask.
    pub(crate) answers: bool,
}

/// A host that runs.
pub(crate) struct Hosted {
    pub(crate) host: Host,
    pub(crate) naming: Naming,
    pub(crate) progress: Arc<Progress>,
    /// The person pressed Ctrl-C.
    pub(crate) interrupted: CancellationToken,
    /// What was known not to run before anything was started.
    left_out: Vec<Missing>,
}

/// Has the work done with a host. Whatever comes of it, everything is closed afterwards.
pub(crate) fn with_host<T>(
    wish: Wish<'_>,
    surroundings: &Surroundings,
    output: &mut Output,
    work: impl AsyncFnOnce(&Hosted) -> T,
) -> Result<T, Failure> {
    let loaded = surroundings.load(Scope::Effective);
    report_problems(&loaded, output)?;
    let known = surroundings.acceptances(&loaded)?;
    if let Some(id) = wish.only {
        refuse_unusable(id, &loaded, &known)?;
    }
    let left_out = left_out(&wish, &loaded, &known);
    let progress = Arc::new(Progress::new(output));
    let config = meant(&wish, &loaded.config);
    let naming = config.gateway.naming;
    let mut builder = Host::builder()
        .config(config)
        .acceptances(known)
        .workspace(&surroundings.cwd)
        .variables(surroundings.variables.clone())
        .helper(HelperPath::current_exe())
        .listener(Arc::clone(&progress) as _)
        .guard(wish.guard);
    if let Some(store) = store(wish.cached, surroundings, output) {
        builder = builder.store(store);
    }
    if let (true, Some(person)) = (wish.answers, AtTerminal::new(&progress, output)) {
        builder = builder.asker(Arc::new(person));
    }
    if output.is_verbose() {
        builder = builder.log_level(LogLevel::Info);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let done = runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        let hosted = Hosted { host: builder.build(), naming, progress, interrupted, left_out };
        let done = work(&hosted).await;
        hosted.progress.clear();
        hosted.host.close_all().await;
        done
    });
    // A name that is still being looked up holds nobody up.
    runtime.shutdown_background();
    Ok(done)
}

impl Hosted {
    /// Connects to every server, each within its own time and whatever comes of it.
    pub(crate) async fn connect(&self) -> Result<(), Failure> {
        self.progress.doing("connecting");
        let mut connecting = JoinSet::new();
        for ServerStatus { id, .. } in self.host.status() {
            let host = self.host.clone();
            connecting.spawn(async move { host.reconnect(&id).await });
        }
        self.unless_interrupted(async { while connecting.join_next().await.is_some() {} }).await
    }

    /// What comes of it, unless the person interrupts.
    pub(crate) async fn unless_interrupted<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        self.interrupted.run_until_cancelled(work).await.ok_or_else(interrupted)
    }

    /// The servers of which `is_listed` does not hold, and why.
    pub(crate) fn missing(&self, is_listed: impl Fn(&ServerStatus) -> bool) -> Vec<Missing> {
        let mut missing = self.left_out.clone();
        let failed = self
            .host
            .status()
            .into_iter()
            .filter(|status| status.state != ServerState::Pending && !is_listed(status));
        missing.extend(failed.map(Missing::from));
        missing
    }
}

pub(crate) fn interrupted() -> Failure {
    Failure::new("interrupted").exits(Exit::Interrupted)
}

/// From here on Ctrl-C ends nothing by itself: it cancels, so that servers are told and closed.
fn cancelled_at_interrupt() -> CancellationToken {
    let interrupted = CancellationToken::new();
    // Without a handler Ctrl-C ends us at once, and what watches over the servers ends those.
    if let Ok(mut interrupt) = signal(SignalKind::interrupt()) {
        let interrupted = interrupted.clone();
        tokio::spawn(async move {
            if interrupt.recv().await.is_some() {
                interrupted.cancel();
            }
        });
    }
    interrupted
}

fn report_problems(loaded: &McpConfigLoadResult, output: &mut Output) -> Result<(), Failure> {
    if let Some(problem) = loaded.problems.iter().find(|p| p.rule == "missing-file") {
        return Err(Failure::new(problem));
    }
    let broken = loaded.problems.iter().filter(|p| p.severity == Severity::Error).count();
    if broken > 0 {
        let problems = counted(broken, "problem");
        output.warning(format!("{problems} in the configuration; see `toolgate config check`"));
    }
    Ok(())
}

/// A server that was named is there, accepted and enabled, or the verb ends here.
fn refuse_unusable(
    id: &str,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Result<(), Failure> {
    let entry = find_server(loaded, id)?;
    if let Standing::Pending(reason) = trusting::server_standing(id, entry, known) {
        return Err(Failure::new(format!("server {id} is pending: {reason}"))
            .hint("nothing was started; accept it with: toolgate trust")
            .exits(Exit::TrustNeeded));
    }
    if !entry.value.enabled {
        return Err(Failure::new(format!("server {id} is disabled"))
            .hint(format!("enable it with: toolgate enable {id}")));
    }
    match entry.value.transport {
        Transport::Builtin => {
            Err(Failure::new(format!("server {id} is built in; there are none of those yet")))
        }
        _ => Ok(()),
    }
}

/// Entries that are invalid, and those that nobody accepted.
fn left_out(wish: &Wish<'_>, loaded: &McpConfigLoadResult, known: &Acceptances) -> Vec<Missing> {
    if wish.only.is_some() {
        return Vec::new();
    }
    let rejected = loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server);
    let rejected = rejected.map(|entry| Missing {
        id: entry.id.clone(),
        state: ServerState::Error,
        error: Some(entry.reason.clone()),
    });
    let pending = loaded.config.servers.iter().filter_map(|(id, entry)| {
        match trusting::server_standing(id.as_str(), entry, known) {
            Standing::Pending(reason) if entry.value.enabled => Some(Missing {
                id: id.to_string(),
                state: ServerState::Pending,
                error: Some(reason.to_string()),
            }),
            _ => None,
        }
    });
    rejected.chain(pending).collect()
}

/// The configuration with the servers that are meant. Built-in ones do not exist yet.
fn meant(wish: &Wish<'_>, config: &Config) -> Config {
    let mut config = config.clone();
    config.servers.retain(|id, entry| {
        let is_meant = wish.only.is_none_or(|only| only == id.as_str());
        is_meant && !matches!(entry.value.transport, Transport::Builtin)
    });
    config
}

fn store(cached: bool, surroundings: &Surroundings, output: &mut Output) -> Option<Arc<dyn Store>> {
    match surroundings.store() {
        Ok(store) if cached => Some(Arc::new(store)),
        Ok(store) => Some(Arc::new(LiveOnly(store))),
        Err(failure) => {
            let why = visible(&failure.message);
            output.warning(format!("nothing is kept of this run: {why}"));
            None
        }
    }
}

/// The id of a server that [`with_host`] let in.
pub(crate) fn server_id(id: &str) -> Result<ServerId, Failure> {
    ServerId::parse(id).map_err(Failure::new)
}
