//! A host for one run of a verb: the configuration as it counts here, the servers that are meant,
//! Ctrl-C, and the end of everything that was started.
//!
//! What is done with the host is the verb's business; nothing is printed while it runs but progress.

mod choosing;

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_config::{McpConfigLoadResult, Severity};
use toolgate_host::{Address, Audience, HelperPath, Host};
use toolgate_store::Store;
use toolgate_types::config::Durability;
use toolgate_types::{ServerId, ServerState, ServerStatus, visible};

use crate::administrator::administrator;
use crate::args::Scope;
use crate::asking::AtTerminal;
use crate::failure::{Exit, Failure};
use crate::listing::Missing;
use crate::logging::Watched;
use crate::output::{Output, counted};
use crate::progress::Progress;
use crate::surroundings::Surroundings;
use choosing::{find_role, hosted_config, left_out, meant, refuse_unusable};

/// Which host a verb needs.
pub(crate) struct Wish<'a> {
    /// Only this server; no other is in the host, so none is started.
    pub(crate) only: Option<&'a str>,
    /// For this role. Its bundles may name other servers than the one that is meant, so all are in
    /// the host then; those that are not meant are still not started.
    pub(crate) role: Option<&'a str>,
    /// Whether lists may come from the last run.
    pub(crate) cached: bool,
    /// Whether something is carried out, and the person is there for what servers ask meanwhile.
    pub(crate) answers: bool,
}

/// A host that runs.
pub(crate) struct Hosted {
    pub(crate) host: Host,
    /// For whom lists are made here.
    pub(crate) audience: Audience,
    /// The servers that are meant; `None` is all.
    pub(crate) meant: Option<Vec<ServerId>>,
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
    let role = wish.role.map(|role| find_role(role, &loaded, &known)).transpose()?;
    let meant = meant(&wish, role.as_ref(), &loaded.config)?;
    let left_out = left_out(&wish, &loaded, &known);
    // Of all that is configured, not only of what is hosted.
    let Watched { masker, progress, logs, witness } =
        Watched::begin(&loaded.config, surroundings, output);
    let config = hosted_config(&wish, &loaded.config);
    let (naming, durability) = (config.gateway.naming, config.audit.durability);
    let address = role.map_or(Address::Everything, Address::Role);
    let audience = Audience { naming, resource_tools: false, address };
    let mut builder = Host::builder()
        .config(config)
        .acceptances(known)
        .workspace(&surroundings.cwd)
        .variables(surroundings.variables.clone())
        .masker(masker)
        .helper(HelperPath::current_exe())
        .listener(Arc::clone(&witness) as _);
    if !wish.cached {
        builder = builder.live_only();
    }
    if let Some(rules) = administrator()? {
        builder = builder.administrator(rules);
    }
    match store(surroundings, output) {
        Some(store) => builder = builder.store(Arc::clone(&store)).audit(store),
        None if wish.answers && durability == Durability::BeforeCall => {
            return Err(Failure::new("what cannot be recorded is not done")
                .hint("that is `durability = \"before_call\"` under [audit]"));
        }
        None => {}
    }
    if let (true, Some(person)) = (wish.answers, AtTerminal::new(&progress, output)) {
        builder = builder.asker(Arc::new(person));
    }
    if let Some(level) = surroundings.logging.asked_of_servers(output.is_verbose()) {
        builder = builder.log_level(level);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let done = runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        let hosted =
            Hosted { host: builder.build(), audience, meant, progress, interrupted, left_out };
        witness.began(hosted.host.status().len());
        let done = work(&hosted).await;
        hosted.progress.clear();
        hosted.host.close_all().await;
        witness.ended();
        done
    });
    // A name that is still being looked up holds nobody up.
    runtime.shutdown_background();
    logs.finish(output);
    Ok(done)
}

impl Hosted {
    /// Connects to every server, each within its own time and whatever comes of it.
    pub(crate) async fn connect(&self) -> Result<(), Failure> {
        self.progress.doing("connecting");
        let mut connecting = JoinSet::new();
        for ServerStatus { id, .. } in self.host.status() {
            if !self.means(&id) {
                continue;
            }
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

    fn means(&self, id: &ServerId) -> bool {
        self.meant.as_ref().is_none_or(|meant| meant.contains(id))
    }

    /// The servers of which `is_listed` does not hold, and why.
    pub(crate) fn missing(&self, is_listed: impl Fn(&ServerStatus) -> bool) -> Vec<Missing> {
        let mut missing = self.left_out.clone();
        let failed = self
            .host
            .status()
            .into_iter()
            .filter(|status| self.means(&status.id))
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

pub(crate) fn report_problems(
    loaded: &McpConfigLoadResult,
    output: &mut Output,
) -> Result<(), Failure> {
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

fn store(surroundings: &Surroundings, output: &mut Output) -> Option<Arc<dyn Store>> {
    match surroundings.store() {
        Ok(store) => Some(Arc::new(store)),
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
