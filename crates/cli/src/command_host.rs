//! A host for one run of a verb: the configuration as it counts here, the servers that are meant,
//! Ctrl-C, and the end of everything that was started.
//!
//! What is done with the host is the verb's business; nothing is printed while it runs but progress.

use std::sync::Arc;

use toolgate_assembly::HostAssembly;
use toolgate_config::{McpConfigLoadResult, Severity};
use toolgate_daemon::{ChosenServers, ErrandHost, HostWish, RunObserver as _, WatchedRun};
use toolgate_mask::Masker;
use toolgate_store::Store;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::config::Durability;
use toolgate_types::{Acceptances, visible};

use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::console::CommandConsole;
use crate::failure::CliFailure;
use crate::progress::ProgressSink;
use crate::surroundings::Surroundings;
use crate::terminal_asker::TerminalAsker;

/// A wish that makes sense in the configuration as it counts here; nothing was started yet.
pub(crate) struct ReadiedHost {
    pub(crate) loaded: McpConfigLoadResult,
    known: Acceptances,
    chosen: ChosenServers,
}

impl ReadiedHost {
    pub(crate) fn of(
        wish: &HostWish<'_>,
        surroundings: &Surroundings,
        output: &mut CommandOutput,
    ) -> Result<Self, CliFailure> {
        let mut loaded = surroundings.load_as_hosted();
        refuse_unread(&loaded)?;
        surroundings.switch(&mut loaded)?;
        report_problems(&loaded, output)?;
        let known = surroundings.acceptances(&loaded)?;
        let chosen = ChosenServers::of(wish, &loaded, &known)?;
        Ok(Self { loaded, known, chosen })
    }
}

/// Has the work done with a host. Whatever comes of it, everything is closed afterwards.
pub(crate) fn with_host<T>(
    wish: HostWish<'_>,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
    work: impl AsyncFnOnce(&ErrandHost) -> T,
) -> Result<T, CliFailure> {
    let readied = ReadiedHost::of(&wish, surroundings, output)?;
    host_here(&wish, readied, surroundings, output, work)
}

/// The same with a wish that was found to make sense.
pub(crate) fn host_here<T>(
    wish: &HostWish<'_>,
    ReadiedHost { loaded, known, chosen }: ReadiedHost,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
    work: impl AsyncFnOnce(&ErrandHost) -> T,
) -> Result<T, CliFailure> {
    let durability = chosen.config.audit.durability;
    // Of all that is configured, not only of what is hosted.
    let masker = Masker::of_config(&loaded.config, &surroundings.variables);
    let progress = Arc::new(ProgressSink::new(output, &masker));
    let observer = Arc::clone(&progress) as _;
    let WatchedRun { logs, witness, .. } = WatchedRun::seen_by(
        observer,
        &masker,
        &surroundings.run_settings(),
        &mut CommandConsole(output),
    );
    let mut config = chosen.config.clone();
    progress.speak_for_servers(&mut config);
    let mut assembly = HostAssembly::new()?
        .own_places(surroundings.own_places())
        .kept_below(surroundings.state_folder().ok(), &surroundings.variables);
    match store(surroundings, output) {
        Some(store) => assembly = assembly.store(store),
        None if wish.answers && durability == Durability::BeforeCall => {
            return Err(CliFailure::new("what cannot be recorded is not done")
                .hint("that is `durability = \"before_call\"` under [audit]"));
        }
        None => {}
    }
    let context = surroundings.context();
    let mut builder =
        assembly.for_command(&context, config, known, &masker).listener(Arc::clone(&witness) as _);
    if !wish.cached {
        builder = builder.live_only();
    }
    let person = TerminalAsker::new(&progress, wish.waits, output).filter(|_| wish.answers);
    let is_asked_here = person.is_some();
    if let Some(person) = person {
        builder = builder.asker(Arc::new(person.unless_an_agents(&surroundings.variables)));
    }
    if let Some(level) = surroundings.logging.asked_of_servers(output.is_verbose()) {
        builder = builder.log_level(level);
    }
    let runtime = command_runtime()?;
    let done = runtime.block_on(async {
        let mut hosted = ErrandHost::new(
            builder.build(),
            chosen,
            &surroundings.cwd,
            Arc::clone(&progress) as _,
            cancelled_at_interrupt(),
        );
        hosted.is_asked_here = is_asked_here;
        witness.began(hosted.host.status().len());
        let done = work(&hosted).await;
        progress.display.clear();
        hosted.host.close_all().await;
        witness.ended();
        done
    });
    // A name that is still being looked up holds nobody up.
    runtime.shutdown_background();
    logs.finish(&mut CommandConsole(output));
    Ok(done)
}

/// Nothing is listed or called by rules that cannot be read.
pub(crate) fn refuse_unread(loaded: &McpConfigLoadResult) -> Result<(), CliFailure> {
    loaded.own_file_failed().map_or(Ok(()), |failed| {
        Err(CliFailure::new(&failed.problem)
            .hint("nothing that is configured counts until your own file can be read"))
    })
}

pub(crate) fn report_problems(
    loaded: &McpConfigLoadResult,
    output: &mut CommandOutput,
) -> Result<(), CliFailure> {
    if let Some(problem) = loaded.problems.iter().find(|p| p.rule == "missing-file") {
        return Err(CliFailure::new(problem));
    }
    let broken = loaded.problems.iter().filter(|p| p.severity == Severity::Error).count();
    if broken > 0 {
        let problems = counted(broken, "problem");
        output.warning(format!("{problems} in the configuration; see `toolgate config check`"));
    }
    Ok(())
}

fn store(surroundings: &Surroundings, output: &mut CommandOutput) -> Option<Arc<dyn Store>> {
    match surroundings.store() {
        Ok(store) => Some(Arc::new(store)),
        Err(failure) => {
            let why = visible(&failure.message);
            output.warning(format!("nothing is kept of this run: {why}"));
            None
        }
    }
}
