//! A server as Codex writes it under `[mcp_servers.<id>]`.

use indexmap::IndexMap;
use serde::Deserialize;

use super::TextMap;

/// Keys that this product has no use for are named, so that they are told apart from typing errors.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCodexServer {
    pub(crate) command: Option<String>,
    pub(crate) args: Option<Vec<String>>,
    pub(crate) env: Option<TextMap>,
    pub(crate) env_vars: Option<Vec<CodexVariable>>,
    pub(crate) cwd: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) http_headers: Option<TextMap>,
    pub(crate) env_http_headers: Option<TextMap>,
    pub(crate) bearer_token_env_var: Option<String>,
    pub(crate) enabled: Option<bool>,
    pub(crate) required: Option<bool>,
    pub(crate) startup_timeout_sec: Option<f64>,
    pub(crate) startup_timeout_ms: Option<f64>,
    pub(crate) tool_timeout_sec: Option<f64>,
    pub(crate) enabled_tools: Option<Vec<String>>,
    pub(crate) disabled_tools: Option<Vec<String>>,
    pub(crate) scopes: Option<Vec<String>>,
    pub(crate) oauth: Option<CodexOauth>,
    pub(crate) oauth_resource: Option<String>,
    pub(crate) default_tools_approval_mode: Option<String>,
    pub(crate) tools: Option<IndexMap<String, CodexTool>>,
    // Without a counterpart here; accepted and reported.
    pub(crate) auth: Option<String>,
    pub(crate) environment_id: Option<String>,
    pub(crate) http_headers_helper: Option<serde::de::IgnoredAny>,
    pub(crate) omit_tools_from: Option<serde::de::IgnoredAny>,
    pub(crate) supports_parallel_tool_calls: Option<bool>,
}

/// A variable to pass on: its name, or a table that holds the name.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected the name of a variable, or a table with `name`")]
pub(crate) enum CodexVariable {
    Name(String),
    Table { name: String },
}

impl CodexVariable {
    pub(crate) fn into_name(self) -> String {
        match self {
            Self::Name(name) | Self::Table { name } => name,
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodexOauth {
    pub(crate) client_id: Option<String>,
    pub(crate) callback_port: Option<u16>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodexTool {
    pub(crate) approval_mode: Option<String>,
}
