//! `toolgate sandbox explain <server>`, or `local <tool>`: what it may read, write and reach.

use serde_json::json;
use toolgate_daemon::{
    PackageState, find_server, sandbox_document, sandbox_view, tool_sandbox_view,
};
use toolgate_terminal::CommandOutput;
use toolgate_types::ServerId;
use toolgate_types::config::Transport;

use super::failure;
use crate::args::ScopeArg;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::fetch_packages::{package_state_of, versions};
use crate::surroundings::{Surroundings, wait};

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
            let server = ServerId::parse(id).map_err(CliFailure::new)?;
            let store = surroundings.store_to_read().ok();
            let store = store.as_ref().map(|store| store as _);
            wait(sandbox_view(&server, entry, &ground, store))
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
        (Some(view), false) => {
            let made_of = match package_state_of(id, &loaded, surroundings) {
                PackageState::NoPackages => None,
                PackageState::NotFixed => Some("packages that are not fetched".to_owned()),
                PackageState::Fixed(fixed) => Some(versions(&fixed)),
            };
            if let Some(packages) = made_of {
                output.line("is made of");
                output.line(format!("  {packages}"));
            }
            output.raw(&view.to_string());
        }
    }
    Ok(Exit::Ok)
}
