//! The tools of the repository as any host takes them.
//!
//! It decides nothing: arguments become the tool's own type, and what the tool says goes back.

use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{CallError, OutputPart, Tool, ToolHints, ToolOutput};

use super::{ListFiles, ReadFile, RepoRefusal, RepoServer, RepoToolRun, Search};
use crate::tool::{BuiltinToolOutput as _, ONLY_READS, ToolSchemas};

struct RepoTool<T> {
    server: RepoServer,
    schemas: ToolSchemas,
    arguments: PhantomData<fn() -> T>,
}

impl RepoServer {
    /// Every tool of this folder.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        [self.tool::<ReadFile>(), self.tool::<ListFiles>(), self.tool::<Search>()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn tool<T: RepoToolRun>(&self) -> Option<Arc<dyn Tool>> {
        let schemas = ToolSchemas::of::<T>()?;
        let tool: RepoTool<T> = RepoTool { server: self.clone(), schemas, arguments: PhantomData };
        Some(Arc::new(tool))
    }
}

#[async_trait]
impl<T: RepoToolRun> Tool for RepoTool<T> {
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
        ONLY_READS
    }

    fn parameters(&self) -> &RawValue {
        &self.schemas.input
    }

    fn output_schema(&self) -> Option<&RawValue> {
        Some(&self.schemas.output)
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        Ok(match self.given(&arguments).await {
            Ok(parts) => ToolOutput { is_error: false, parts },
            // A failure that the model reads and can do something about.
            Err(refusal) => {
                let parts = vec![OutputPart::Text(refusal.to_string())];
                ToolOutput { is_error: true, parts }
            }
        })
    }
}

impl<T: RepoToolRun> RepoTool<T> {
    async fn given(&self, arguments: &RawValue) -> Result<Vec<OutputPart>, RepoRefusal> {
        let tool: T = serde_json::from_str(arguments.get())
            .map_err(|error| RepoRefusal::Arguments(error.to_string()))?;
        let output = self.server.call(tool).await?;
        let structured =
            to_raw_value(&output).map_err(|error| RepoRefusal::Unwritable(error.to_string()))?;
        let mut parts: Vec<OutputPart> = output.text().into_iter().map(OutputPart::Text).collect();
        parts.push(OutputPart::Json(structured));
        Ok(parts)
    }
}
