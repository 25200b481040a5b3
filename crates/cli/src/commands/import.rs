//! `toolgate import`: takes servers over from another client's files, with a report of each: what
//! would run or be dialled, as `trust` shows it.
//!
//! The other client's word that something needs no asking is never taken over. Which file of ours each
//! goes into is said in `config/src/clients/import_search.rs`.

mod report;

use toolgate_config::change::ServerChange;
use toolgate_config::clients::{
    FoundServer, ImportSearch, ImportSourceError, ImportTarget, refuse_unwritable,
};
use toolgate_config::{EditScope, format_of};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::Trust;
use toolgate_types::config::ApprovalMode;

use super::add::edit;
use super::connect::client_change::known_clients;
use crate::args::ImportArgs;
use crate::auto_offer::accepts_auto;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, shown_path};
use crate::trust_standing;

pub(crate) fn run(
    arguments: &ImportArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let places = surroundings.client_places()?;
    let (variables, scope) = (&surroundings.variables, arguments.scope);
    let search = ImportSearch { folders: &places, variables, scope };
    let mut found = search.find(&arguments.from).map_err(|error| explain(error, surroundings))?;
    refuse_unwritable(&mut found, arguments.replace, &own_files(surroundings)?);
    let all = found.iter().flat_map(|file| &file.servers);
    let ready: Vec<&FoundServer> = all.filter(|found| found.server.is_ready()).collect();
    let text = report::text(&found, surroundings);
    let wanted = !arguments.dry_run && !ready.is_empty();
    let is_asked = wanted && toolgate_terminal::can_ask();
    // Whoever is asked is shown it beside the question.
    if !output.json && !is_asked {
        output.raw(&text);
    }
    let count = found.iter().map(|file| file.servers.len()).sum::<usize>();
    let into = targets(&ready, surroundings)?;
    let question = format!("write {} of {} into {into}?", ready.len(), counted(count, "server"));
    output.flush();
    let again = report::gists(&ready);
    let asked = || toolgate_terminal::confirm_about(&text, &again, &question);
    let is_persons = ready.iter().any(|found| found.scope == EditScope::Global);
    let written = match wanted && agreed(is_persons, asked)? {
        true => {
            // Into a project's file they come untrusted, and such a mode would count for nothing.
            let is_auto = is_persons && accepts_auto("the tools of these servers", output);
            write((&ready, is_auto), arguments.replace, surroundings, output)?
        }
        false => Vec::new(),
    };
    if output.json {
        let scope = ready.first().map_or(EditScope::Project, |found| found.scope);
        let target = surroundings.file_of(arguments.scope.unwrap_or(scope))?;
        output.document(report::document(&found, &target.path, &written));
    } else if written.is_empty() {
        output.note("nothing was written");
    } else {
        output.note(format!("wrote {} into {into}", written.join(", ")));
        for scope in [EditScope::Global, EditScope::Project] {
            if ready.iter().any(|found| found.scope == scope) {
                output.note(format!("undo with: toolgate remove <id> --scope {}", scope.as_str()));
            }
        }
    }
    Ok(if count > 0 && ready.is_empty() { Exit::Error } else { Exit::Ok })
}

/// The files that are written, as a person reads them.
fn targets(ready: &[&FoundServer], surroundings: &Surroundings) -> Result<String, CliFailure> {
    let mut targets = Vec::new();
    for scope in [EditScope::Global, EditScope::Project] {
        if ready.iter().any(|found| found.scope == scope) {
            let file = surroundings.shown(&surroundings.file_of(scope)?.path);
            targets.push(format!("{file} ({} scope)", scope.as_str()));
        }
    }
    Ok(targets.join(" and "))
}

/// The files of ours as they are now.
fn own_files(surroundings: &Surroundings) -> Result<Vec<ImportTarget>, CliFailure> {
    let target = |scope: EditScope| {
        let format = format_of(&surroundings.file_of(scope)?.path);
        let servers = surroundings.load(scope.into()).config.servers;
        Ok(ImportTarget { scope, format, ids: servers.keys().map(ToString::to_string).collect() })
    };
    EditScope::ALL.into_iter().map(target).collect()
}

/// Why there is nothing to import from, and what to do.
fn explain(error: ImportSourceError, surroundings: &Surroundings) -> CliFailure {
    match &error {
        ImportSourceError::NoFile { looked_for, .. } => {
            let looked: Vec<String> = looked_for.iter().map(|path| shown_path(path)).collect();
            CliFailure::new(&error).hint(format!("looked for: {}", looked.join(", ")))
        }
        ImportSourceError::Unknown { from } => CliFailure::usage(&error).hint(known_clients(from)),
        ImportSourceError::Unrecognised { path } => {
            CliFailure::new(format!("cannot tell whose file {} is", surroundings.shown(path)))
                .hint("it has none of the keys that the known clients write")
        }
        ImportSourceError::Unreadable(problems) => CliFailure::new(problems),
    }
}

/// A project's file may be written unasked, since all in it stays pending; a person's own may not.
fn agreed(is_persons: bool, asked: impl FnOnce() -> bool) -> Result<bool, CliFailure> {
    match (toolgate_terminal::can_ask(), is_persons) {
        (true, _) => Ok(asked()),
        (false, false) => Ok(true),
        (false, true) => Err(CliFailure {
            exit: Exit::TrustNeeded,
            ..CliFailure::new("importing into your own file needs a person at a terminal")
                .hint("with --scope project all of it is pending in this project instead")
        }),
    }
}

fn write(
    (ready, is_auto): (&[&FoundServer], bool),
    replace: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Vec<String>, CliFailure> {
    let mut written = Vec::new();
    for FoundServer { server, scope, taken } in ready.iter().copied() {
        // As it will be once what was taken out is exported.
        let surroundings = &surroundings.with_credentials(taken);
        let mut entry = server.entry.clone();
        if is_auto && *scope == EditScope::Global {
            let auto = ApprovalMode::Auto.as_str();
            entry.entry("approval").or_insert_with(|| auto.into());
        }
        let change = ServerChange::Put { entry, replace };
        edit(&server.id, *scope, &change, surroundings)?;
        written.push(server.id.clone());
        if *scope == EditScope::Project
            && !trust_standing::accept_imported(surroundings, &server.id, Trust::Untrusted)?
        {
            output.note(format!("{} is pending until you accept it: toolgate trust", server.id));
        }
    }
    Ok(written)
}
