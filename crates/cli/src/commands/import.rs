//! `toolgate import`: takes servers over from another client's files, with a report of each: what
//! would run or be dialled, as `trust` shows it.
//!
//! The other client's word that something needs no asking is never taken over. A project's file may
//! have come with a clone: it goes into the person's own only if the person named that very file.

mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_config::change::ServerChange;
use toolgate_config::clients::{
    self, ClientFolders, ImportNote, ImportOutcome, ImportRequest, ImportedFile, ImportedServer,
    KnownClient, import,
};
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{Problems, format_of, read_document, read_file};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::{ConfigSource, Trust, visible};

use super::add::edit;
use super::connect::client_edit::known_clients;
use crate::args::{EditScope, ImportArgs, ScopeArg};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, shown_path};
use crate::trust_standing;

/// A file that is looked at.
struct ImportSource {
    client: KnownClient,
    path: PathBuf,
    whose: FileOwner,
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
    whose: FileOwner,
    servers: Vec<ImportedServer>,
    notes: Vec<ImportNote>,
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
    let target = surroundings.file_of(arguments.scope)?;
    refuse_what_cannot_be_written(&mut found, &target.path, arguments, surroundings);
    let ready: Vec<&ImportedServer> =
        found.iter().flat_map(|file| &file.servers).filter(|server| server.is_ready()).collect();
    let text = report::text(&found, surroundings);
    let wanted = !arguments.dry_run && !ready.is_empty();
    let is_asked = wanted && toolgate_terminal::can_ask();
    // Whoever is asked is shown it beside the question.
    if !output.json && !is_asked {
        output.raw(&text);
    }
    let count = found.iter().map(|file| file.servers.len()).sum::<usize>();
    let question = format!(
        "write {} of {} into {} ({} scope)?",
        ready.len(),
        counted(count, "server"),
        surroundings.shown(&target.path),
        arguments.scope.as_str()
    );
    output.flush();
    let again = report::gists(&ready);
    let asked = || toolgate_terminal::confirm_about(&text, &again, &question);
    let written = match wanted && agreed(arguments.scope, asked)? {
        true => write(&ready, arguments, surroundings, output)?,
        false => Vec::new(),
    };
    if output.json {
        output.document(report::document(&found, &target.path, &written));
    } else if written.is_empty() {
        output.note("nothing was written");
    } else {
        let file = surroundings.shown(&target.path);
        output.note(format!("wrote {} into {file}", written.join(", ")));
        output.note("undo with: toolgate remove <id>");
    }
    Ok(if count > 0 && ready.is_empty() { Exit::Error } else { Exit::Ok })
}

/// The files that a client's name or a path stands for.
fn files(
    from: &str,
    places: &ClientFolders,
    surroundings: &Surroundings,
) -> Result<Vec<ImportSource>, CliFailure> {
    if let Some(client) = KnownClient::parse(from) {
        let all = client.files(places);
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
                ImportSource { client, path: file.path.clone(), whose }
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
    Ok(vec![ImportSource { client, path, whose: FileOwner::Named }])
}

fn read(
    file: ImportSource,
    scope: EditScope,
    places: &ClientFolders,
    surroundings: &Surroundings,
) -> Result<FoundFile, CliFailure> {
    let ImportSource { client, path, whose } = file;
    let text = read_file(&path).map_err(Problems)?;
    let real = surroundings.cwd.canonicalize().unwrap_or_else(|_| surroundings.cwd.clone());
    let project_keys = [surroundings.cwd.display().to_string(), real.display().to_string()];
    let import_for = |project_keys: &[String]| {
        import(&ImportRequest {
            client,
            source: Arc::new(ConfigSource::File(path.clone())),
            text: &text,
            workspace: &surroundings.cwd,
            home: &places.home,
            variables: &surroundings.variables,
            project_keys,
        })
        .map_err(Problems)
    };
    let mut imported = import_for(&project_keys)?;
    if scope == EditScope::Global && whose != FileOwner::Named {
        let of_project =
            |server: &ImportedServer| whose == FileOwner::Projects || server.is_of_project;
        imported.servers.retain(of_project);
        let name = surroundings.shown(&path);
        for server in imported.servers.iter_mut().filter(|server| server.is_ready()) {
            server.outcome = ImportOutcome::Refused(format!(
                "it is this project's; it goes into your own file only if you name its file: \
                 toolgate import {name} --scope global"
            ));
        }
        if whose == FileOwner::Persons {
            // What stands there for everywhere, where a project's may have stood in for it.
            let ImportedFile { mut servers, notes } = import_for(&[])?;
            servers.append(&mut imported.servers);
            imported = ImportedFile { servers, notes };
        }
    }
    Ok(FoundFile { client, path, whose, servers: imported.servers, notes: imported.notes })
}

/// Entries that are there already, that stand in two files, or that a JSON file cannot say.
fn refuse_what_cannot_be_written(
    found: &mut [FoundFile],
    target: &Path,
    arguments: &ImportArgs,
    surroundings: &Surroundings,
) {
    let scope = match arguments.scope {
        EditScope::Project => ScopeArg::Project,
        EditScope::Global => ScopeArg::Global,
    };
    let present = surroundings.load(scope).config.servers;
    let mut seen: Vec<String> = Vec::new();
    for server in found.iter_mut().flat_map(|file| &mut file.servers) {
        if !server.is_ready() {
            continue;
        }
        let refusal = if seen.contains(&server.id) {
            Some("another file of this client has the same id; the first one counts".to_owned())
        } else if !arguments.replace && present.contains_key(server.id.as_str()) {
            let scope = arguments.scope.as_str();
            Some(format!("server already exists in {scope} scope; pass --replace to overwrite"))
        } else if server.needs_expansion() && format_of(target) == ConfigFormat::Json {
            Some("it uses variables, which a JSON file does not expand; use --scope global".into())
        } else {
            None
        };
        match refusal {
            Some(reason) => server.outcome = ImportOutcome::Refused(reason),
            None => seen.push(server.id.clone()),
        }
    }
}

/// A project's file may be written unasked, since all in it stays pending; a person's own may not.
fn agreed(scope: EditScope, asked: impl FnOnce() -> bool) -> Result<bool, CliFailure> {
    match (toolgate_terminal::can_ask(), scope) {
        (true, _) => Ok(asked()),
        (false, EditScope::Project) => Ok(true),
        (false, EditScope::Global) => Err(CliFailure {
            exit: Exit::TrustNeeded,
            ..CliFailure::new("importing into your own file needs a person at a terminal")
        }),
    }
}

fn write(
    ready: &[&ImportedServer],
    arguments: &ImportArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Vec<String>, CliFailure> {
    let mut written = Vec::new();
    for server in ready {
        let change = ServerChange::Put { entry: server.entry.clone(), replace: arguments.replace };
        edit(&server.id, arguments.scope, &change, surroundings)?;
        written.push(server.id.clone());
        if arguments.scope == EditScope::Project
            && !trust_standing::accept_typed(surroundings, &server.id, Trust::Untrusted)?
        {
            output.note(format!("{} is pending until you accept it: toolgate trust", server.id));
        }
    }
    Ok(written)
}
