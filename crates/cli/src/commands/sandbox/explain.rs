//! `toolgate sandbox explain <server>`, or `local <tool>`: what it may read, write and reach.

use serde_json::json;
use toolgate_daemon::{find_server, sandbox_document, sandbox_view, tool_sandbox_view};
use toolgate_terminal::CommandOutput;
use toolgate_types::ServerId;
use toolgate_types::config::Transport;

use super::failure;
use crate::args::ScopeArg;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(super) fn run(
    (id, tool): (&str, Option<&str>),
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    let ground = surroundings.test_ground(&loaded.config);
    let view = match (id, tool) {
        (ServerId::LOCAL, Some(name)) => {
            let tools = &loaded.config.tools;
            let found = tools.iter().find(|(id, _)| id.as_str() == name);
            let (_, tool) =
                found.ok_or_else(|| CliFailure::new(format!("no command tool {name}")))?;
            tool_sandbox_view(tool, &ground).map_err(CliFailure::new)?
        }
        (ServerId::LOCAL, None) => {
            return Err(CliFailure::usage("which command tool? `sandbox explain local <tool>`"));
        }
        (_, Some(_)) => {
            return Err(CliFailure::usage(format!(
                "all tools of {id} are one process: leave the tool out"
            )));
        }
        (_, None) => {
            let entry = find_server(&loaded, id)?;
            if !matches!(entry.value.transport, Transport::Stdio(_)) {
                return Err(CliFailure::new(format!("server {id} is no local process")));
            }
            sandbox_view(&entry.value, &ground)
        }
    };
    let view = view.map_err(|error| failure(&error))?;
    let id = tool.unwrap_or(id);
    match (view, output.json) {
        (None, false) => {
            output
                .line(format!("{id} runs as you do: without walls (`sandbox_profile = \"none\"`)"));
        }
        (None, true) => output.document_of(&json!({ "server": id, "confined": false })),
        (Some(view), true) => output.document_of(&sandbox_document(id, &view)),
        (Some(view), false) => output.raw(&view.to_string()),
    }
    Ok(Exit::Ok)
}
