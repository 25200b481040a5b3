//! `toolgate import`: takes servers over from another client's files, with a report of each.
//!
//! The other client's word that something needs no asking is never taken over.

mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_config::change::Change;
use toolgate_config::clients::{
    Client, ImportRequest, ImportedServer, Note, Outcome, Places, import,
};
use toolgate_config::tree::Format;
use toolgate_config::{Problems, format_of, read_document, read_file};
use toolgate_types::{Source, Trust, visible};

use super::add::edit;
use crate::args::{Import, Scope};
use crate::failure::{Done, Exit, Failure};
use crate::output::{Output, counted};
use crate::question;
use crate::surroundings::{EditScope, Surroundings};
use crate::trusting;

/// What was found in one file.
struct Found {
    client: Client,
    path: PathBuf,
    servers: Vec<ImportedServer>,
    notes: Vec<Note>,
}

pub(crate) fn run(arguments: &Import, surroundings: &Surroundings, output: &mut Output) -> Done {
    let places = surroundings.client_places()?;
    let mut found = Vec::new();
    for (client, path) in files(&arguments.from, &places, surroundings)? {
        found.push(read(client, path, &places, surroundings)?);
    }
    let target = surroundings.file_of(arguments.scope)?;
    refuse_what_cannot_be_written(&mut found, &target.path, arguments, surroundings);
    let ready: Vec<&ImportedServer> =
        found.iter().flat_map(|file| &file.servers).filter(|server| server.is_ready()).collect();
    if !output.json {
        output.raw(&report::text(&found, surroundings));
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
    let wanted = !arguments.dry_run && !ready.is_empty();
    let written = match wanted && agreed(arguments.scope, &question)? {
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
    places: &Places,
    surroundings: &Surroundings,
) -> Result<Vec<(Client, PathBuf)>, Failure> {
    if let Some(client) = Client::parse(from) {
        let all: Vec<PathBuf> = client.files(places).into_iter().map(|file| file.path).collect();
        let there: Vec<_> =
            all.iter().filter(|path| path.exists()).map(|path| (client, path.clone())).collect();
        if there.is_empty() {
            let looked: Vec<String> = all.iter().map(|path| path.display().to_string()).collect();
            return Err(Failure::new(format!("no configuration of {} was found", client.title()))
                .hint(format!("looked for: {}", looked.join(", "))));
        }
        return Ok(there);
    }
    let path = surroundings.cwd.join(from);
    if !path.exists() {
        let known: Vec<&str> = Client::ALL.into_iter().map(Client::as_str).collect();
        return Err(Failure::new(format!("`{}` is no client and no file", visible(from)))
            .hint(format!("known clients: {}", known.join(", "))));
    }
    let client = match Client::of_path(&path) {
        Some(client) => client,
        None => {
            let document = read_document(&path).map_err(Problems)?;
            Client::of_keys(format_of(&path), &document.root).ok_or_else(|| {
                Failure::new(format!("cannot tell whose file {} is", surroundings.shown(&path)))
                    .hint("it has none of the keys that the known clients write")
            })?
        }
    };
    Ok(vec![(client, path)])
}

fn read(
    client: Client,
    path: PathBuf,
    places: &Places,
    surroundings: &Surroundings,
) -> Result<Found, Failure> {
    let text = read_file(&path).map_err(Problems)?;
    let real = surroundings.cwd.canonicalize().unwrap_or_else(|_| surroundings.cwd.clone());
    let project_keys = [surroundings.cwd.display().to_string(), real.display().to_string()];
    let imported = import(&ImportRequest {
        client,
        source: Arc::new(Source::File(path.clone())),
        text: &text,
        workspace: &surroundings.cwd,
        home: &places.home,
        variables: &surroundings.variables,
        project_keys: &project_keys,
    })
    .map_err(Problems)?;
    Ok(Found { client, path, servers: imported.servers, notes: imported.notes })
}

/// Entries that are there already, that stand in two files, or that a JSON file cannot say.
fn refuse_what_cannot_be_written(
    found: &mut [Found],
    target: &Path,
    arguments: &Import,
    surroundings: &Surroundings,
) {
    let scope = match arguments.scope {
        EditScope::Project => Scope::Project,
        EditScope::Global => Scope::Global,
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
        } else if server.needs_expansion() && format_of(target) == Format::Json {
            Some("it uses variables, which a JSON file does not expand; use --scope global".into())
        } else {
            None
        };
        match refusal {
            Some(reason) => server.outcome = Outcome::Refused(reason),
            None => seen.push(server.id.clone()),
        }
    }
}

/// A project's file may be written unasked, since all in it stays pending; a person's own may not.
fn agreed(scope: EditScope, question: &str) -> Result<bool, Failure> {
    match (question::can_ask(), scope) {
        (true, _) => Ok(question::confirm(question)),
        (false, EditScope::Project) => Ok(true),
        (false, EditScope::Global) => Err(Failure {
            exit: Exit::TrustNeeded,
            ..Failure::new("importing into your own file needs a person at a terminal")
        }),
    }
}

fn write(
    ready: &[&ImportedServer],
    arguments: &Import,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Result<Vec<String>, Failure> {
    let mut written = Vec::new();
    for server in ready {
        let change = Change::Put { entry: server.entry.clone(), replace: arguments.replace };
        edit(&server.id, arguments.scope, &change, surroundings)?;
        written.push(server.id.clone());
        if arguments.scope == EditScope::Project
            && !trusting::accept_typed(surroundings, &server.id, Trust::Untrusted)?
        {
            output.note(format!("{} is pending until you accept it: toolgate trust", server.id));
        }
    }
    Ok(written)
}
