//! The files that a client's name or a path stands for, and whose word each of them is.

use std::path::{Path, PathBuf};

use toolgate_types::visible;

use super::KnownClient;
use super::files::{ClientFile, ClientFolders, ClientScope};
use crate::problem::Problems;
use crate::text::{format_of, read_document};

/// A file that is looked at.
#[derive(Debug, Clone)]
pub(super) struct ImportSource {
    pub(super) client: KnownClient,
    pub(super) path: PathBuf,
    pub(super) whose: FileOwner,
    /// The client keeps it for the person, whoever named it.
    pub(super) is_own: bool,
}

/// Whose word a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileOwner {
    /// It is in the folder of the project.
    Projects,
    /// The client keeps it for the person.
    Persons,
    /// The person typed its path.
    Named,
}

/// Why there is nothing to import from.
#[derive(Debug, thiserror::Error)]
pub enum ImportSourceError {
    #[error("no configuration of {} was found", .client.title())]
    NoFile { client: KnownClient, looked_for: Vec<PathBuf> },
    #[error("`{}` is no client and no file", visible(.from))]
    Unknown { from: String },
    #[error("cannot tell whose file {} is", visible(&.path.display().to_string()))]
    Unrecognised { path: PathBuf },
    #[error(transparent)]
    Unreadable(#[from] Problems),
}

impl ImportSource {
    /// All that `from` stands for, one at least.
    pub(super) fn all(from: &str, folders: &ClientFolders) -> Result<Vec<Self>, ImportSourceError> {
        match KnownClient::parse(from) {
            Some(client) => of_client(client, folders),
            None => Ok(vec![named(from, folders)?]),
        }
    }
}

fn of_client(
    client: KnownClient,
    folders: &ClientFolders,
) -> Result<Vec<ImportSource>, ImportSourceError> {
    let all = with_neighbours(client, client.files(folders));
    // In the home folder a project's file and the person's can be one; it counts once.
    let is_last =
        |at: usize, file: &ClientFile| all[at + 1..].iter().all(|other| other.path != file.path);
    let there =
        all.iter().enumerate().filter(|(at, file)| is_last(*at, file) && file.path.exists());
    let sources: Vec<ImportSource> = there
        .map(|(_, file)| {
            let whose = match file.scope {
                ClientScope::Project => FileOwner::Projects,
                ClientScope::User => FileOwner::Persons,
            };
            let is_own = whose == FileOwner::Persons;
            ImportSource { client, path: file.path.clone(), whose, is_own }
        })
        .collect();
    if sources.is_empty() {
        let looked_for = all.into_iter().map(|file| file.path).collect();
        return Err(ImportSourceError::NoFile { client, looked_for });
    }
    Ok(sources)
}

/// Some clients read every file of a folder.
fn with_neighbours(client: KnownClient, mut files: Vec<ClientFile>) -> Vec<ClientFile> {
    let beside = |file: &ClientFile| -> Vec<ClientFile> {
        let folder = file.path.parent().filter(|_| client.reads_folder_of(file));
        let entries = folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_its = |path: &PathBuf| KnownClient::of_path(path) == Some(client);
        paths.filter(is_its).map(|path| ClientFile { path, ..file.clone() }).collect()
    };
    let mut found: Vec<ClientFile> = files.iter().flat_map(beside).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found.retain(|one| !files.contains(one));
    files.splice(0..0, found);
    files
}

/// A file by its path.
fn named(from: &str, folders: &ClientFolders) -> Result<ImportSource, ImportSourceError> {
    let path = folders.workspace.join(from);
    if !path.exists() {
        return Err(ImportSourceError::Unknown { from: from.to_owned() });
    }
    let client = match KnownClient::of_path(&path) {
        Some(client) => client,
        None => {
            let document = read_document(&path).map_err(Problems)?;
            let client = KnownClient::of_keys(format_of(&path), &document.root);
            client.ok_or_else(|| ImportSourceError::Unrecognised { path: path.clone() })?
        }
    };
    let is_own = is_kept_for_person(client, &path, folders);
    Ok(ImportSource { client, path, whose: FileOwner::Named, is_own })
}

fn is_kept_for_person(client: KnownClient, path: &Path, folders: &ClientFolders) -> bool {
    let real = path.canonicalize().ok();
    let is_it = |file: &ClientFile| {
        file.scope == ClientScope::User && file.path.canonicalize().ok() == real
    };
    client.files(folders).iter().any(is_it)
}
