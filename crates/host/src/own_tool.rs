//! The host's own tools: what servers offer besides tools, for models that only know tools, and the
//! way to tools that are not listed themselves.
//!
//! Prompts are for a person to choose. A tool gives the text of one that a person asked for, where
//! their client cannot; nothing runs by it.

mod parameters;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use serde_json::value::RawValue;
use toolgate_guard::{AudienceRules, MatterKind, MatterOwner, ToolExposure};
use toolgate_types::ServerId;
use toolgate_types::config::Naming;

use crate::searched_list::SearchedList;

/// The most that the description of the tool that lists others takes.
const LISTING_BYTES: usize = 600;

/// A tool of the host.
#[derive(Debug, Clone)]
pub(crate) enum OwnTool {
    ListResources,
    ListResourceTemplates,
    ReadResource,
    ListPrompts,
    GetPrompt,
    /// The tools of some servers, described and called by name.
    ListTools(MetaScope),
    /// Found by what they are wanted for.
    SearchTools(MetaScope),
    GetToolSchema(MetaScope),
    CallTool(MetaScope),
}

impl OwnTool {
    /// No tool of a server ever has one of these.
    pub(crate) const NAMES: [&'static str; 13] = [
        "mcp_resources_list",
        "mcp_resource_templates_list",
        "mcp_resource_read",
        "mcp_prompts_list",
        "mcp_prompt_get",
        "mcp_list_tools",
        "mcp_search_tools",
        "mcp_get_tool_schema",
        "mcp_call_tool",
        "mcp.listTools",
        "mcp.searchTools",
        "mcp.getToolSchema",
        "mcp.callTool",
    ];

    /// What servers offer besides tools.
    pub(crate) fn resources() -> [Self; 5] {
        [
            Self::ListResources,
            Self::ListResourceTemplates,
            Self::ReadResource,
            Self::ListPrompts,
            Self::GetPrompt,
        ]
    }

    pub(crate) fn meta(scope: &MetaScope) -> [Self; 4] {
        let scope = || scope.clone();
        [
            Self::ListTools(scope()),
            Self::SearchTools(scope()),
            Self::GetToolSchema(scope()),
            Self::CallTool(scope()),
        ]
    }

    /// The name for a model, and the one for clients that know dots.
    pub(crate) fn names(&self) -> [&'static str; 2] {
        match self {
            Self::ListResources => ["mcp_resources_list"; 2],
            Self::ListResourceTemplates => ["mcp_resource_templates_list"; 2],
            Self::ReadResource => ["mcp_resource_read"; 2],
            Self::ListPrompts => ["mcp_prompts_list"; 2],
            Self::GetPrompt => ["mcp_prompt_get"; 2],
            Self::ListTools(_) => ["mcp_list_tools", "mcp.listTools"],
            Self::SearchTools(_) => ["mcp_search_tools", "mcp.searchTools"],
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

    pub(crate) fn description(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::ListResources => "List the resources of all servers, or of one.",
            Self::ListResourceTemplates => {
                "List the URI templates of resources of all servers, or of one."
            }
            Self::ReadResource => "Read a resource of a server by its URI.",
            Self::ListPrompts => {
                "List the prompts that a user can choose, of all servers or of one."
            }
            Self::GetPrompt => "Get the text of a prompt that the user asked for by its name.",
            Self::ListTools(scope) => return Cow::Owned(scope.listing()),
            Self::SearchTools(_) => {
                "Find tools by what you want to do, in plain words. Each comes with the server and the \
                 schema that calling it takes; mcp.getToolSchema has those that are truncated here."
            }
            Self::GetToolSchema(_) => "Get the schema of a server's tool before calling it.",
            Self::CallTool(_) => "Call a tool of a server with arguments that fit its schema.",
        })
    }

    /// What a client is told that a call may do: of the one that calls others the worst that one of
    /// them can do, of all others that they only look.
    pub(crate) fn annotations(&self) -> &'static RawValue {
        static READ: LazyLock<[Box<RawValue>; 2]> = LazyLock::new(|| {
            [
                r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#,
                r#"{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}"#,
            ]
            .map(|text| RawValue::from_string(text.to_owned()).unwrap_or_default())
        });
        let [looks, calls] = &*READ;
        match self {
            Self::CallTool(_) => calls,
            _ => looks,
        }
    }

    pub(crate) fn parameters(&self) -> &'static RawValue {
        parameters::of(self)
    }
}

/// Which servers are reached this way, and what decides about their tools.
#[derive(Debug, Clone)]
pub(crate) struct MetaScope {
    servers: Arc<[ServerId]>,
    rules: Arc<AudienceRules>,
    searched: Arc<Mutex<Option<Arc<SearchedList>>>>,
}

impl MetaScope {
    pub(crate) fn new(servers: Vec<ServerId>, rules: Arc<AudienceRules>) -> Self {
        Self { servers: servers.into(), rules, searched: Arc::default() }
    }

    /// What is searched: what was the last time, or what takes its place.
    pub(crate) fn searched(
        &self,
        choose: impl FnOnce(Option<&Arc<SearchedList>>) -> Arc<SearchedList>,
    ) -> Arc<SearchedList> {
        let mut kept = self.searched.lock();
        let chosen = choose(kept.as_ref());
        *kept = Some(Arc::clone(&chosen));
        chosen
    }

    /// What listing does, and whose tools there are to list. Every list that has the tool pays for it,
    /// so of many servers only some are named.
    fn listing(&self) -> String {
        let mut text = "List the tools of a server by name and description. Servers: ".to_owned();
        let mut servers = self.servers.iter().map(ServerId::as_str).enumerate();
        let is_left = |(_, id): &(usize, &str), text: &str| text.len() + id.len() < LISTING_BYTES;
        while let Some(server) = servers.next() {
            if !is_left(&server, &text) {
                let left = servers.count() + 1;
                return format!("{text} and {left} more.");
            }
            let (place, id) = server;
            text.push_str(if place > 0 { ", " } else { "" });
            text.push_str(id);
        }
        text.push('.');
        text
    }

    pub(crate) fn reaches(&self, server: &str) -> Option<ServerId> {
        self.servers.iter().find(|id| id.as_str() == server).cloned()
    }

    pub(crate) fn admits(&self, server: &ServerId, tool: &str) -> bool {
        let exposed =
            self.rules.visibility().exposes(MatterOwner::Server(server), MatterKind::Tool, tool);
        !matches!(exposed, ToolExposure::Hidden { .. })
    }
}
