//! The call of a command tool: what exactly would run, the run, and what its record says of it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::timeout;
use toolgate_audit::{CallRecord, CommandRecord, NetworkRecord};
use toolgate_guard::Permitted;
use toolgate_types::{Definition, Operation, OperationOutcome};
use toolgate_upstream::{
    CommandError, CommandFigures, CommandOptions, CommandTally, ConnectionLease, OperationOptions,
    OutputCheck, PreparedCommand, RequestError, Upstream, UpstreamError,
};

use super::call_trouble::CallTrouble;
use super::rounds::{PerformedOperation, ReadyCommand, timeout_of};
use super::{Call, CallOptions};
use crate::arguments::CompiledSchema;
use crate::entry::ToolEntry;
use crate::output_schema::OutputSchema;
use crate::{Audience, Host};

/// How long the end of a command is waited for that nobody waits for any more.
const ITS_END: Duration = Duration::from_secs(5);

/// The command that a call ran, if it ran one.
#[derive(Default)]
pub(super) struct RanCommand(OnceLock<Arc<CommandTally>>);

impl RanCommand {
    pub(super) fn tally(&self) -> Arc<CommandTally> {
        Arc::clone(self.0.get_or_init(Arc::default))
    }

    /// Writes down how it ended. A call that nobody waits for any more is over when its command is.
    pub(super) async fn noted(
        &self,
        ended: Result<OperationOutcome, CallTrouble>,
        record: &mut CallRecord,
    ) -> Result<OperationOutcome, CallTrouble> {
        let Some(tally) = self.0.get() else { return ended };
        let is_given_up = matches!(ended, Err(CallTrouble::Cancelled | CallTrouble::Deadline(_)));
        if is_given_up {
            let _ = timeout(ITS_END, tally.ended()).await;
        }
        if let Some(figures) = tally.record() {
            let CommandFigures { exit_code, signal, stdout_bytes, stderr_bytes } = figures;
            let exit_status = exit_code;
            let network = tally.network().iter().map(NetworkRecord::from).collect();
            record.ran(CommandRecord { exit_status, signal, stdout_bytes, stderr_bytes, network });
        }
        match ended {
            Err(CallTrouble::Deadline(after)) => {
                Err(CallTrouble::CommandDeadline(after, tally.partial()))
            }
            ended => ended,
        }
    }
}

impl Host {
    /// What a call of a command tool would run; nothing for any other tool.
    pub(super) fn prepare_command(
        &self,
        entry: &ToolEntry,
        upstream: &Upstream,
        definition: &Definition,
        call: &Call,
    ) -> Result<Option<Arc<PreparedCommand>>, CallTrouble> {
        let (arguments, overrides) = (call.arguments.as_deref(), call.options.overrides());
        let prepared = upstream.prepare_command(&definition.key, arguments, overrides);
        let Some(prepared) = prepared else { return Ok(None) };
        let prepared = prepared.and_then(|prepared| {
            match prepared.is_led_outside() && !self.limits_folders(&entry.audience) {
                true => Err(CommandError::FolderOutside),
                false => Ok(prepared),
            }
        });
        match prepared {
            Ok(prepared) => Ok(Some(Arc::new(prepared))),
            Err(error) => {
                Err(CallTrouble::Upstream { server: upstream.id().clone(), error: error.into() })
            }
        }
    }

    fn limits_folders(&self, audience: &Audience) -> bool {
        self.view(audience).rules().is_some_and(|rules| rules.limits_folders())
    }

    pub(super) async fn run_command(
        &self,
        (upstream, held): (&Upstream, ConnectionLease),
        definition: &Definition,
        (prepared, tally): ReadyCommand,
        permitted: &Permitted<Operation>,
        options: CallOptions,
    ) -> Result<PerformedOperation, CallTrouble> {
        // The smaller of what its entry gives it and what its caller does.
        let timeout = timeout_of(upstream, definition);
        let timeout = options.within.map_or(timeout, |within| within.min(timeout));
        let schema = OutputSchema::raw(&definition.raw);
        let compiled = schema.and_then(CompiledSchema::new);
        let fits = |json: &str| compiled.as_ref().is_none_or(|schema| schema.is_surely_met(json));
        let fits: OutputCheck<'_> = &fits;
        let command =
            CommandOptions { prepared, output: options.output, fits: schema.map(|_| fits), tally };
        let spilled = OnceLock::new();
        let manner = OperationOptions {
            spilled: Some(&spilled),
            command: Some(command),
            ..OperationOptions::within(timeout)
        };
        let outcome = upstream.perform(&held, permitted, manner).await;
        let outcome = outcome.map_err(|error| match error {
            UpstreamError::Request(RequestError::Withheld(refusal)) => refusal.into(),
            UpstreamError::Command(CommandError::Cancelled) => CallTrouble::Cancelled,
            error => CallTrouble::Upstream { server: upstream.id().clone(), error },
        })?;
        Ok(PerformedOperation { outcome, spilled: spilled.into_inner().map(Box::new) })
    }
}
