//! The host's own tools: what servers offer besides tools, for models that only know tools, and the
//! way to tools that are not listed themselves.
//!
//! Prompts are not among them: they are for a person to choose, not for a model to run.

mod meta;
mod parameters;
mod resources;

use serde_json::value::RawValue;
use toolgate_types::config::Naming;
use toolgate_types::{Done, Outcome, Retry};

use crate::call::failing::Trouble;
use crate::entry::Source;
use crate::{Call, Host, ToolEntry};

pub(crate) use meta::MetaScope;

/// A tool of the host.
#[derive(Debug, Clone)]
pub(crate) enum OwnTool {
    ListResources,
    ListResourceTemplates,
    ReadResource,
    /// The tools of some servers, described and called by name.
    ListTools(MetaScope),
    GetToolSchema(MetaScope),
    CallTool(MetaScope),
}

impl OwnTool {
    /// No tool of a server ever has one of these.
    pub(crate) const NAMES: [&'static str; 9] = [
        "mcp_resources_list",
        "mcp_resource_templates_list",
        "mcp_resource_read",
        "mcp_list_tools",
        "mcp_get_tool_schema",
        "mcp_call_tool",
        "mcp.listTools",
        "mcp.getToolSchema",
        "mcp.callTool",
    ];

    pub(crate) fn resources() -> [Self; 3] {
        [Self::ListResources, Self::ListResourceTemplates, Self::ReadResource]
    }

    pub(crate) fn meta(scope: &MetaScope) -> [Self; 3] {
        let scope = || scope.clone();
        [Self::ListTools(scope()), Self::GetToolSchema(scope()), Self::CallTool(scope())]
    }

    /// The name for a model, and the one for clients that know dots.
    pub(crate) fn names(&self) -> [&'static str; 2] {
        match self {
            Self::ListResources => ["mcp_resources_list"; 2],
            Self::ListResourceTemplates => ["mcp_resource_templates_list"; 2],
            Self::ReadResource => ["mcp_resource_read"; 2],
            Self::ListTools(_) => ["mcp_list_tools", "mcp.listTools"],
            Self::GetToolSchema(_) => ["mcp_get_tool_schema", "mcp.getToolSchema"],
            Self::CallTool(_) => ["mcp_call_tool", "mcp.callTool"],
        }
    }

    pub(crate) fn name(&self, naming: Naming) -> &'static str {
        let [underscored, dotted] = self.names();
        match naming {
            Naming::Dotted => dotted,
            _ => underscored,
        }
    }

    pub(crate) fn description(&self) -> &'static str {
        match self {
            Self::ListResources => "List the resources of all servers, or of one.",
            Self::ListResourceTemplates => {
                "List the URI templates of resources of all servers, or of one."
            }
            Self::ReadResource => "Read a resource of a server by its URI.",
            Self::ListTools(_) => "List the tools of a server by name and description.",
            Self::GetToolSchema(_) => "Get the schema of a server's tool before calling it.",
            Self::CallTool(_) => "Call a tool of a server with arguments that fit its schema.",
        }
    }

    pub(crate) fn parameters(&self) -> &'static RawValue {
        parameters::of(self)
    }
}

impl Host {
    pub(crate) async fn run_own(
        &self,
        entry: &ToolEntry,
        mut call: Call,
        came_with: Option<Retry>,
    ) -> Result<Outcome, Trouble> {
        let Source::Own(tool) = &entry.source else { return Err(Trouble::Unreadable) };
        // What a tool shows is what its caller sees.
        call.options.address = entry.audience.address.clone();
        match tool {
            OwnTool::ListResources | OwnTool::ListResourceTemplates | OwnTool::ReadResource => {
                entry.check(call.arguments.as_deref()).map_err(Trouble::Arguments)?;
                resources::run(self, tool, call).await
            }
            OwnTool::ListTools(scope) => meta::list_tools(self, scope, entry, call).await,
            OwnTool::GetToolSchema(scope) => meta::tool_schema(self, scope, entry, call).await,
            OwnTool::CallTool(scope) => {
                // What a person was asked about is the call that this one makes.
                call.options.retry = came_with.or(call.options.retry);
                meta::call_tool(self, scope, entry, call).await
            }
        }
    }
}

/// A result made by the host itself.
fn done(result: &impl serde::Serialize) -> Result<Outcome, Trouble> {
    let result = serde_json::value::to_raw_value(result).map_err(|_| Trouble::Unreadable)?;
    Ok(Outcome::Done(Done { is_error: false, result }))
}

/// The same with structured content, which is also there as text for those who read only that.
fn structured(content: &impl serde::Serialize) -> Result<Outcome, Trouble> {
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
    let raw = serde_json::value::to_raw_value(content).map_err(|_| Trouble::Unreadable)?;
    done(&Both { content: [Text { r#type: "text", text: raw.get() }], structured: &raw })
}
