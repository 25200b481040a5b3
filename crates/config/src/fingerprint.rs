//! What a person accepts: the entry exactly as written, and the files of the project that it names.
//!
//! Variables stay unexpanded: a rotated token is no reason to ask again.
//!
//! Named are the command; every argument, and every piece of one that could be a path (what a shell
//! is given as a script, what stands behind a `=`); what such variables hold that make a program
//! load code; a folder that Node or Python is told to run, by the files these begin with; a module
//! after `-m`; a bare command that the entry's own `PATH` finds in the project; a file of certificate
//! authorities. A link counts for where it leads.
//!
//! Not covered, and so not asked about again: what a named file loads or runs in its turn; what a
//! program looks for by itself (`package.json` of `npm start`, `node_modules` of `npx`, a `Makefile`);
//! names that are put together at run time (globs, variables, escapes); files outside the project;
//! and what changes between the look at a file and its start.

mod again;
mod files;
mod line;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_types::config::{CommandTool, Isolation, Server, Transport};
use toolgate_types::{Digest, EntryKind, Fingerprint};

pub use self::again::NamedFiles;
use self::files::Files;
use self::line::CommandLine;
use crate::expand::Variables;
use crate::place::Place;
use crate::reader::Reader;

/// Files by the names they were given.
pub(crate) type Digests = BTreeMap<String, Digest>;

/// Where an entry runs, and whose files count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The project's folder: what lies outside of it is not its word.
    pub(crate) root: &'a Path,
    /// The folder that the entry's relative paths start from.
    pub(crate) workspace: &'a Path,
    pub(crate) variables: &'a Variables,
}

pub(crate) fn of_entry(
    reader: &Reader<'_>,
    kind: EntryKind,
    id: &str,
    place: &Place<'_>,
    files: Digests,
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

pub(crate) fn files_of_server(scene: Scene<'_>, server: &Server) -> Digests {
    let Some(mut files) = Files::within(scene.root) else { return Digests::new() };
    match &server.transport {
        Transport::Stdio(stdio) => {
            let line = CommandLine { command: &stdio.command, args: &stdio.args, env: &stdio.env };
            let folder = match server.isolation {
                Isolation::Machine => scene.home(),
                Isolation::Workspace | Isolation::Session => scene.workspace.to_owned(),
            };
            let cwd = stdio.cwd.as_ref().map_or("", |cwd| cwd.expose());
            line.look(&folder.join(cwd), &mut files);
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
        Transport::Builtin => {}
    }
    files.found()
}

pub(crate) fn files_of_tool(scene: Scene<'_>, tool: &CommandTool) -> Digests {
    let Some(mut files) = Files::within(scene.root) else { return Digests::new() };
    let line = CommandLine { command: &tool.command, args: &tool.args, env: &tool.env };
    let cwd = tool.cwd.as_ref().map_or("", |cwd| cwd.expose());
    line.look(&scene.workspace.join(cwd), &mut files);
    files.found()
}

impl Scene<'_> {
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
