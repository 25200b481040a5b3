//! `toolgate sandbox learn -- COMMAND`: runs it with little in its way, and prints what walls around it would
//! have to let through.

use serde_json::json;
use toolgate_sandbox::{HelperPath, LearnedSettings, ProcessSpawner};
use toolgate_terminal::{CommandOutput, pass_aside};

use super::failure;
use super::run::{carry, code_of, wanted};
use crate::args::{SandboxRunArgs, ScopeArg};
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(super) fn run(
    command: &[String],
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let config = surroundings.load(ScopeArg::Effective).config;
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    let ground = surroundings.test_ground(&config).walls;
    spawner.stand_on(ground.clone());
    let arguments = SandboxRunArgs { command: command.to_vec(), ..SandboxRunArgs::default() };
    let (description, conditions) = wanted(&arguments, surroundings)?;
    output.flush();
    let runtime = command_runtime()?;
    let ended = runtime.block_on(async {
        let (child, log) = spawner.spawn_to_learn(&description, &conditions).await?;
        Ok((carry(child, pass_aside).await, log))
    });
    let ((exit, _), log) = ended.map_err(|error| failure(&error))?;
    let access = log.access().map_err(CliFailure::new)?;
    let (confinement, room) = (&conditions.confinement, &conditions.room);
    let settings = LearnedSettings::of(&access, confinement, &ground, room);
    let settings = settings.map_err(|error| failure(&error.into()))?;
    match output.json {
        true => output.document_of(&json!({
            "readable": settings.readable,
            "writable": settings.writable,
            "allowNetwork": settings.network,
            "remarks": settings.remarks,
        })),
        false => output.raw(&settings.to_toml()),
    }
    if !exit.is_success() {
        output.warning(format!(
            "it failed ({exit}): what it would have needed after that is not known"
        ));
    }
    output.flush();
    runtime.shutdown_background();
    std::process::exit(code_of(exit))
}
