//! What there is to import: the files of a client, each server in them, into which of our files it
//! goes, and which cannot go there.
//!
//! What a client keeps for the person goes into the person's own file, what it has of a project into
//! the project's, unless a scope was named. A project's file may have come with a clone: it goes into
//! the person's own only if the person named that very file. Nothing is written here.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use toolgate_types::{ConfigSource, Variables, visible};

use super::KnownClient;
use super::files::ClientFolders;
use super::import::import;
use super::import_source::{FileOwner, ImportSource, ImportSourceError};
use super::imported::{ImportOutcome, ImportRequest, ImportedFile, ImportedServer};
use super::note::ImportNote;
use super::switches::switched_off_in;
use crate::credentials::{TakenCredential, take_out_credentials};
use crate::edit_scope::EditScope;
use crate::problem::Problems;
use crate::text::read_file;
use crate::tree::ConfigFormat;

/// Where and for what is searched.
#[derive(Clone, Copy)]
pub struct ImportSearch<'a> {
    pub folders: &'a ClientFolders,
    /// The variables that count as set.
    pub variables: &'a Variables,
    /// Into which file all of it is to go; left out, each where it belongs.
    pub scope: Option<EditScope>,
}

/// What was found in one file.
#[derive(Debug)]
pub struct FoundClientFile {
    pub client: KnownClient,
    pub path: PathBuf,
    /// The client keeps it for the person.
    pub is_own: bool,
    pub servers: Vec<FoundServer>,
    pub notes: Vec<ImportNote>,
}

/// One server, and where it goes.
#[derive(Debug)]
pub struct FoundServer {
    pub server: ImportedServer,
    pub scope: EditScope,
    /// What of it does not go into the project's file.
    pub taken: Vec<TakenCredential>,
}

/// A file of ours as it is before an import.
#[derive(Debug, Clone)]
pub struct ImportTarget {
    pub scope: EditScope,
    pub format: ConfigFormat,
    /// The servers that it has.
    pub ids: Vec<String>,
}

impl ImportSearch<'_> {
    /// All that a client's name or a path stands for.
    pub fn find(&self, from: &str) -> Result<Vec<FoundClientFile>, ImportSourceError> {
        let sources = ImportSource::all(from, self.folders)?;
        Ok(sources.into_iter().map(|source| self.read(source)).collect::<Result<_, _>>()?)
    }

    fn read(&self, source: ImportSource) -> Result<FoundClientFile, Problems> {
        let ImportSource { client, path, whose, is_own } = source;
        let text = read_file(&path).map_err(Problems)?;
        let workspace = &self.folders.workspace;
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.clone());
        let project_keys = [workspace.display().to_string(), real.display().to_string()];
        let switched_off = self.switched_off(client, &project_keys);
        let import_for = |project_keys: &[String]| {
            import(&ImportRequest {
                client,
                source: Arc::new(ConfigSource::File(path.clone())),
                text: &text,
                workspace,
                home: &self.folders.home,
                variables: self.variables,
                project_keys,
                switched_off: if is_own { &[] } else { &switched_off },
            })
            .map_err(Problems)
        };
        let ImportedFile { mut servers, mut notes } = import_for(&project_keys)?;
        let is_for_person = self.scope == Some(EditScope::Global) && whose != FileOwner::Named;
        if is_for_person {
            servers.retain(|server| whose == FileOwner::Projects || server.is_of_project);
            let name = path.strip_prefix(workspace).unwrap_or(&path);
            let name = visible(&name.display().to_string());
            for server in servers.iter_mut().filter(|server| server.is_ready()) {
                server.outcome = ImportOutcome::Refused(format!(
                    "it is this project's; it goes into your own file only if you name its file: \
                     toolgate import {name} --scope global"
                ));
            }
        }
        let going = |servers: Vec<ImportedServer>, scope: EditScope| {
            servers.into_iter().map(move |server| FoundServer::new(server, scope))
        };
        let mut found: Vec<FoundServer> = Vec::new();
        if is_own && (is_for_person || self.scope.is_none()) {
            // What stands there for everywhere, where a project's may have stood in for it.
            servers.retain(|server| server.is_of_project);
            let everywhere = import_for(&[])?;
            notes = everywhere.notes;
            found.extend(going(everywhere.servers, EditScope::Global));
        }
        // The order of the report: what is this project's first.
        found.splice(0..0, going(servers, self.scope.unwrap_or(EditScope::Project)));
        Ok(FoundClientFile { client, path, is_own, servers: found, notes })
    }

    /// The servers of a project that its person switched off in another file of the client.
    fn switched_off(&self, client: KnownClient, project_keys: &[String]) -> Vec<String> {
        let files = client.files_with_switches(self.folders);
        let texts = files.iter().filter_map(|path| std::fs::read_to_string(path).ok());
        texts.flat_map(|text| switched_off_in(client, &text, project_keys)).collect()
    }
}

impl FoundServer {
    /// What goes into a project's file others get with the project, so credentials do not.
    fn new(mut server: ImportedServer, scope: EditScope) -> Self {
        let taken = match scope {
            EditScope::Project => take_out_credentials(&server.id, &mut server.entry),
            EditScope::Global => Vec::new(),
        };
        Self { server, scope, taken }
    }
}

/// Refuses entries that are there already, that stand in two files, or that a JSON file cannot say.
pub fn refuse_unwritable(found: &mut [FoundClientFile], replace: bool, targets: &[ImportTarget]) {
    let mut seen: Vec<(EditScope, String)> = Vec::new();
    for FoundServer { server, scope, .. } in found.iter_mut().flat_map(|file| &mut file.servers) {
        if !server.is_ready() {
            continue;
        }
        let key = (*scope, server.id.clone());
        let target = targets.iter().find(|target| target.scope == *scope);
        let is_present = target.is_some_and(|target| target.ids.contains(&server.id));
        let is_json = target.is_some_and(|target| target.format == ConfigFormat::Json);
        let refusal = if seen.contains(&key) {
            Some("another file of this client has the same id; the first one counts".to_owned())
        } else if !replace && is_present {
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
}

impl fmt::Debug for ImportSearch<'_> {
    /// Without the values of variables, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportSearch").field("scope", &self.scope).finish_non_exhaustive()
    }
}
