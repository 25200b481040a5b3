//! A typed tool as any host takes it.
//!
//! It decides nothing: arguments become the tool's own type, and what the tool says goes back.

use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{CallError, OutputPart, Principal, Tool, ToolHints, ToolOutput};

use crate::tool::{BuiltinTool, BuiltinToolOutput as _, ToolSchemas};

/// A server that runs a tool, once its arguments are there.
#[async_trait]
pub(crate) trait RunsTool<T: BuiltinTool>: Clone + Send + Sync + 'static {
    /// Why it gives nothing, in words that the model reads and can do something about.
    type Refusal: Display + Send;

    async fn run_for(&self, caller: &Principal, tool: T) -> Result<T::Output, Self::Refusal>;
}

struct ServedTool<S, T> {
    server: S,
    schemas: ToolSchemas,
    arguments: PhantomData<fn() -> T>,
}

/// `None` if a type has no schema that can be written, which none of ours does.
pub(crate) fn served_tool<T: BuiltinTool, S: RunsTool<T>>(server: &S) -> Option<Arc<dyn Tool>> {
    let schemas = ToolSchemas::of::<T>()?;
    let tool: ServedTool<S, T> =
        ServedTool { server: server.clone(), schemas, arguments: PhantomData };
    Some(Arc::new(tool))
}

#[async_trait]
impl<T: BuiltinTool, S: RunsTool<T>> Tool for ServedTool<S, T> {
    fn name(&self) -> &str {
        T::OFFER.name
    }

    fn title(&self) -> Option<&str> {
        Some(T::OFFER.title)
    }

    fn description(&self) -> &str {
        T::OFFER.description
    }

    fn hints(&self) -> ToolHints {
        T::OFFER.hints
    }

    fn parameters(&self) -> &RawValue {
        &self.schemas.input
    }

    fn output_schema(&self) -> Option<&RawValue> {
        Some(&self.schemas.output)
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        self.call_for(&Principal::local_user(), arguments).await
    }

    async fn call_for(
        &self,
        caller: &Principal,
        arguments: Box<RawValue>,
    ) -> Result<ToolOutput, CallError> {
        Ok(match self.given(caller, &arguments).await {
            Ok(parts) => ToolOutput { is_error: false, parts },
            Err(why) => ToolOutput { is_error: true, parts: vec![OutputPart::Text(why)] },
        })
    }
}

impl<T: BuiltinTool, S: RunsTool<T>> ServedTool<S, T> {
    async fn given(
        &self,
        caller: &Principal,
        arguments: &RawValue,
    ) -> Result<Vec<OutputPart>, String> {
        let tool: T = serde_json::from_str(arguments.get())
            .map_err(|error| format!("the arguments do not fit: {error}"))?;
        let output = self.server.run_for(caller, tool).await.map_err(|why| why.to_string())?;
        let structured = to_raw_value(&output)
            .map_err(|error| format!("what was found cannot be written as JSON: {error}"))?;
        let mut parts: Vec<OutputPart> = output.text().into_iter().map(OutputPart::Text).collect();
        parts.push(OutputPart::Json(structured));
        Ok(parts)
    }
}
