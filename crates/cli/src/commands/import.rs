//! `toolgate import`: takes servers over from another client's files, with a report of each: what
//! would run or be dialled, as `trust` shows it.
//!
//! The other client's word that something needs no asking is never taken over. What a client keeps for
//! the person goes into the person's own file, what it has of a project into the project's, unless a
//! scope was named. A project's file may have come with a clone: it goes into the person's own only if
//! the person named that very file.

pub(super) mod report;

use std::path::PathBuf;
use std::sync::Arc;

use toolgate_config::change::ServerChange;
use toolgate_config::clients::{
    self, ClientFolders, ImportNote, ImportOutcome, ImportRequest, ImportedFile, ImportedServer,
    KnownClient, import,
};
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{
    EditScope, Problems, TakenCredential, format_of, read_document, read_file, take_out_credentials,
};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::config::ApprovalMode;
use toolgate_types::{ConfigSource, Trust, visible};

use super::add::edit;
use super::connect::client_change::known_clients;
use crate::args::{ImportArgs, ScopeArg};
use crate::auto_offer::accepts_auto;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, shown_path};
use crate::trust_standing;

/// A file that is looked at.
struct ImportSource {
    client: KnownClient,
    path: PathBuf,
    whose: FileOwner,
    /// The client keeps it for the person, whoever named it.
    is_own: bool,
}

/// Whose word a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileOwner {
    /// It is in the folder of the project.
    Projects,
    /// The client keeps it for the person.
    Persons,
    /// The person typed its path.
    Named,
}

/// What was found in one file.
struct FoundFile {
    client: KnownClient,
    path: PathBuf,
    /// The client keeps it for the person.
    is_own: bool,
    servers: Vec<FoundServer>,
    notes: Vec<ImportNote>,
}

/// One server, and where it goes.
struct FoundServer {
    server: ImportedServer,
    scope: EditScope,
    /// What of it does not go into the project's file.
    taken: Vec<TakenCredential>,
}

pub(crate) fn run(
    arguments: &ImportArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let places = surroundings.client_places()?;
    let mut found = Vec::new();
    for file in files(&arguments.from, &places, surroundings)? {
        found.push(read(file, arguments.scope, &places, surroundings)?);
    }
    refuse_what_cannot_be_written(&mut found, arguments.replace, surroundings)?;
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

/// Some clients read every file of a folder.
fn with_neighbours(
    client: KnownClient,
    mut files: Vec<clients::ClientFile>,
) -> Vec<clients::ClientFile> {
    let beside = |file: &clients::ClientFile| -> Vec<clients::ClientFile> {
        let folder = file.path.parent().filter(|_| client.reads_folder_of(file));
        let entries = folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_its = |path: &PathBuf| KnownClient::of_path(path) == Some(client);
        paths.filter(is_its).map(|path| clients::ClientFile { path, ..file.clone() }).collect()
    };
    let mut found: Vec<clients::ClientFile> = files.iter().flat_map(beside).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found.retain(|one| !files.contains(one));
    files.splice(0..0, found);
    files
}

/// The files that a client's name or a path stands for.
fn files(
    from: &str,
    places: &ClientFolders,
    surroundings: &Surroundings,
) -> Result<Vec<ImportSource>, CliFailure> {
    if let Some(client) = KnownClient::parse(from) {
        let all = with_neighbours(client, client.files(places));
        let there: Vec<ImportSource> = all
            .iter()
            .enumerate()
            // In the home folder a project's file and the person's can be one; it counts once.
            .filter(|(index, file)| all[index + 1..].iter().all(|other| other.path != file.path))
            .filter(|(_, file)| file.path.exists())
            .map(|(_, file)| {
                let whose = match file.scope {
                    clients::ClientScope::Project => FileOwner::Projects,
                    clients::ClientScope::User => FileOwner::Persons,
                };
                let is_own = whose == FileOwner::Persons;
                ImportSource { client, path: file.path.clone(), whose, is_own }
            })
            .collect();
        if there.is_empty() {
            let looked: Vec<String> = all.iter().map(|file| shown_path(&file.path)).collect();
            return Err(CliFailure::new(format!(
                "no configuration of {} was found",
                client.title()
            ))
            .hint(format!("looked for: {}", looked.join(", "))));
        }
        return Ok(there);
    }
    let path = surroundings.cwd.join(from);
    if !path.exists() {
        return Err(CliFailure::usage(format!("`{}` is no client and no file", visible(from)))
            .hint(known_clients(from)));
    }
    let client = match KnownClient::of_path(&path) {
        Some(client) => client,
        None => {
            let document = read_document(&path).map_err(Problems)?;
            KnownClient::of_keys(format_of(&path), &document.root).ok_or_else(|| {
                CliFailure::new(format!("cannot tell whose file {} is", surroundings.shown(&path)))
                    .hint("it has none of the keys that the known clients write")
            })?
        }
    };
    let real = path.canonicalize().ok();
    let is_it = |file: &clients::ClientFile| {
        file.scope == clients::ClientScope::User && file.path.canonicalize().ok() == real
    };
    let is_own = client.files(places).iter().any(is_it);
    Ok(vec![ImportSource { client, path, whose: FileOwner::Named, is_own }])
}

fn read(
    file: ImportSource,
    scope: Option<EditScope>,
    places: &ClientFolders,
    surroundings: &Surroundings,
) -> Result<FoundFile, CliFailure> {
    let ImportSource { client, path, whose, is_own } = file;
    let text = read_file(&path).map_err(Problems)?;
    let real = surroundings.cwd.canonicalize().unwrap_or_else(|_| surroundings.cwd.clone());
    let project_keys = [surroundings.cwd.display().to_string(), real.display().to_string()];
    let switched_off = switched_off(client, &project_keys, places);
    let import_for = |project_keys: &[String]| {
        import(&ImportRequest {
            client,
            source: Arc::new(ConfigSource::File(path.clone())),
            text: &text,
            workspace: &surroundings.cwd,
            home: &places.home,
            variables: &surroundings.variables,
            project_keys,
            switched_off: if is_own { &[] } else { &switched_off },
        })
        .map_err(Problems)
    };
    let ImportedFile { mut servers, mut notes } = import_for(&project_keys)?;
    let is_for_person = scope == Some(EditScope::Global) && whose != FileOwner::Named;
    if is_for_person {
        servers.retain(|server| whose == FileOwner::Projects || server.is_of_project);
        let name = surroundings.shown(&path);
        for server in servers.iter_mut().filter(|server| server.is_ready()) {
            server.outcome = ImportOutcome::Refused(format!(
                "it is this project's; it goes into your own file only if you name its file: \
                 toolgate import {name} --scope global"
            ));
        }
    }
    let mut found: Vec<FoundServer> = Vec::new();
    if is_own && (is_for_person || scope.is_none()) {
        // What stands there for everywhere, where a project's may have stood in for it.
        servers.retain(|server| server.is_of_project);
        let everywhere = import_for(&[])?;
        notes = everywhere.notes;
        found.extend(everywhere.servers.into_iter().map(|server| FoundServer {
            server,
            scope: EditScope::Global,
            taken: Vec::new(),
        }));
    }
    let scope = scope.unwrap_or(EditScope::Project);
    let of_project =
        servers.into_iter().map(|server| FoundServer { server, scope, taken: Vec::new() });
    // The order of the report: what is this project's first.
    found.splice(0..0, of_project);
    for one in found.iter_mut().filter(|one| one.scope == EditScope::Project) {
        one.taken = take_out_credentials(&one.server.id, &mut one.server.entry);
    }
    Ok(FoundFile { client, path, is_own, servers: found, notes })
}

/// The servers of a project that its person switched off in another file of the client.
fn switched_off(
    client: KnownClient,
    project_keys: &[String],
    places: &ClientFolders,
) -> Vec<String> {
    let files = client.files_with_switches(places);
    let texts = files.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.flat_map(|text| clients::switched_off_in(client, &text, project_keys)).collect()
}

/// Entries that are there already, that stand in two files, or that a JSON file cannot say.
fn refuse_what_cannot_be_written(
    found: &mut [FoundFile],
    replace: bool,
    surroundings: &Surroundings,
) -> Result<(), CliFailure> {
    let mut seen: Vec<(EditScope, String)> = Vec::new();
    for FoundServer { server, scope, .. } in found.iter_mut().flat_map(|file| &mut file.servers) {
        if !server.is_ready() {
            continue;
        }
        let key = (*scope, server.id.clone());
        let layer = match scope {
            EditScope::Project => ScopeArg::Project,
            EditScope::Global => ScopeArg::Global,
        };
        let is_present =
            || surroundings.load(layer).config.servers.contains_key(server.id.as_str());
        let is_json = format_of(&surroundings.file_of(*scope)?.path) == ConfigFormat::Json;
        let refusal = if seen.contains(&key) {
            Some("another file of this client has the same id; the first one counts".to_owned())
        } else if !replace && is_present() {
            let scope = scope.as_str();
            Some(format!("server already exists in {scope} scope; pass --replace to overwrite"))
        } else if server.needs_expansion() && is_json {
            Some("it uses variables, which a JSON file does not expand; use --scope global".into())
        } else {
            None
        };
        match refusal {
            Some(reason) => server.outcome = ImportOutcome::Refused(reason),
            None => seen.push(key),
        }
    }
    Ok(())
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
            && !trust_standing::accept_typed(surroundings, &server.id, Trust::Untrusted)?
        {
            output.note(format!("{} is pending until you accept it: toolgate trust", server.id));
        }
    }
    Ok(written)
}
