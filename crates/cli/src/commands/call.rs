//! `toolgate call`: one call of one tool, from typed arguments to printed content.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_control::LineageRequest;
use toolgate_daemon::{CallOverrides, CarriedCall, CarryJob, TypedTool, refuse_to_agents};
use toolgate_host::tool_output;
use toolgate_terminal::{CommandOutput, MediaFolder, can_ask, confirm, part_text};
use toolgate_types::visible;

use super::login;
use crate::args::{CallArgs, LoginArgs};
use crate::call_arguments::read_arguments;
use crate::carry::carry_out;
use crate::failure::{CliFailure, CommandResult, Exit};
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
    let shows_output = !output.json;
    let job = || CarryJob::Call {
        tool: tool.clone(),
        role: at.acting(role.as_deref()),
        arguments: given.clone(),
        waits: !no_wait,
        overrides: overrides.clone(),
        shows_output,
    };
    let carry =
        |output: &mut _| carry_out(server.as_deref(), job(), carrying, surroundings, output);
    let carried = match carry(output) {
        Err(failure) if logs_in_first(&failure, server.as_deref(), surroundings, output)? => {
            carry(output)
        }
        carried => carried,
    };
    let CarriedCall { is_error, result, correlation, server, target: tool, shown_parts } = carried?;
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

/// Whether somebody logged in now, for a call that failed for want of that. It is offered to a person
/// alone: an agent that has a terminal may call, and not log in.
fn logs_in_first(
    failure: &CliFailure,
    server: Option<&str>,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<bool, CliFailure> {
    // The same exit code is for keys that nobody can log in for.
    let suggests = |hint: &str| hint.contains("toolgate login ");
    let is_wanted =
        failure.exit == Exit::LoginNeeded && failure.hint.as_deref().is_some_and(suggests);
    let Some(id) = server.filter(|_| is_wanted && !output.json && can_ask()) else {
        return Ok(false);
    };
    let wish = LineageRequest { verb: "login".to_owned(), is_for_services: false };
    if refuse_to_agents(&surroundings.variables, &wish).is_err() {
        return Ok(false);
    }
    output.flush();
    if !confirm(&format!("{}: log in now?", visible(&failure.message))) {
        return Ok(false);
    }
    let login = LoginArgs {
        id: id.to_owned(),
        no_browser: false,
        device: false,
        scopes: None,
        account: None,
    };
    Ok(login::run(&login, surroundings, output)? == Exit::Ok)
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
