//! What a person accepts: the entry exactly as written, and the files of the project that it names.
//!
//! Variables stay unexpanded: a rotated token is no reason to ask again.
//!
//! Two looks find them. `pieces` tries every part of every word that could be a path. `runs` reads the
//! words as a shell does and knows what programs do with them: the modules that Python is told by
//! name and what those import, what Node loads before and beside a script, the scripts of a
//! `package.json`, the file that `make` reads; and the variables that make a program run or load
//! something. A link counts for where it leads.
//!
//! What cannot be watched is said ([`EntryLook::unwatched`]), so that a person knows it before accepting:
//! programs that are fetched by a moving version, names that are put together at run time, folders
//! that hold too much, what a builder finds out by itself. Not covered and not said each time: files
//! outside the project, compiled copies that Python keeps by itself (`__pycache__`), and what changes
//! between the look at a file and its start.

mod again;
mod command_line;
mod environment;
mod file_hashes;
mod files;
mod pieces;
mod program;
mod real_paths;
mod runs;
pub(crate) mod variables_that_run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_types::config::{CommandTool, Isolation, PackageServer, Server, Transport};
use toolgate_types::{Digest, EntryKind, Fingerprint};

pub use self::again::NamedFiles;
use self::command_line::CommandLine;
pub(crate) use self::file_hashes::FileHashes;
use self::files::FingerprintedFiles;
use crate::place::DocumentPlace;
use crate::reader::DocumentReader;
use toolgate_types::Variables;

/// Files by the names they were given.
pub(crate) type FileDigests = BTreeMap<String, Digest>;

/// What a look at an entry found.
#[derive(Debug, Default)]
pub(crate) struct EntryLook {
    pub(crate) files: FileDigests,
    /// What can change without anybody noticing, in sentences for the person who decides.
    pub(crate) unwatched: Vec<String>,
}

/// Whether the files that entries name are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileLook {
    EachEntry,
    /// Fingerprints are of the words alone, and nothing is said of what can change behind them.
    None,
}

/// Where an entry runs, and whose files count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryScene<'a> {
    /// The project's folder: what lies outside of it is not its word.
    pub(crate) root: &'a Path,
    /// The folder that the entry's relative paths start from.
    pub(crate) workspace: &'a Path,
    pub(crate) variables: &'a Variables,
    /// What was read in this look already.
    pub(crate) hashes: &'a FileHashes,
    pub(crate) look: FileLook,
}

pub(crate) fn of_entry(
    reader: &DocumentReader<'_>,
    kind: EntryKind,
    id: &str,
    place: &DocumentPlace<'_>,
    files: FileDigests,
) -> Fingerprint {
    let mut hash = Sha256::new();
    let written = place.node.to_json(true);
    let expand = if reader.expand { "expanded" } else { "literal" };
    for part in [kind.as_str(), id, reader.shape.as_str(), expand, &written] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    Fingerprint { entry: Digest(hash.finalize().into()), files }
}

pub(crate) fn look_at_server(scene: EntryScene<'_>, server: &Server) -> EntryLook {
    let Some(mut files) = scene.files() else { return EntryLook::default() };
    let mut unwatched = Vec::new();
    match &server.transport {
        Transport::Stdio(stdio) => {
            let line = CommandLine { command: &stdio.command, args: &stdio.args, env: &stdio.env };
            let folder = match server.isolation {
                Isolation::Machine => scene.home(),
                Isolation::Workspace | Isolation::Session => scene.workspace.to_owned(),
            };
            let cwd = stdio.cwd.as_ref().map_or("", |cwd| cwd.expose());
            unwatched = line.look(&folder.join(cwd), &mut files);
            // Nobody runs the command: its packages are fixed when they are fetched.
            if let Ok(Some(_)) = PackageServer::of(stdio) {
                unwatched.clear();
            }
        }
        Transport::Remote(remote) => {
            if let Some(file) = &remote.ca_file {
                files.take(
                    file.expose(),
                    file.is_secret(),
                    &real(scene.workspace).join(file.expose()),
                );
            }
        }
        Transport::Builtin | Transport::Commands(_) => {}
    }
    EntryLook { files: files.found(), unwatched }
}

pub(crate) fn look_at_tool(scene: EntryScene<'_>, tool: &CommandTool) -> EntryLook {
    let Some(mut files) = scene.files() else { return EntryLook::default() };
    let line = CommandLine { command: &tool.command, args: &tool.args, env: &tool.env };
    let cwd = tool.cwd.as_ref().map_or("", |cwd| cwd.expose());
    let unwatched = line.look(&scene.workspace.join(cwd), &mut files);
    EntryLook { files: files.found(), unwatched }
}

impl<'a> EntryScene<'a> {
    /// The files to be looked at, if any are.
    fn files(&self) -> Option<FingerprintedFiles<'a>> {
        match self.look {
            FileLook::EachEntry => FingerprintedFiles::within(self.root, self.hashes),
            FileLook::None => None,
        }
    }

    /// Where a process runs that workspaces share.
    fn home(&self) -> PathBuf {
        let home = self.variables.get("HOME").map(Path::new).filter(|home| home.is_absolute());
        home.unwrap_or(Path::new("/")).to_owned()
    }
}

/// A folder by its real name, as far as it has one.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}
