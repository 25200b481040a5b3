//! What every verb shows of trust: the standing of an entry, and the question that changes it.

use std::time::SystemTime;

pub(crate) use toolgate_assembly::{JudgedEntry, judged, server_standing};
use toolgate_config::McpConfigLoadResult;
use toolgate_store::{ProjectRoot, Store as _};
use toolgate_terminal::CommandOutput;
use toolgate_types::{AcceptedEntry, EntryKind, EntryStanding, Layer, Trust, since_1970};

use crate::args::ScopeArg;
use crate::failure::CliFailure;
use crate::fetch_packages::{download_rows, fetch_packages};
use crate::surroundings::{Surroundings, shown_path, wait};

/// Records that a person accepted an entry exactly as it is now.
pub(crate) fn accept(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
    entry: &JudgedEntry,
    trust: Trust,
) -> Result<(), CliFailure> {
    let root = ProjectRoot::of(&loaded.project_root).map_err(|error| {
        CliFailure::new(format!("cannot find {}: {error}", shown_path(&loaded.project_root)))
    })?;
    let accepted = AcceptedEntry {
        kind: entry.kind,
        id: entry.id.clone(),
        fingerprint: entry.fingerprint.clone(),
        trust,
        accepted_at: since_1970(SystemTime::now()),
    };
    let store = surroundings.store()?;
    Ok(wait(store.accept(&root, accepted))?)
}

/// Accepts a project's server that a person has just typed at this terminal, with what it downloads.
/// `false`: there is no terminal, or no such server in the project's own file, or it would get secrets of
/// the person's: those `toolgate trust` shows by name before it asks; or what it needs cannot be fetched.
pub(crate) fn accept_typed(
    surroundings: &Surroundings,
    id: &str,
    trust: Trust,
    output: &mut CommandOutput,
) -> Result<bool, CliFailure> {
    accept_where(surroundings, id, trust, |entry, loaded| {
        if !entry.secrets.is_empty() {
            return Ok(false);
        }
        for (what, words) in download_rows(id, loaded, surroundings) {
            output.note(format!("{what} {words}"));
        }
        fetch_packages(id, loaded, surroundings, output)
    })
}

/// The same of one that was written for them: what downloads something is left to `toolgate trust`.
pub(crate) fn accept_imported(
    surroundings: &Surroundings,
    id: &str,
    trust: Trust,
) -> Result<bool, CliFailure> {
    accept_where(surroundings, id, trust, |entry, loaded| {
        Ok(entry.secrets.is_empty() && download_rows(id, loaded, surroundings).is_empty())
    })
}

/// Accepts a project's server again that was accepted before and has just been switched here.
pub(crate) fn accept_switched(
    surroundings: &Surroundings,
    id: &str,
    trust: Trust,
) -> Result<bool, CliFailure> {
    accept_where(surroundings, id, trust, |_, _| Ok(true))
}

fn accept_where(
    surroundings: &Surroundings,
    id: &str,
    trust: Trust,
    may_be: impl FnOnce(&JudgedEntry, &McpConfigLoadResult) -> Result<bool, CliFailure>,
) -> Result<bool, CliFailure> {
    if !toolgate_terminal::can_ask() {
        return Ok(false);
    }
    let loaded = surroundings.load(ScopeArg::Effective);
    let known = surroundings.acceptances(&loaded)?;
    let entries = judged(&loaded, &known);
    let mut servers = entries.iter().filter(|entry| entry.kind == EntryKind::Server);
    match servers.find(|entry| entry.id == id && entry.origin.layer == Layer::Project) {
        Some(entry) if may_be(entry, &loaded)? => {
            accept(surroundings, &loaded, entry, trust).map(|()| true)
        }
        _ => Ok(false),
    }
}

/// The standing of one server as things are now.
pub(crate) fn standing_of(
    surroundings: &Surroundings,
    id: &str,
) -> Result<Option<EntryStanding>, CliFailure> {
    let loaded = surroundings.load(ScopeArg::Effective);
    let known = surroundings.acceptances(&loaded)?;
    Ok(loaded.config.servers.get(id).map(|entry| server_standing(id, entry, &known)))
}
