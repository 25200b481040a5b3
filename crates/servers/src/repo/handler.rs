//! The server's side of MCP: definitions out, calls in.
//!
//! It decides nothing: arguments become the tool's own type, and what the tool says goes back.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::{ListFiles, ReadFile, Refusal, Repo, Run, Search};
use crate::tool::{Output as _, Tool as _, read_only};

const INSTRUCTIONS: &str = "Reads one folder. Paths are relative to it. Files that `.gitignore` \
                            names are left out of lists and searches; Git's own files and files \
                            that usually hold secrets are not served at all.";

impl ServerHandler for Repo {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("toolgate-repo", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = vec![read_only::<ReadFile>(), read_only::<ListFiles>(), read_only::<Search>()];
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let work = async {
            match &*request.name {
                name if name == ReadFile::OFFER.name => self.answer::<ReadFile>(arguments).await,
                name if name == ListFiles::OFFER.name => self.answer::<ListFiles>(arguments).await,
                name if name == Search::OFFER.name => self.answer::<Search>(arguments).await,
                _ => Err(ErrorData::invalid_params("there is no such tool", None)),
            }
        };
        tokio::select! {
            result = work => result.map(Into::into),
            // Nobody reads this; that the work is dropped is what counts.
            () = context.ct.cancelled() => Ok(failed(&Refusal::Stopped).into()),
        }
    }
}

impl Repo {
    async fn answer<T: Run>(&self, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let tool: T = match serde_json::from_value(Value::Object(arguments)) {
            Ok(tool) => tool,
            Err(error) => return Ok(failed(&Refusal::Arguments(error.to_string()))),
        };
        let output = match self.call(tool).await {
            Ok(output) => output,
            Err(refusal) => return Ok(failed(&refusal)),
        };
        let structured = serde_json::to_value(&output)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let mut result = CallToolResult::structured(structured);
        result.content = output.text().into_iter().map(ContentBlock::text).collect();
        Ok(result)
    }
}

/// A failure that the model reads and can do something about.
fn failed(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}
