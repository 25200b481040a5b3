//! What the host's own tools do when they are called.

mod meta;
mod prompts;
mod resources;
mod search;

use serde_json::value::RawValue;
use toolgate_types::{OperationOutcome, OperationResult, RetryAnswers};

use crate::call::call_trouble::CallTrouble;
use crate::entry::ToolSource;
use crate::own_tool::OwnTool;
use crate::{Call, CatalogItem, Host, ToolEntry};

impl Host {
    pub(crate) async fn run_own(
        &self,
        entry: &ToolEntry,
        mut call: Call,
        came_with: Option<RetryAnswers>,
    ) -> Result<OperationOutcome, CallTrouble> {
        let ToolSource::Own(tool) = entry.source() else { return Err(CallTrouble::Unreadable) };
        // What a tool shows is what its caller sees.
        call.options.address = entry.audience.address.clone();
        // What comes of it is read and put into another result.
        call.options.reader.takes_length = false;
        match tool {
            OwnTool::ListResources | OwnTool::ListResourceTemplates | OwnTool::ReadResource => {
                entry.check(call.arguments.as_deref()).map_err(CallTrouble::Arguments)?;
                resources::run(self, tool, call).await
            }
            OwnTool::ListPrompts | OwnTool::GetPrompt => {
                entry.check(call.arguments.as_deref()).map_err(CallTrouble::Arguments)?;
                prompts::run(self, tool, call).await
            }
            OwnTool::ListTools(scope) => meta::list_tools(self, scope, entry, call).await,
            OwnTool::SearchTools(scope) => search::search_tools(self, scope, entry, call).await,
            OwnTool::GetToolSchema(scope) => meta::tool_schema(self, scope, entry, call).await,
            OwnTool::CallTool(scope) => {
                // What a person was asked about is the call that this one makes.
                call.options.retry = came_with.or(call.options.retry);
                meta::call_tool(self, scope, entry, call).await
            }
        }
    }
}

/// Definitions as their servers sent them, each with its server, under this name.
fn listed(name: &str, found: &[CatalogItem]) -> Result<OperationOutcome, CallTrouble> {
    #[derive(serde::Serialize)]
    struct Row<'a> {
        server: &'a str,
        definition: &'a RawValue,
    }
    let row = |CatalogItem { server, definition }: &'_ CatalogItem| -> Box<RawValue> {
        let row = Row { server: server.as_str(), definition: &definition.raw };
        serde_json::value::to_raw_value(&row).unwrap_or_default()
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    structured(&std::collections::BTreeMap::from([(name, rows)]))
}

/// A result made by the host itself.
fn done(result: &impl serde::Serialize) -> Result<OperationOutcome, CallTrouble> {
    let result = serde_json::value::to_raw_value(result).map_err(|_| CallTrouble::Unreadable)?;
    Ok(OperationOutcome::Done(OperationResult { is_error: false, result }))
}

/// The same with structured content, which is also there as text for those who read only that.
fn structured(content: &impl serde::Serialize) -> Result<OperationOutcome, CallTrouble> {
    #[derive(serde::Serialize)]
    struct Text<'a> {
        r#type: &'a str,
        text: &'a str,
    }
    #[derive(serde::Serialize)]
    struct Both<'a> {
        content: [Text<'a>; 1],
        #[serde(rename = "structuredContent")]
        structured: &'a RawValue,
    }
    let raw = serde_json::value::to_raw_value(content).map_err(|_| CallTrouble::Unreadable)?;
    done(&Both { content: [Text { r#type: "text", text: raw.get() }], structured: &raw })
}
