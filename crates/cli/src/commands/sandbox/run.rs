//! `toolgate sandbox run -- COMMAND`: behind walls around this folder, with our own streams.
//!
//! It ends as the command does: its exit code is ours, and a signal counts as in a shell.

use std::sync::Arc;

use toolgate_daemon::typed_command;
use toolgate_sandbox::{
    ChildProcess, ChildStderr, ChildStdout, Description, HelperPath, NetworkLog, PassedLimit,
    ProcessSpawner, ProgramExit, SandboxRoom, Signal, SpawnConditions,
};
use toolgate_terminal::{CommandOutput, pass_on, typed};
use toolgate_types::NetworkVerdict;
use toolgate_types::config::{Confinement, NetworkAccess, ResourceLimits, SandboxProfile, Stderr};

use super::failure;
use crate::args::{SandboxRunArgs, ScopeArg};
use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

/// What a shell adds to the number of a signal.
const BY_SIGNAL: i32 = 128;

pub(super) fn run(
    arguments: &SandboxRunArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let config = surroundings.load(ScopeArg::Effective).config;
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.stand_on(surroundings.test_ground(&config).walls);
    let (description, mut conditions) = wanted(arguments, surroundings)?;
    let network = Arc::new(NetworkLog::default());
    conditions.network_listener = Some(network.clone());
    output.flush();
    let runtime = command_runtime()?;
    let ended = runtime.block_on(async {
        Ok(carry(spawner.spawn(&description, &conditions).await?, pass_on).await)
    });
    let (exit, passed) = ended.map_err(|error| failure(&error))?;
    if let Some(passed) = passed {
        let setting = passed.setting();
        output.warning(format!("it was ended: it used more than `resources.{setting}` lets it"));
    }
    for decision in network.decisions() {
        if let NetworkVerdict::Refused(_) = decision.verdict {
            output.warning(decision.to_string());
        }
    }
    output.flush();
    // Somebody may still be typing, and nobody reads that any more.
    runtime.shutdown_background();
    std::process::exit(code_of(exit))
}

pub(super) fn code_of(exit: ProgramExit) -> i32 {
    match exit {
        ProgramExit::Code(code) => code,
        ProgramExit::Signal(number) => BY_SIGNAL + number,
        ProgramExit::Lost => BY_SIGNAL,
    }
}

pub(super) fn wanted(
    arguments: &SandboxRunArgs,
    surroundings: &Surroundings,
) -> Result<(Description, SpawnConditions), CliFailure> {
    let SandboxRunArgs { readable, writable, allow_network, allow_host, command } = arguments;
    let description = typed_command(command, &surroundings.cwd, &surroundings.variables);
    let description = description.ok_or_else(|| CliFailure::usage("no command was given"))?;
    let confinement = Confinement {
        profile: SandboxProfile::Default,
        network: match allow_network {
            true => NetworkAccess::Everything,
            false => NetworkAccess::Named(allow_host.clone()),
        },
        readable: readable.clone(),
        writable: writable.clone(),
        limits: ResourceLimits::default(),
    };
    let room = SandboxRoom { workspace: Some(surroundings.cwd.clone()), ..SandboxRoom::default() };
    let network_listener = None;
    Ok((description, SpawnConditions { confinement, room, stderr: Stderr::Pipe, network_listener }))
}

/// Its streams and ours until it ends. Who passes on what it says is the caller's choice.
pub(super) async fn carry<P: Future<Output = ()> + Send + 'static>(
    mut child: ChildProcess,
    pass_on: impl FnOnce(ChildStdout, ChildStderr) -> P,
) -> (ProgramExit, Option<PassedLimit>) {
    let interrupted = cancelled_at_interrupt();
    let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    if let Some(mut input) = input {
        tokio::spawn(async move { tokio::io::copy(&mut typed(), &mut input).await });
    }
    let telling = out.zip(err).map(|(out, err)| tokio::spawn(pass_on(out, err)));
    let exit = loop {
        tokio::select! {
            exit = child.wait() => break exit,
            () = interrupted.cancelled(), if !interrupted.is_cancelled() => {
                let _ = child.signal(Signal::Interrupt);
            }
        }
    };
    // What it left behind would hold the streams open.
    let _ = child.signal(Signal::Kill);
    if let Some(telling) = telling {
        let _ = telling.await;
    }
    (exit, child.passed_limit())
}
