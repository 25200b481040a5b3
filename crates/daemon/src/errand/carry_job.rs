//! What a server is asked to do for the person, and how a host has it done.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::{CommandFailure, Verbatim};
use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_types::{CallError, ListKind, OperationOutcome, ServerId};

use super::{CallArguments, CarryFailure, ErrandHost};

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarryJob {
    /// It waits for a person's approval, or not.
    Call {
        tool: String,
        arguments: CallArguments,
        waits: bool,
    },
    Read {
        uri: String,
    },
    Prompt {
        name: String,
        arguments: Option<Verbatim>,
    },
}

impl CarryJob {
    pub(super) async fn done(
        &self,
        hosted: &ErrandHost,
        server: &ServerId,
        options: CallOptions,
    ) -> Result<OperationOutcome, CarryFailure> {
        let host = &hosted.host;
        let outcome: Result<OperationOutcome, CallError> = match self {
            Self::Call { tool, arguments, waits: _ } => {
                let arguments = typed(arguments, hosted, server, tool).await?;
                let target = CallTarget::exact(server.clone(), tool.clone());
                host.call(Call::new(target).arguments(arguments).options(options)).await
            }
            Self::Read { uri } => host.read_resource(server, uri, options).await,
            Self::Prompt { name, arguments } => {
                let arguments = arguments.as_ref().map(|arguments| arguments.0.clone());
                host.get_prompt(server, name, arguments, options).await
            }
        };
        Ok(outcome?)
    }
}

/// The arguments, each of the type that the tool's schema says.
async fn typed(
    given: &CallArguments,
    hosted: &ErrandHost,
    server: &ServerId,
    tool: &str,
) -> Result<Box<RawValue>, CommandFailure> {
    if !given.want_a_schema() {
        return given.object(None);
    }
    let found = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server));
    let found = hosted.unless_interrupted(found).await?;
    let mut found = found.into_iter().map(|found| found.definition);
    let definition = found.find(|definition| definition.key == tool);
    given.object(definition.as_ref().and_then(|definition| definition.input_schema.as_deref()))
}
