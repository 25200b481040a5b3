//! One run of a command: started, fed, listened to, and ended with everything it started, whoever ends it
//! first.
//!
//! It runs in a task of its own: whoever waits may be slow, or gone, and its time runs all the same.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use toolgate_sandbox::{
    ChildProcess, ChildStdin, PassedLimit, ProcessSpawner, ProgramExit, Signal,
};
use toolgate_types::config::SandboxProfile;
use toolgate_types::{CommandEnding, CommandPiece, OperationOutcome};
use toolgate_wire::MessageLimits;
use tracing::debug;

use super::kept_output::KeptOutput;
use super::pump::OutputPump;
use super::refused::RefusedByWalls;
use super::result::{EndedCommand, OutputCheck};
use super::{CommandError, CommandTally, PreparedCommand};
use crate::spilled_answer::{SpillPlace, SpilledAnswer};

/// How long a command may take to end once it is told to; as long again until the rest is killed.
const GRACE: Duration = Duration::from_millis(750);

/// How long the last word to somebody who does not read may take.
const LAST_WORD: Duration = Duration::from_secs(1);

/// What a run needs.
pub(crate) struct CommandRun {
    pub(crate) command: Arc<PreparedCommand>,
    pub(crate) spawner: ProcessSpawner,
    pub(crate) timeout: Duration,
    /// Who reads along.
    pub(crate) listener: Option<mpsc::Sender<CommandPiece>>,
    pub(crate) tally: Arc<CommandTally>,
    /// Where output goes that is too long to hold.
    pub(crate) place: Option<(SpillPlace, MessageLimits)>,
}

/// How a run came to its end.
enum RunEnd {
    Exited(ProgramExit),
    PassedLimit(PassedLimit),
    TimedOut,
    Cancelled,
}

/// Carries it out. Dropping the future cancels it: the tree is asked to end, and then ended.
pub(crate) async fn run(
    run: CommandRun,
    fits: Option<OutputCheck<'_>>,
) -> Result<(OperationOutcome, Option<SpilledAnswer>), CommandError> {
    let (command, tally, after) = (Arc::clone(&run.command), Arc::clone(&run.tally), run.timeout);
    // Gone with this future, however it ends.
    let (_waits, gone) = oneshot::channel::<()>();
    let running = tokio::spawn(carry_out(run, gone));
    let (end, mut pump, refused) = running.await.map_err(|_| CommandError::Lost)??;
    let partial = || tally.partial();
    let exit = match end {
        RunEnd::Exited(exit) => exit,
        RunEnd::PassedLimit(limit) => {
            return Err(CommandError::TooMuch(limit.setting(), partial()));
        }
        RunEnd::TimedOut => return Err(CommandError::TimedOut { after, partial: partial() }),
        RunEnd::Cancelled => return Err(CommandError::Cancelled),
    };
    if let Some(variable) = command.missing_credential().filter(|_| !exit.is_success()) {
        let (variable, ending) = (variable.clone(), exit.to_string());
        return Err(CommandError::NoCredential { variable, ending, partial: partial() });
    }
    if !exit.is_success() {
        if let Some(stderr) = tally.kept(|kept| unstarted(exit, kept)) {
            return Err(CommandError::NotStarted { exit, stderr });
        }
        if let Some(refused) = tally.kept(|kept| refused.rules(kept)) {
            return Err(CommandError::Refused { refused, exit, partial: partial() });
        }
    }
    let (tool, figures, refused) = (&command.tool().value, tally.figures(), &refused);
    let spill = pump.spill.take();
    if let Some(spill) = spill {
        // What is held does not change any more; it is not locked while a file is written.
        let kept = &tally.take_kept();
        let ended = EndedCommand { tool, exit, figures, kept, refused };
        return Ok(match spill.end(&ended, fits.is_some()).await {
            Some((outcome, spilled)) => (outcome, Some(spilled)),
            None => (ended.outcome(fits), None),
        });
    }
    let outcome = |kept: &_| EndedCommand { tool, exit, figures, kept, refused }.outcome(fits);
    Ok((tally.kept(outcome), None))
}

async fn carry_out(
    run: CommandRun,
    mut gone: oneshot::Receiver<()>,
) -> Result<(RunEnd, OutputPump, RefusedByWalls), CommandError> {
    let CommandRun { command, spawner, timeout: after, listener, tally, place } = run;
    let until = Instant::now().checked_add(after);
    let mut conditions = command.conditions();
    conditions.network_listener = Some(tally.clone());
    let started = spawner.spawn(command.description(), &conditions).await;
    let mut child = started.map_err(|error| {
        tally.has_ended(ProgramExit::Lost);
        CommandError::of_spawn(&error)
    })?;
    tally.begin();
    debug!(tool = command.name(), process = child.pid(), "command started");
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(mut stdout), Some(mut stderr)) = streams else {
        tally.has_ended(child.shutdown(GRACE).await);
        return Err(CommandError::Lost);
    };
    let mut pump = OutputPump::new(Arc::clone(&tally), listener, place);
    let end = {
        let working = async {
            let ending = async {
                let exit = child.wait().await;
                // What it left behind ends with it; then nobody holds its streams any more.
                child.shutdown(GRACE).await;
                exit
            };
            let feeding = feed(stdin, command.stdin().to_owned());
            let (exit, (), ()) = tokio::join!(ending, feeding, pump.run(&mut stdout, &mut stderr));
            exit
        };
        tokio::select! {
            exit = working => RunEnd::Exited(exit),
            () = never_after(until) => RunEnd::TimedOut,
            _ = &mut gone => RunEnd::Cancelled,
        }
    };
    let is_confined = command.tool().value.confinement.profile != SandboxProfile::None;
    let end = match end {
        RunEnd::Exited(exit) => {
            let by_kernel = PassedLimit::of_exit(exit).filter(|_| is_confined);
            child.passed_limit().or(by_kernel).map_or(end, RunEnd::PassedLimit)
        }
        end => end,
    };
    let exit = match end {
        RunEnd::Exited(exit) => exit,
        RunEnd::PassedLimit(_) => child.wait().await,
        RunEnd::TimedOut | RunEnd::Cancelled => {
            let exit = end_tree(&mut child).await;
            // What it had printed and nobody had read is kept; nobody is told piece by piece any more.
            let listener = pump.listener.take();
            let _ = timeout(LAST_WORD, pump.run(&mut stdout, &mut stderr)).await;
            pump.listener = listener;
            exit
        }
    };
    tally.has_ended(exit);
    let ending = match end {
        RunEnd::Exited(_) | RunEnd::PassedLimit(_) => match exit {
            ProgramExit::Code(code) => CommandEnding::Exited { code: Some(code), signal: None },
            ProgramExit::Signal(signal) => {
                CommandEnding::Exited { code: None, signal: Some(signal) }
            }
            ProgramExit::Lost => CommandEnding::Exited { code: None, signal: None },
        },
        RunEnd::TimedOut => CommandEnding::TimedOut,
        RunEnd::Cancelled => CommandEnding::Cancelled,
    };
    debug!(tool = command.name(), %exit, ending = ending.as_str(), "command ended");
    if let Some(listener) = pump.listener.take() {
        let saying = listener.send(CommandPiece::Ended(ending));
        match end {
            // Nothing of it is lost, however long its reader takes.
            RunEnd::Exited(_) | RunEnd::PassedLimit(_) => tokio::select! {
                _ = saying => {}
                _ = &mut gone => {}
            },
            RunEnd::TimedOut | RunEnd::Cancelled => drop(timeout(LAST_WORD, saying).await),
        }
    }
    let refused = RefusedByWalls::new(child.refusals(), &tally.network());
    Ok((end, pump, refused))
}

/// What is said of a program that was never begun: shells, loaders and `env` have these numbers for it, and
/// nothing was printed but why.
fn unstarted(exit: ProgramExit, kept: &KeptOutput) -> Option<String> {
    let is_unstarted = matches!(exit, ProgramExit::Code(126 | 127)) && kept.stdout.total() == 0;
    is_unstarted.then(|| kept.stderr_tail()).flatten()
}

/// A command need not read what it is given, and may close its input.
async fn feed(mut stdin: ChildStdin, text: String) {
    let _ = stdin.write_all(text.as_bytes()).await;
    let _ = stdin.write_all(b"\n").await;
    let _ = stdin.shutdown().await;
}

/// Tells the whole tree to end, and ends what does not.
async fn end_tree(child: &mut ChildProcess) -> ProgramExit {
    let _ = child.signal(Signal::Terminate);
    child.shutdown(GRACE).await
}

async fn never_after(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}
