//! `toolgate trust`: shows exactly what a project would run, asks, and remembers the answer.

mod tool_names;

use std::path::Path;

use serde_json::{Map, json};
use toolgate_assembly::unname_tools;
use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{PackageState, unknown_name};
use toolgate_store::{PinKey, Store as _};
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::{ConfigSource, EntryKind, EntryStanding, ServerId, Trust as Belief, visible};

use crate::args::{ScopeArg, TrustArgs};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::fetch_packages::{download_rows, fetch_packages, forget_fetched, package_state_of};
use crate::surroundings::{Surroundings, wait};
use crate::trust_standing::{self, JudgedEntry};
use toolgate_config::show::entry_text;

pub(crate) fn run(
    arguments: &TrustArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    if arguments.list {
        return list(&loaded, surroundings, output);
    }
    if arguments.revoke {
        return revoke(&arguments.ids, &loaded, surroundings, output);
    }
    accept(arguments, &loaded, surroundings, output)
}

fn accept(
    arguments: &TrustArgs,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let known = surroundings.acceptances(loaded)?;
    let all = trust_standing::judged(loaded, &known);
    for id in &arguments.ids {
        if !all.iter().any(|entry| entry.id == *id && entry.is_project_graded()) {
            let known = all.iter().filter(|entry| entry.is_project_graded()).map(|entry| &entry.id);
            let message = "this project has no such entry";
            return Err(unknown_name(message, id, known, "toolgate trust --list").into());
        }
    }
    let named =
        |entry: &&JudgedEntry| arguments.ids.is_empty() || arguments.ids.contains(&entry.id);
    let asks = |entry: &&JudgedEntry| {
        let raises =
            arguments.trusted && entry.standing != EntryStanding::Accepted(Belief::Trusted);
        let is_unfetched = || {
            entry.kind == EntryKind::Server
                && matches!(
                    package_state_of(&entry.id, loaded, surroundings),
                    PackageState::NotFixed
                )
        };
        entry.is_project_graded() && (entry.is_pending() || raises || is_unfetched())
    };
    let asked: Vec<&JudgedEntry> = all.iter().filter(named).filter(asks).collect();
    if asked.is_empty() {
        output.note("nothing to accept here");
        return Ok(Exit::Ok);
    }
    if !toolgate_terminal::can_ask() {
        if !output.json {
            let said = |entry: &&JudgedEntry| what_would_run(entry, loaded, surroundings);
            asked.iter().for_each(|entry| output.raw(&said(entry)));
        }
        return Err(CliFailure {
            exit: Exit::TrustNeeded,
            ..CliFailure::new("accepting needs a person at a terminal")
        });
    }
    output.flush();
    let (mut left, mut untrusted) = (0, Vec::new());
    for entry in asked {
        let belief = match (arguments.trusted, entry.declared) {
            (true, _) => Belief::Trusted,
            (false, declared) => declared.unwrap_or(Belief::Untrusted),
        };
        let question = format!("accept {} {} as {}?", entry.kind, entry.id, belief.as_str());
        // Each by itself, so that the question stands beside what it is about.
        let again = entry_text::gist(&entry.written).unwrap_or_default();
        let mut again = match entry.secrets.is_empty() {
            true => again,
            false => format!("{again}\nuses your secrets: {}", entry.secrets.join(", ")),
        };
        if entry.kind == EntryKind::Server {
            for (what, words) in download_rows(&entry.id, loaded, surroundings) {
                again.push_str(&format!("\n{what} {words}"));
            }
        }
        let shown = what_would_run(entry, loaded, surroundings);
        if toolgate_terminal::confirm_about(&shown, &again, &question) {
            // What cannot be fetched is not accepted: no version of it could be held to.
            if entry.kind == EntryKind::Server
                && !fetch_packages(&entry.id, loaded, surroundings, output)?
            {
                left += 1;
                continue;
            }
            trust_standing::accept(surroundings, loaded, entry, belief)?;
            output.note(format!("accepted {} {} as {}", entry.kind, entry.id, belief.as_str()));
            if entry.kind == EntryKind::Server && belief == Belief::Untrusted {
                untrusted.push(entry.id.clone());
            }
        } else {
            left += 1;
        }
    }
    for server in untrusted {
        tool_names::accept_tools(&server, loaded, surroundings, output)?;
    }
    if left > 0 {
        output.note(format!("{left} left pending"));
        return Ok(Exit::TrustNeeded);
    }
    Ok(Exit::Ok)
}

/// What the person decides about, with the place of it as they would write it here.
fn what_would_run(
    entry: &JudgedEntry,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
) -> String {
    let place = match &*entry.origin.source {
        ConfigSource::File(path) => surroundings.shown(path),
        other => other.to_string(),
    };
    let more = match entry.kind {
        EntryKind::Server => download_rows(&entry.id, loaded, surroundings),
        _ => Vec::new(),
    };
    entry.what_would_run(&place, &more)
}

fn list(
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let known = surroundings.acceptances(loaded)?;
    let here = trust_standing::judged(loaded, &known);
    let pending: Vec<&JudgedEntry> = here.iter().filter(|entry| entry.is_pending()).collect();
    let accepted = wait(surroundings.store_to_read()?.all_acceptances())?;
    if output.json {
        let pending = pending.iter().map(|entry| {
            json!({
                "kind": entry.kind.as_str(), "id": entry.id,
                "reason": reason(entry), "entry": entry.written, "unwatched": entry.unwatched,
                "secrets": entry.secrets, "notYet": entry.not_yet,
            })
        });
        let accepted = accepted.iter().map(|(root, entry)| {
            json!({
                "root": root.to_string(), "kind": entry.kind.as_str(), "id": entry.id,
                "trust": entry.trust.as_str(), "acceptedAt": entry.accepted_at,
            })
        });
        let mut fields = Map::new();
        fields.insert("pending".into(), pending.collect());
        fields.insert("accepted".into(), accepted.collect());
        output.document(fields);
        return Ok(Exit::Ok);
    }
    let root = loaded.project_root.display().to_string();
    let mut rows: Vec<Vec<String>> = pending
        .iter()
        .map(|entry| {
            let state = format!("pending: {}", reason(entry));
            vec![entry.kind.to_string(), visible(&entry.id), state, root.clone()]
        })
        .collect();
    rows.extend(accepted.iter().map(|(root, entry)| {
        let trust = entry.trust.as_str().to_owned();
        vec![entry.kind.to_string(), visible(&entry.id), trust, root.to_string()]
    }));
    if rows.is_empty() {
        output.line("nothing pending, nothing accepted");
    } else {
        output.raw(&table(&["kind", "id", "state", "project"], &rows));
    }
    Ok(Exit::Ok)
}

fn reason(entry: &JudgedEntry) -> String {
    match &entry.standing {
        EntryStanding::Pending(reason) => visible(&reason.to_string()),
        EntryStanding::Accepted(_) => String::new(),
    }
}

fn revoke(
    ids: &[String],
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let store = surroundings.store()?;
    let here = loaded.project_root.canonicalize().unwrap_or_else(|_| loaded.project_root.clone());
    let all = wait(store.all_acceptances())?;
    for id in ids {
        let matching: Vec<_> = all
            .iter()
            .filter(|(root, entry)| root.as_path() == Path::new(&here) && entry.id == *id)
            .collect();
        if matching.is_empty() {
            let known = all.iter().filter(|(root, _)| root.as_path() == Path::new(&here));
            let known = known.map(|(_, entry)| &entry.id);
            let message = "nothing was accepted here as this";
            return Err(unknown_name(message, id, known, "toolgate trust --list").into());
        }
        for (root, entry) in matching {
            wait(store.revoke(root, entry.kind, id))?;
            if entry.kind == EntryKind::Server {
                wait(unname_tools(&store, root, id))?;
                let key =
                    ServerId::parse(id).map(|server| PinKey { root: Some(root.clone()), server });
                if let Ok(key) = key {
                    forget_fetched(&key, loaded, surroundings)?;
                }
            }
            output.note(format!("revoked {} {}; it is pending again", entry.kind, id));
        }
    }
    Ok(Exit::Ok)
}
