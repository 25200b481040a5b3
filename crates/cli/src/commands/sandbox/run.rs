//! `toolgate sandbox run -- COMMAND`: behind walls around this folder, with our own streams.
//!
//! It ends as the command does: its exit code is ours, and a signal counts as in a shell.

use std::sync::Arc;

use toolgate_sandbox::{
    Description, HelperPath, NetworkLog, PassedLimit, ProcessSpawner, ProgramExit, SandboxRoom,
    Signal, SpawnConditions, SpawnError,
};
use toolgate_terminal::{CommandOutput, pass_on, typed};
use toolgate_types::config::{
    Confinement, InheritEnv, NetworkAccess, ResourceLimits, SandboxProfile, Stderr,
};
use toolgate_types::{ConfigText, NetworkVerdict};

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
    let ended = runtime.block_on(carry(&spawner, &description, &conditions));
    let (exit, passed) = ended.map_err(|error| failure(&error))?;
    if let Some(passed) = passed {
        let what = match passed {
            PassedLimit::Processes => "processes",
            PassedLimit::Memory => "memory",
        };
        output.warning(format!("it was ended: it used more {what} than it may"));
    }
    for decision in network.decisions() {
        if let NetworkVerdict::Refused(_) = decision.verdict {
            output.warning(decision.to_string());
        }
    }
    output.flush();
    // Somebody may still be typing, and nobody reads that any more.
    runtime.shutdown_background();
    std::process::exit(match exit {
        ProgramExit::Code(code) => code,
        ProgramExit::Signal(number) => BY_SIGNAL + number,
        ProgramExit::Lost => BY_SIGNAL,
    })
}

fn wanted(
    arguments: &SandboxRunArgs,
    surroundings: &Surroundings,
) -> Result<(Description, SpawnConditions), CliFailure> {
    let SandboxRunArgs { readable, writable, allow_network, allow_host, command } = arguments;
    let Some((program, args)) = command.split_first() else {
        return Err(CliFailure::usage("no command was given"));
    };
    let plain = |text: &String| ConfigText::Plain(text.clone());
    let description = Description {
        program: plain(program),
        args: args.iter().map(plain).collect(),
        folder: surroundings.cwd.clone(),
        env: Default::default(),
        pass: Vec::new(),
        inherit: InheritEnv::Core,
        source: surroundings.variables.iter().collect(),
    };
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

async fn carry(
    spawner: &ProcessSpawner,
    description: &Description,
    conditions: &SpawnConditions,
) -> Result<(ProgramExit, Option<PassedLimit>), SpawnError> {
    let interrupted = cancelled_at_interrupt();
    let mut child = spawner.spawn(description, conditions).await?;
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
    Ok((exit, child.passed_limit()))
}
