//! `toolgate uninstall`: takes our entry out of every client, ends the daemon, and says what is left where.
//! What Toolgate knows (records, logins, secrets) goes only where that is asked for and a person says yes.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_config::EditScope;
use toolgate_config::clients::KnownClient;
use toolgate_control::stop_daemon;
use toolgate_terminal::{CommandOutput, can_ask, confirm};

use super::connect::client_change::ClientChange;
use crate::args::UninstallArgs;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct UninstallJson {
    clients: Vec<Map<String, Value>>,
    left: Vec<LeftThing>,
    #[serde(rename = "dryRun")]
    dry_run: bool,
}

/// Something of ours that stays.
#[derive(Serialize)]
struct LeftThing {
    what: &'static str,
    place: String,
}

pub(crate) fn run(
    arguments: &UninstallArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let state = surroundings.state_folder()?;
    let takes_state = arguments.with_state && !arguments.dry_run && state.exists();
    // Asked before anything is changed: a no leaves everything as it is.
    if takes_state && !agreed(&surroundings.shown(&state))? {
        output.note("nothing was changed");
        return Ok(Exit::Ok);
    }
    let (clients, exit) = disconnect_all(arguments.dry_run, surroundings, output)?;
    if !arguments.dry_run
        && let Some(daemon) = stop_daemon(&surroundings.variables)?
    {
        output.note(format!("the daemon (pid {}) has ended", daemon.pid));
    }
    if takes_state {
        let failed =
            |error| CliFailure::new(format!("{} stays: {error}", surroundings.shown(&state)));
        fs::remove_dir_all(&state).map_err(failed)?;
        output.note(format!("removed {}", surroundings.shown(&state)));
    }
    let left = left(&state, surroundings);
    if output.json {
        output.document_of(&UninstallJson { clients, left, dry_run: arguments.dry_run });
        return Ok(exit);
    }
    if clients.is_empty() {
        output.note("no client is connected here");
    }
    output.line("what is left:");
    for LeftThing { what, place } in left {
        output.line(format!("  {what:<26}{place}"));
    }
    Ok(exit)
}

/// Takes the entry out of everybody's files, the person's and this project's; one that cannot be edited
/// holds up no other.
fn disconnect_all(
    dry: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<(Vec<Map<String, Value>>, Exit), CliFailure> {
    let (mut documents, mut exit) = (Vec::new(), Exit::Ok);
    for scope in EditScope::ALL {
        for client in KnownClient::ALL {
            let Ok(change) = ClientChange::new(client, scope, dry, surroundings) else { continue };
            if !change.has_entry() {
                continue;
            }
            match change.disconnect(output) {
                Ok(document) => documents.push(document),
                Err(CliFailure { message, hint, .. }) => {
                    output.failure(&format!("{}: {message}", client.title()), hint.as_deref());
                    exit = Exit::Error;
                }
            }
        }
    }
    Ok((documents, exit))
}

/// What is there of ours now, and how it goes.
fn left(state: &Path, surroundings: &Surroundings) -> Vec<LeftThing> {
    let file = |scope: EditScope| surroundings.file_of(scope).ok().map(|file| file.path);
    let places: [(&'static str, Option<PathBuf>); 4] = [
        ("your own configuration", file(EditScope::Global)),
        ("this project's", file(EditScope::Project)),
        ("records, logins, secrets", Some(state.to_owned())),
        ("the program", std::env::current_exe().ok()),
    ];
    let there = places.into_iter().filter_map(|(what, path)| {
        let path = path.filter(|path| path.exists())?;
        Some(LeftThing { what, place: surroundings.shown(&path) })
    });
    let elsewhere = LeftThing {
        what: "clients of other projects",
        place: "run `toolgate uninstall` there too".to_owned(),
    };
    there.chain([elsewhere]).collect()
}

fn agreed(state: &str) -> Result<bool, CliFailure> {
    if !can_ask() {
        return Err(CliFailure::new("removing what Toolgate knows needs a person at a terminal")
            .hint("without --with-state it stays"));
    }
    Ok(confirm(&format!("remove {state} with all records, logins and secrets, for good?")))
}
