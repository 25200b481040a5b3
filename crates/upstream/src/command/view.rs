//! What a run of a command tool would see, whatever its arguments are.

use std::path::Path;

use toolgate_sandbox::{ProcessSpawner, SandboxView, SpawnError};
use toolgate_types::Variables;
use toolgate_types::config::{CommandTool, Entry};

use super::CommandError;
use super::prepare::{CommandGround, PreparedCommand};

/// Behind the walls that its entry asks for; `None` where it asks for none. Why there is nothing to see is
/// either the entry's fault or the machine's.
pub fn command_view(
    entry: &Entry<CommandTool>,
    (workspace, variables): (&Path, &Variables),
    spawner: &ProcessSpawner,
) -> Result<Result<Option<SandboxView>, SpawnError>, CommandError> {
    // Arguments come with a call, and change nothing of what it sees.
    let mut entry = entry.clone();
    entry.value.args.clear();
    let ground = CommandGround { workspace, variables, overrides: None };
    let command = PreparedCommand::of("", &entry, None, ground)?;
    Ok(spawner.view(command.description(), &command.conditions()))
}
