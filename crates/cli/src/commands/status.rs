//! `toolgate status`: how the servers that the daemon hosts are doing, and who uses them.
//!
//! It asks the daemon and nobody else: no server is waited for, and none is started.

mod details;
mod shown;
mod watch;

use serde::Serialize;
use toolgate_control::{ControlClient, DaemonInfo, ServerRow, StatusReport, WorkspaceStatus};
use toolgate_daemon::unknown_name;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use crate::args::{ScopeArg, StatusArgs};
use crate::errand::standpoint_of;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// What a daemon says of itself and of what it hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct SeenDaemon {
    daemon: DaemonInfo,
    workspaces: Vec<WorkspaceStatus>,
}

pub(crate) fn run(
    arguments: &StatusArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let StatusArgs { id, watch } = arguments;
    let id = id.as_deref();
    let seen = look(&ControlClient::reach(&surroundings.variables)?, surroundings, output)?;
    if *watch {
        return watch::watch(id, seen, surroundings, output);
    }
    match id {
        Some(id) => {
            let found = find(&seen, id)?;
            match output.json {
                true => {
                    output.document_of(&details::StatusDetailsJson { daemon: &seen.daemon, found });
                }
                false => output.raw(&details::text(&found)),
            }
        }
        None if output.json => output.document_of(&seen),
        None => output.raw(&shown::text(&seen)),
    }
    Ok(Exit::Ok)
}

/// What is hosted in all folders, and what would be in this one.
fn look(
    commander: &ControlClient,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<SeenDaemon, CliFailure> {
    let daemon = commander.info()?;
    let StatusReport { mut workspaces, .. } = commander.list(None)?;
    let here = surroundings.cwd.canonicalize().unwrap_or_else(|_| surroundings.cwd.clone());
    if !workspaces.iter().any(|one| *one.folder == *here.to_string_lossy()) {
        let loaded = surroundings.load(ScopeArg::Effective);
        match commander.list(Some(standpoint_of(&loaded, surroundings)?)) {
            Ok(StatusReport { workspaces: configured, .. }) => workspaces.extend(configured),
            // Of the others there is still something to be seen.
            Err(failure) => {
                output.warning(format!("of this folder: {}", visible(&failure.message)));
            }
        }
    }
    // This folder's first.
    workspaces.sort_by_key(|one| (*one.folder != *here.to_string_lossy(), one.folder.clone()));
    Ok(SeenDaemon { daemon, workspaces })
}

/// One server wherever it is hosted.
fn find<'a>(
    seen: &'a SeenDaemon,
    id: &str,
) -> Result<Vec<(&'a WorkspaceStatus, &'a ServerRow)>, CliFailure> {
    let each = seen.workspaces.iter().flat_map(|workspace| {
        let rows = workspace.servers.iter().filter(|row| row.id == id);
        rows.map(move |row| (workspace, row))
    });
    let found: Vec<_> = each.collect();
    match found.is_empty() {
        true => {
            let rows = seen.workspaces.iter().flat_map(|workspace| &workspace.servers);
            let known = rows.map(|row| &row.id);
            Err(unknown_name("MCP server not found", id, known, "toolgate status").into())
        }
        false => Ok(found),
    }
}
