//! What agents read of a command tool: the schemas as they are written, and beside them what its entry
//! says of risk, time and place.

use std::path::Path;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_guard::{CommandFacts, asks_for_command};
use toolgate_types::EnvName;
use toolgate_types::config::{CommandTool, NetworkAccess, SandboxProfile, SideEffect, SideEffects};

use super::CommandTools;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedCommand<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    input_schema: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<CommandHints>,
    #[serde(rename = "_meta")]
    meta: CommandMeta<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandHints {
    read_only_hint: bool,
    destructive_hint: bool,
    open_world_hint: bool,
}

#[derive(Serialize)]
struct CommandMeta<'a> {
    #[serde(rename = "toolgate/command")]
    command: CommandTerms<'a>,
}

/// The names are those of the configuration, but for the two that are documented otherwise.
#[derive(Serialize)]
struct CommandTerms<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    /// Whether a person is asked for each call, whatever the entry says of it.
    requires_approval: bool,
    sandbox_profile: &'a str,
    /// Whether there is a wall around it.
    sandboxed: bool,
    allow_network: ListedNetwork,
    default_timeout_ms: u64,
    allows_streaming: bool,
    /// Nothing where its entry says nothing, which counts as anything.
    side_effects: Option<Vec<&'a str>>,
    /// What a session may change.
    cwd_override: bool,
    env_overrides: Vec<&'a str>,
}

/// As the entry says it: yes, no, or what is named.
#[derive(Serialize)]
#[serde(untagged)]
enum ListedNetwork {
    Whole(bool),
    Named(Vec<String>),
}

/// The definitions of all tools.
pub(crate) fn definitions(tools: &CommandTools) -> Vec<Box<RawValue>> {
    tools.iter().filter_map(|(id, entry)| definition(id.as_str(), &entry.value)).collect()
}

fn definition(name: &str, tool: &CommandTool) -> Option<Box<RawValue>> {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
    let no_parameters = r#"{"type":"object"}"#;
    let facts = CommandFacts::of(tool, Path::new("/"));
    let side_effects = match &tool.side_effects {
        SideEffects::NotDeclared => None,
        SideEffects::Declared(all) => Some(all.iter().map(|effect| effect.as_str()).collect()),
    };
    let profile = tool.confinement.profile;
    let listed = ListedCommand {
        name,
        title: tool.display_name.as_deref(),
        description: tool.description.as_deref(),
        input_schema: raw(tool.input_schema.as_deref().unwrap_or(no_parameters))?,
        output_schema: tool.output_schema.as_deref().and_then(raw),
        annotations: hints(tool),
        meta: CommandMeta {
            command: CommandTerms {
                display_name: tool.display_name.as_deref(),
                requires_approval: asks_for_command(&facts),
                sandbox_profile: profile.as_str(),
                sandboxed: profile != SandboxProfile::None,
                allow_network: ListedNetwork::of(facts.network),
                default_timeout_ms: tool.timeout.get(),
                allows_streaming: tool.streaming,
                side_effects,
                cwd_override: tool.cwd_override,
                env_overrides: tool.env_overrides.iter().map(EnvName::as_str).collect(),
            },
        },
    };
    to_raw_value(&listed).ok()
}

impl ListedNetwork {
    fn of(network: &NetworkAccess) -> Self {
        match network {
            NetworkAccess::Off => Self::Whole(false),
            NetworkAccess::Everything => Self::Whole(true),
            NetworkAccess::Named(hosts) => {
                Self::Named(hosts.iter().map(ToString::to_string).collect())
            }
        }
    }
}

/// What its entry declares, in the words of the protocol; nothing where it declares nothing.
fn hints(tool: &CommandTool) -> Option<CommandHints> {
    let SideEffects::Declared(effects) = &tool.side_effects else { return None };
    let writes = effects.contains(&SideEffect::FsWrite);
    let open_world = effects.contains(&SideEffect::Network) || !tool.confinement.network.is_off();
    Some(CommandHints {
        read_only_hint: !writes && !open_world,
        destructive_hint: writes,
        open_world_hint: open_world,
    })
}
