//! What a person accepts: the entry exactly as written, and the workspace files it names.
//!
//! Variables stay unexpanded: a rotated token is no reason to ask again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path};

use sha2::{Digest as _, Sha256};
use toolgate_types::config::{CommandTool, Stdio};
use toolgate_types::{Digest, EntryKind, Fingerprint, Text};

use crate::place::Place;
use crate::reader::Reader;

pub(crate) fn of_entry(
    reader: &Reader<'_>,
    kind: EntryKind,
    id: &str,
    place: &Place<'_>,
    files: BTreeMap<String, Digest>,
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

pub(crate) fn files_of_stdio(root: &Path, stdio: &Stdio) -> BTreeMap<String, Digest> {
    named_files(root, &stdio.command, &stdio.args, stdio.cwd.as_ref())
}

pub(crate) fn files_of_tool(root: &Path, tool: &CommandTool) -> BTreeMap<String, Digest> {
    named_files(root, &tool.command, &tool.args, tool.cwd.as_ref())
}

/// Every file inside the project that the command line names, by the name it is given there;
/// where that name is a secret, by its place in the project.
fn named_files(
    root: &Path,
    command: &Text,
    args: &[Text],
    cwd: Option<&Text>,
) -> BTreeMap<String, Digest> {
    let Ok(root) = root.canonicalize() else { return BTreeMap::new() };
    let cwd = cwd.map_or_else(|| root.clone(), |cwd| root.join(cwd.expose()));
    // A bare command is looked up in PATH, not in the working directory.
    let command = Some(command).filter(|command| command.expose().contains('/'));
    let words = command.into_iter().chain(args);
    let mut files = BTreeMap::new();
    for word in words {
        let candidates = [Some(word.expose()), word.expose().split_once('=').map(|(_, v)| v)];
        for candidate in candidates.into_iter().flatten() {
            let path = cwd.join(candidate);
            if let Some(digest) = digest_inside(&root, &path) {
                let inside = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy();
                let name = if word.is_secret() { &*inside } else { candidate };
                files.insert(name.to_owned(), digest);
            }
        }
    }
    files
}

fn digest_inside(root: &Path, path: &Path) -> Option<Digest> {
    let real = path.canonicalize().ok()?;
    if !real.is_file() {
        return None;
    }
    if !real.starts_with(root) {
        // A link in the project is the project's word; the file that it leads to is not.
        let is_link =
            path.starts_with(root) && !path.components().any(|c| c == Component::ParentDir);
        let leads_to = real.as_os_str().as_encoded_bytes();
        return is_link.then(|| Digest(Sha256::digest(leads_to).into()));
    }
    let mut file = std::fs::File::open(&real).ok()?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut HashWriter(&mut hash)).ok()?;
    Some(Digest(hash.finalize().into()))
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
