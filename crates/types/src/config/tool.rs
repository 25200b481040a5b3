//! A command tool.

mod arg_template;

use indexmap::IndexMap;

pub use arg_template::{ArgTemplate, TemplateError, TemplatePart};

use super::{Confinement, InheritEnv, NetworkAccess, ResourceLimits, SandboxProfile};
use crate::{ConfigText, EnvName, Milliseconds};

words! {
    /// What a command tool says it touches.
    SideEffect {
        FsRead = "fs_read",
        FsWrite = "fs_write",
        Network = "network",
    }
}

/// Declared side effects; "not declared" is kept apart from "declares none".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideEffects {
    NotDeclared,
    Declared(Vec<SideEffect>),
}

/// A tool that is one run of a command.
#[derive(Debug, Clone)]
pub struct CommandTool {
    pub display_name: Option<String>,
    pub description: Option<String>,
    pub enabled: bool,
    pub command: ConfigText,
    /// `{{name}}` stands for an argument, as one item and with no shell.
    pub args: Vec<ConfigText>,
    pub cwd: Option<ConfigText>,
    pub env: IndexMap<EnvName, ConfigText>,
    pub env_vars: Vec<EnvName>,
    pub inherit_env: InheritEnv,
    /// JSON Schema text of the arguments, as it was written.
    pub input_schema: Option<String>,
    /// JSON Schema text of what it prints, as it was written.
    pub output_schema: Option<String>,
    /// The parameters whose value may begin with `-` where it is an argument of the command.
    pub allow_dash: Vec<String>,
    /// The variables that a session may give another value.
    pub env_overrides: Vec<EnvName>,
    /// Whether a session may have it run in another folder.
    pub cwd_override: bool,
    pub side_effects: SideEffects,
    pub confinement: Confinement,
    pub requires_approval: bool,
    pub timeout: Milliseconds,
    pub streaming: bool,
    pub result_bytes: Option<u64>,
}

impl CommandTool {
    pub const DEFAULT_TIMEOUT: Milliseconds = Milliseconds::at_least_one(120_000);

    /// A tool of which nothing is said but what it runs.
    pub fn new(command: ConfigText) -> Self {
        Self {
            display_name: None,
            description: None,
            enabled: true,
            command,
            args: Vec::new(),
            cwd: None,
            env: IndexMap::new(),
            env_vars: Vec::new(),
            inherit_env: InheritEnv::default(),
            input_schema: None,
            output_schema: None,
            allow_dash: Vec::new(),
            env_overrides: Vec::new(),
            cwd_override: false,
            side_effects: SideEffects::NotDeclared,
            confinement: Confinement {
                profile: SandboxProfile::Default,
                network: NetworkAccess::Off,
                readable: Vec::new(),
                writable: Vec::new(),
                limits: ResourceLimits::default(),
            },
            requires_approval: true,
            timeout: Self::DEFAULT_TIMEOUT,
            streaming: false,
            result_bytes: None,
        }
    }
}
