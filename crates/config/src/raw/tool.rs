//! A command tool as it may be written.

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_types::config::{InheritEnv, SandboxProfile, SideEffect};

use super::{RawJson, RawNetwork, RawResources, TextMap};

/// A tool that is one run of a command.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool")]
pub(crate) struct RawTool {
    /// A name for people.
    pub(crate) display_name: Option<String>,
    /// What the tool does, for the model and for people.
    pub(crate) description: Option<String>,
    /// A disabled tool is not listed to agents.
    pub(crate) enabled: Option<bool>,
    /// The program; run without a shell, and never one that lies in the workspace.
    pub(crate) command: Option<String>,
    /// Its arguments. `{{name}}` stands for a parameter of `input_schema`; each item stays one argument,
    /// and one whose parameter is left out is left out too. The whole arguments come as JSON on its
    /// standard input.
    pub(crate) args: Option<Vec<String>>,
    /// The folder it runs in; the workspace when left out.
    pub(crate) cwd: Option<String>,
    /// Its environment variables.
    pub(crate) env: Option<TextMap>,
    /// Environment variables passed on by name.
    pub(crate) env_vars: Option<Vec<String>>,
    /// What else of our own environment it gets.
    pub(crate) inherit_env: Option<InheritEnv>,
    /// JSON Schema of the arguments, shown to agents as written.
    pub(crate) input_schema: Option<RawJson>,
    /// JSON Schema of what it prints. What fits becomes structured content; anything else is an error.
    pub(crate) output_schema: Option<RawJson>,
    /// Parameters whose value may begin with `-` where `args` names them. Others are refused, so that no
    /// value becomes a flag.
    pub(crate) allow_dash: Option<Vec<String>>,
    /// Variables that a session may give another value; none that make programs run or load something.
    pub(crate) env_overrides: Option<Vec<String>>,
    /// Let a session choose another folder to run it in, within the workspace or `policy.allowed_cwds`.
    pub(crate) cwd_override: Option<bool>,
    /// What it touches. Left out, it counts as high risk.
    pub(crate) side_effects: Option<Vec<SideEffect>>,
    /// The wall around it.
    pub(crate) sandbox_profile: Option<SandboxProfile>,
    /// What of the network it reaches: all of it (`true`), nothing, or a list of hosts as in
    /// `["api.github.com:443", "*.example.com"]`. Anything but nothing is high risk.
    pub(crate) allow_network: Option<RawNetwork>,
    /// Folders it may read besides the workspace.
    pub(crate) readable: Option<Vec<String>>,
    /// Folders it may write besides the workspace.
    pub(crate) writable: Option<Vec<String>>,
    /// How much it may use.
    pub(crate) resources: Option<RawResources>,
    /// Ask a person before each run. High-risk tools are asked for whatever this says.
    pub(crate) requires_approval: Option<bool>,
    /// How long one run may take, in milliseconds; listed to agents as `default_timeout_ms`.
    pub(crate) timeout_ms: Option<f64>,
    /// Send output while it runs; listed to agents as `allows_streaming`.
    pub(crate) streaming: Option<bool>,
    /// Overrides `limits.result_bytes`.
    pub(crate) result_bytes: Option<u64>,
}
