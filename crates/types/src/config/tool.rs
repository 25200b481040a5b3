//! A command tool.

use indexmap::IndexMap;

use super::{Confinement, InheritEnv};
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
    pub side_effects: SideEffects,
    pub confinement: Confinement,
    pub requires_approval: bool,
    pub timeout: Milliseconds,
    pub streaming: bool,
    pub result_bytes: Option<u64>,
}

impl CommandTool {
    pub const DEFAULT_TIMEOUT: Milliseconds = Milliseconds::at_least_one(120_000);
}
