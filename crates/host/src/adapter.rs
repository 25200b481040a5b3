//! A server's tool as an agent's core takes any tool.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::{
    CallError, Code, CorrelationId, OperationOutcome, Tool, ToolHints, ToolOrigin, ToolOutput,
};

use crate::entry::ToolEntry;
use crate::output::tool_output;
use crate::{Audience, Call, CallTarget, Host};

/// One listed tool with the host behind it.
pub(crate) struct HostTool {
    host: Host,
    entry: Arc<ToolEntry>,
}

impl HostTool {
    pub(crate) fn new(host: Host, entry: Arc<ToolEntry>) -> Self {
        Self { host, entry }
    }
}

impl Host {
    /// The tools as an agent's core takes them. What is in the list stays as it is now.
    pub async fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let view = self.list_tools(&Audience::MODEL).await;
        let tools = view.tools().map(|entry| HostTool::new(self.clone(), Arc::clone(entry)));
        tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
    }
}

#[async_trait]
impl Tool for HostTool {
    fn name(&self) -> &str {
        self.entry.name()
    }

    fn description(&self) -> &str {
        self.entry.description()
    }

    fn parameters(&self) -> &RawValue {
        self.entry.parameters()
    }

    fn title(&self) -> Option<&str> {
        self.entry.definition()?.title.as_deref()
    }

    fn hints(&self) -> ToolHints {
        self.entry.definition().map(|definition| definition.hints).unwrap_or_default()
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        self.entry.origin()
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        let target = CallTarget::Listed(Arc::clone(&self.entry));
        match self.host.call(Call::new(target).arguments(arguments)).await? {
            OperationOutcome::Done(done) => Ok(tool_output(&done)),
            // Whoever could answer was asked already, and nobody said that it takes results at length.
            OperationOutcome::InputRequired(_)
            | OperationOutcome::DoneAtLength(_)
            | OperationOutcome::ApprovalRequired(_)
            | OperationOutcome::Task(_) => Err(CallError {
                code: Code::PermissionDenied,
                message: "the tool asks for something that nobody here can answer".to_owned(),
                correlation: CorrelationId::next(),
                reason: None,
                retry_after: None,
                wants_login: None,
                detail: None,
                answer: None,
                partial: None,
            }),
        }
    }
}
