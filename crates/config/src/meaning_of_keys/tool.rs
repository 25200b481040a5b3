//! A command tool.

mod overrides;
mod parameters;

use toolgate_types::config::{CommandTool, SandboxProfile, SideEffects};

use super::process::{self, WrittenWall};
use crate::place::DocumentPlace;
use crate::raw::{RawJson, RawTool};
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
    let input_schema = schema(reader, place, ("input_schema", "an input schema"), raw.input_schema);
    let output_schema =
        schema(reader, place, ("output_schema", "an output schema"), raw.output_schema);
    let allow_dash = raw.allow_dash.unwrap_or_default();
    parameters::check(reader, place, input_schema.as_deref(), &args, &allow_dash);
    let env_overrides = overrides::env_overrides(reader, place, raw.env_overrides);
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
        output_schema,
        allow_dash,
        env_overrides,
        cwd_override: raw.cwd_override.unwrap_or(false),
        side_effects: raw.side_effects.map_or(SideEffects::NotDeclared, SideEffects::Declared),
        confinement,
        requires_approval: raw.requires_approval.unwrap_or(true),
        timeout,
        streaming: raw.streaming.unwrap_or(false),
        result_bytes: raw.result_bytes,
    })
}

fn schema(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    (key, what): (&str, &str),
    written: Option<RawJson>,
) -> Option<String> {
    let schema = written?.0;
    if !schema.starts_with('{') {
        reader.error(&place.at(&[key]), "wrong-type", format!("{what} is a table"));
    }
    Some(schema)
}
