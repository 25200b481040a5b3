//! The command tools of `local`: what a call of one would run, and the run itself.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_guard::Permitted;
use toolgate_types::{Operation, OperationOutcome, SessionOverrides, visible};
use toolgate_wire::MessageLimits;

use super::{Upstream, UpstreamError};
use crate::command::{CommandGround, CommandRun, command_tools, run};
use crate::{
    CommandError, CommandOptions, CommandTools, ConnectionLease, OperationOptions, PreparedCommand,
    RequestError,
};

impl Upstream {
    /// The command tools that it has; none, unless it is `local`.
    pub fn commands(&self) -> Option<&CommandTools> {
        command_tools(&self.entry().value)
    }

    /// Exactly what a call would run, in the session that overrides this. Nothing is started.
    pub fn prepare_command(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        overrides: Option<&SessionOverrides>,
    ) -> Option<Result<PreparedCommand, CommandError>> {
        let tools = self.commands()?;
        let Some(entry) = tools.get(name) else { return Some(Err(CommandError::Unknown)) };
        let variables = self.world.variables();
        let workspace = &self.world.workspace;
        let ground = CommandGround { workspace, variables: &variables, overrides };
        Some(PreparedCommand::of(name, entry, arguments, ground))
    }

    pub(super) async fn run_command(
        &self,
        held: &ConnectionLease,
        permitted: &Permitted<Operation>,
        command: CommandOptions<'_>,
        manner: OperationOptions<'_>,
    ) -> Result<OperationOutcome, UpstreamError> {
        let _counted = held.instance.count();
        let CommandOptions { prepared, output, fits, tally } = command;
        // What was permitted is what was prepared, and nothing else.
        let is_it = match permitted.get() {
            Operation::CallTool { name, arguments } => {
                **name == *prepared.name()
                    && arguments.as_deref().map_or("{}", RawValue::get) == prepared.stdin()
            }
            _ => false,
        };
        if !is_it {
            return Err(CommandError::Unknown.into());
        }
        if let Some(file) = self.changed_since(&prepared).await {
            return Err(CommandError::FileChanged(visible(&file)).into());
        }
        if let Some(pending) = permitted.pending() {
            pending.use_up().map_err(|said| RequestError::Withheld(said.into()))?;
        }
        let allowances = &self.world.allowances;
        let limits = MessageLimits { bytes: allowances.message_bytes(), ..MessageLimits::DEFAULT };
        let is_streamed = prepared.tool().value.streaming;
        let spilled = manner.spilled;
        let run_of_it = CommandRun {
            spawner: self.world.spawner.clone(),
            timeout: manner.timeout,
            listener: output.filter(|_| is_streamed),
            tally,
            place: allowances.spill().filter(|_| spilled.is_some()).map(|place| (place, limits)),
            command: prepared,
        };
        let (outcome, answer) = run(run_of_it, fits).await?;
        if let (Some(answer), Some(taker)) = (answer, spilled) {
            let _ = taker.set(answer);
        }
        Ok(outcome)
    }

    /// A file that was accepted with the entry and is not as it was.
    async fn changed_since(&self, prepared: &Arc<PreparedCommand>) -> Option<String> {
        let look = self.world.second_look.read().clone()?;
        let prepared = Arc::clone(prepared);
        let looking = tokio::task::spawn_blocking(move || look.changed_of_tool(prepared.tool()));
        looking.await.unwrap_or(None)
    }
}
