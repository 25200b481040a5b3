//! `toolgate pins lock`: writes what was accepted by now of the project's own servers into the project,
//! for everybody who works in it. It accepts nothing there: it only makes what differs ask.

use std::collections::BTreeMap;

use toolgate_config::edit::file::{BackupChoice, FileError, edit_file};
use toolgate_config::{McpConfigLoadResult, write_lock};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::{LOCK_FILE, visible};

use crate::failure::{CliFailure, CommandResult, Exit};
use crate::pinned_tools::pinned;
use crate::surroundings::Surroundings;

/// No lock comes near this.
const LARGEST: u64 = 4 << 20;

pub(super) fn run(
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut servers = BTreeMap::new();
    for of in pinned(surroundings, loaded)? {
        let tools = of.accepted_tools();
        // A person's own servers are nobody else's, and nothing is accepted of what is pending.
        if !tools.is_empty() && of.key.root.is_some() && of.trust.is_some() {
            servers.insert(of.key.server.to_string(), tools);
        }
    }
    if servers.is_empty() {
        return Err(CliFailure::new("nothing was accepted of this project's servers yet")
            .hint("`toolgate trust` accepts them, `toolgate tools` lists what they have"));
    }
    let path = loaded.project_root.join(LOCK_FILE);
    let shown = visible(&surroundings.shown(&path));
    // A project must not choose which other file is written over, nor what we have to read first.
    let there = path.symlink_metadata().ok();
    if there.is_some_and(|there| !there.is_file() || there.len() > LARGEST) {
        let message = format!("{shown} is a link or no file of ours; it is left as it is");
        return Err(CliFailure::new(message).hint("remove it first"));
    }
    edit_file(&path, &surroundings.lock_folder()?, BackupChoice::None, |_| {
        Ok::<_, FileError>(write_lock(&servers))
    })
    .map_err(|error| {
        let is_ours = !matches!(error, FileError::NotUtf8 { .. });
        let failure = CliFailure::new(error);
        if is_ours { failure } else { failure.hint("or remove it, and it is written anew") }
    })?;
    let tools = servers.values().map(BTreeMap::len).sum();
    output.note(format!(
        "wrote {shown}: {} of {}",
        counted(tools, "tool"),
        counted(servers.len(), "server")
    ));
    Ok(Exit::Ok)
}
