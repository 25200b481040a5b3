//! A command tool.

use toolgate_types::config::{CommandTool, SandboxProfile, SideEffects};

use super::process::{self, WrittenWall};
use crate::place::DocumentPlace;
use crate::raw::RawTool;
use crate::reader::DocumentReader;

pub(crate) fn tool(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawTool,
) -> Option<CommandTool> {
    let command = process::command(reader, place, raw.command);
    let args = process::args(reader, place, raw.args);
    let cwd = process::cwd(reader, place, raw.cwd);
    let env = process::env(reader, place, raw.env);
    let env_vars = process::env_vars(reader, place, raw.env_vars);
    let wall = WrittenWall {
        profile: raw.sandbox_profile,
        allow_network: raw.allow_network,
        readable: raw.readable,
        writable: raw.writable,
        resources: raw.resources,
    };
    let confinement = process::confinement(reader, place, wall, SandboxProfile::Default);
    let timeout_at = place.at(&["timeout_ms"]);
    let timeout = reader.millis(&timeout_at, raw.timeout_ms, CommandTool::DEFAULT_TIMEOUT);
    let schema_at = place.at(&["input_schema"]);
    let input_schema = raw.input_schema.map(|schema| schema.0);
    if input_schema.as_deref().is_some_and(|schema| !schema.starts_with('{')) {
        reader.error(&schema_at, "wrong-type", "an input schema is a table".into());
    }
    Some(CommandTool {
        display_name: raw.display_name,
        description: raw.description,
        enabled: raw.enabled.unwrap_or(true),
        command: command?,
        args,
        cwd,
        env,
        env_vars,
        inherit_env: raw.inherit_env.unwrap_or_default(),
        input_schema,
        side_effects: raw.side_effects.map_or(SideEffects::NotDeclared, SideEffects::Declared),
        confinement,
        requires_approval: raw.requires_approval.unwrap_or(true),
        timeout,
        streaming: raw.streaming.unwrap_or(false),
        result_bytes: raw.result_bytes,
    })
}
