//! What a server is asked to do for the person, and how a host has it done.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::{CommandFailure, Verbatim};
use toolgate_host::{Audience, Call, CallOptions, CallTarget};
use toolgate_types::{
    CallError, Code, ListKind, OperationOutcome, ServerId, SessionOverrides, did_you_mean,
};

use super::carry_target::CarryTarget;
use super::{CallArguments, CallOverrides, CarryFailure, ErrandHost};

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarryJob {
    /// It waits for a person's approval, or not.
    Call {
        tool: String,
        /// For this role, or at a step of a workflow.
        #[serde(default)]
        role: Option<String>,
        arguments: CallArguments,
        waits: bool,
        /// What it changes about a command tool.
        #[serde(default)]
        overrides: CallOverrides,
        /// Whether what a command prints is shown while it runs.
        #[serde(default)]
        shows_output: bool,
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
    pub(super) fn overrides(&self) -> Result<Option<Arc<SessionOverrides>>, CommandFailure> {
        match self {
            Self::Call { overrides, .. } => overrides.checked(),
            Self::Read { .. } | Self::Prompt { .. } => Ok(None),
        }
    }

    pub(super) async fn done(
        &self,
        hosted: &ErrandHost,
        target: &CarryTarget,
        options: CallOptions,
    ) -> Result<OperationOutcome, CarryFailure> {
        let host = &hosted.host;
        let outcome: Result<OperationOutcome, CallError> = match (self, &target.server) {
            (Self::Call { arguments, .. }, Some(server)) => {
                let tool = match target.listed {
                    Some(_) => target.name.clone(),
                    None => host.own_tool_name(server, &target.name).ok_or_else(renamed)?,
                };
                let arguments = typed(arguments, hosted, server, &tool).await?;
                let audience = Audience::at(hosted.audience.address.clone());
                let server = server.clone();
                let target = CallTarget::Exact { audience, server, tool };
                host.call(Call::new(target).arguments(arguments).options(options)).await
            }
            (Self::Call { arguments, .. }, None) => {
                let Some(entry) = &target.listed else { return Err(unnamed().into()) };
                let arguments = arguments.object(Some(entry.parameters()))?;
                let target = CallTarget::Listed(Arc::clone(entry));
                host.call(Call::new(target).arguments(arguments).options(options)).await
            }
            (Self::Read { uri }, Some(server)) => host.read_resource(server, uri, options).await,
            (Self::Prompt { name, arguments }, Some(server)) => {
                let arguments = arguments.as_ref().map(|arguments| Arc::from(arguments.0.clone()));
                host.get_prompt(server, name, arguments, options).await
            }
            (Self::Read { .. } | Self::Prompt { .. }, None) => return Err(unnamed().into()),
        };
        Ok(outcome?)
    }

    /// The same failure, with who failed, and what was probably meant where the server has nothing of
    /// this name.
    pub(super) async fn told_of(
        &self,
        mut failure: CarryFailure,
        hosted: &ErrandHost,
        target: &CarryTarget,
    ) -> CarryFailure {
        let (CarryFailure::Failed(failed), Some(server)) = (&mut failure, &target.server) else {
            return failure;
        };
        failed.server = Some(server.to_string());
        failed.tool = matches!(self, Self::Call { .. }).then(|| target.name.clone());
        if failed.code == Code::NotFound && !failed.is_answer {
            let kind = match self {
                Self::Call { .. } => ListKind::Tools,
                Self::Read { .. } => ListKind::Resources,
                Self::Prompt { .. } => ListKind::Prompts,
            };
            let found = hosted.host.found(&hosted.audience.address, kind, Some(server)).await;
            let names = found.iter().map(|found| &found.definition.key);
            failed.suggestion = did_you_mean(&target.name, names);
        }
        failure
    }
}

fn renamed() -> CommandFailure {
    let message = "the server's entry gives this tool another name";
    CommandFailure::new(message).hint("see `toolgate tools` for the name to call it by")
}

fn unnamed() -> CommandFailure {
    CommandFailure::usage("name the server first")
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
    let definition = found.find(|definition| *definition.key == *tool);
    given.object(definition.as_ref().and_then(|definition| definition.input_schema.as_deref()))
}
