//! `toolgate call`: one call of one tool, from typed arguments to printed content.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{CallOverrides, CarriedCall, CarryJob, TypedTool};
use toolgate_host::tool_output;
use toolgate_terminal::{CommandOutput, MediaFolder, part_text};

use crate::args::CallArgs;
use crate::call_arguments::read_arguments;
use crate::carry::carry_out;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &CallArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let CallArgs { name, rest, args, role, at, no_wait, cwd, env, carrying } = arguments;
    let loaded = surroundings.load_as_hosted();
    let (TypedTool { server, tool }, pairs) = TypedTool::read(name, rest, &loaded)?;
    let given = read_arguments(pairs, args.as_deref(), surroundings)?;
    let cwd = cwd.as_ref().map(|cwd| surroundings.cwd.join(cwd));
    let overrides = CallOverrides::of(cwd.as_deref(), env)?;
    overrides.check_allowed(server.as_deref(), &tool, &loaded)?;
    let job = CarryJob::Call {
        tool,
        role: at.acting(role.as_deref()),
        arguments: given,
        waits: !no_wait,
        overrides,
        shows_output: !output.json,
    };
    let CarriedCall { is_error, result, correlation, server, target: tool, shown_parts } =
        carry_out(server.as_deref(), job, carrying, surroundings, output)?;
    if output.json {
        let (server, tool) = (server.as_deref(), tool.as_str());
        output.document_of(&CallJson { server, tool, is_error, result: &result });
    } else {
        let mut folder = MediaFolder::new(carrying.out.as_deref(), &correlation);
        let parts =
            tool_output(&toolgate_types::OperationResult { is_error, result: result.0 }).parts;
        // What a command printed was seen; how it failed is ours to say, and none of its output.
        let was_shown = shown_parts.is_some();
        for part in parts.iter().skip(shown_parts.unwrap_or(0)).filter(|_| !was_shown || is_error) {
            let text = part_text(part, &mut folder)?;
            match was_shown {
                true => output.note(text),
                false => output.words(&text),
            }
        }
    }
    if is_error {
        output.note("the tool says that it failed");
        return Ok(Exit::ToolError);
    }
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct CallJson<'a> {
    /// None where it is a tool of Toolgate's own.
    server: Option<&'a str>,
    tool: &'a str,
    #[serde(rename = "isError")]
    is_error: bool,
    result: &'a RawValue,
}
