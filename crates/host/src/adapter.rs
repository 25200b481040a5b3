//! A server's tool as an agent's core takes any tool.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::{CallError, Code, CorrelationId, Outcome, Tool, ToolOrigin, ToolOutput};

use crate::entry::ToolEntry;
use crate::output::tool_output;
use crate::{Call, Host, Target};

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

    fn origin(&self) -> Option<&ToolOrigin> {
        self.entry.origin()
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        let target = Target::Listed(Arc::clone(&self.entry));
        match self.host.call(Call::new(target).arguments(arguments)).await? {
            Outcome::Done(done) => Ok(tool_output(&done)),
            // Whoever could answer was asked already.
            Outcome::InputRequired(_) => Err(CallError {
                code: Code::PermissionDenied,
                message: "the tool asks for something that nobody here can answer".to_owned(),
                correlation: CorrelationId::next(),
                reason: None,
                retry_after: None,
                detail: None,
                answer: None,
            }),
        }
    }
}
