//! The files of a project that count, each by its digest. Which those are is for others to say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::file_hashes::{FileHashes, FileState};

/// What is larger is not read each time somebody looks at a configuration.
const LARGEST: u64 = 256 << 20;

/// How much is read for one entry; the files beyond are known by their last change.
const MOST_BYTES: u64 = 512 << 20;

/// How many files of one folder count, all that is below it included.
const MOST_FILES: usize = 1000;

/// How many names are looked at for that.
const MOST_NAMES: usize = 20_000;

const DEEPEST: usize = 16;

/// What programs write by themselves, or what is somebody else's.
const NOT_ENTERED: [&str; 5] = ["__pycache__", ".git", ".hg", "node_modules", ".venv"];

/// A folder holds more than can be watched.
pub(super) struct TooManyFiles;

pub(super) struct FingerprintedFiles<'a> {
    root: PathBuf,
    hashes: &'a FileHashes,
    now: SystemTime,
    found: BTreeMap<String, Digest>,
    /// What counts already, whatever the name: another name of it adds nothing.
    counted: BTreeSet<PathBuf>,
    bytes: u64,
}

impl<'a> FingerprintedFiles<'a> {
    /// `None` where there is no such folder.
    pub(super) fn within(root: &Path, hashes: &'a FileHashes) -> Option<Self> {
        let root = hashes.real(root)?;
        let (found, counted) = (BTreeMap::new(), BTreeSet::new());
        Some(Self { root, hashes, now: SystemTime::now(), found, counted, bytes: 0 })
    }

    pub(super) fn found(self) -> BTreeMap<String, Digest> {
        self.found
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Lets a file count that is the project's, by the name it was given; where that name is a
    /// secret, by its place in the project.
    pub(super) fn take(&mut self, name: &str, is_secret: bool, path: &Path) {
        let Some(real) = self.hashes.real(path) else { return };
        if self.counted.contains(&real) {
            return;
        }
        let Some(digest) = self.digest(path, &real) else { return };
        if real.starts_with(&self.root) {
            self.counted.insert(real);
        }
        let place = self.place(path);
        self.count(if is_secret { &place } else { name }, digest);
    }

    /// The same by its place in the project.
    pub(super) fn take_place(&mut self, path: &Path) {
        self.take("", true, path);
    }

    /// Lets a whole folder count as one, with the wanted files below it.
    pub(super) fn take_folder(
        &mut self,
        path: &Path,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), TooManyFiles> {
        let Some(real) = self.folder(path) else { return Ok(()) };
        let below = self.below(&real, &is_wanted)?;
        if below.is_empty() {
            return Ok(());
        }
        let mut hash = Sha256::new();
        for file in below {
            let leads_to = self.hashes.real(&file);
            let Some(digest) = leads_to.and_then(|to| self.digest(&file, &to)) else { continue };
            let name = file.strip_prefix(&real).unwrap_or(&file).as_os_str().as_encoded_bytes();
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
            hash.update(digest.0);
        }
        let name = format!("{}/**", self.place(&real));
        self.count(name.trim_start_matches('/'), Digest(hash.finalize().into()));
        Ok(())
    }

    /// The real folder, if it is the project's.
    pub(super) fn folder(&self, path: &Path) -> Option<PathBuf> {
        let real = self.hashes.real(path)?;
        (real.starts_with(&self.root) && real.is_dir()).then_some(real)
    }

    /// The real file, if it is the project's.
    pub(super) fn file(&self, path: &Path) -> Option<PathBuf> {
        let real = self.hashes.real(path)?;
        (real.starts_with(&self.root) && real.is_file()).then_some(real)
    }

    /// The text of a file of the project, if it is no larger than this.
    pub(super) fn text(&self, path: &Path, largest: u64) -> Option<String> {
        let real = self.file(path)?;
        let is_small = real.metadata().is_ok_and(|found| found.len() <= largest);
        let bytes = is_small.then(|| std::fs::read(real).ok())??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Where it is, seen from the root of the project.
    pub(super) fn place(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn count(&mut self, name: &str, digest: Digest) {
        match self.found.get_mut(name) {
            // Two names may look alike; neither file hides behind the other.
            Some(known) if *known != digest => *known = both(*known, digest),
            Some(_) => {}
            None => drop(self.found.insert(name.to_owned(), digest)),
        }
    }

    /// The wanted files below a folder, in order. Links count for where they lead; in a circle of
    /// links it soon goes too deep.
    fn below(
        &self,
        folder: &Path,
        is_wanted: &impl Fn(&str) -> bool,
    ) -> Result<Vec<PathBuf>, TooManyFiles> {
        let mut found = Vec::new();
        let mut ahead = vec![(folder.to_owned(), 1)];
        let mut names = 0;
        while let Some((folder, depth)) = ahead.pop() {
            let Ok(entries) = folder.read_dir() else { continue };
            for entry in entries.filter_map(Result::ok) {
                names += 1;
                if names > MOST_NAMES || found.len() > MOST_FILES {
                    return Err(TooManyFiles);
                }
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy();
                if !path.is_dir() {
                    if is_wanted(&name) {
                        found.push(path);
                    }
                } else if self.folder(&path).is_none() {
                    // It leads out of the project: the link counts.
                    found.push(path);
                } else if !NOT_ENTERED.contains(&&*name) {
                    if depth == DEEPEST {
                        return Err(TooManyFiles);
                    }
                    ahead.push((path, depth + 1));
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    fn digest(&mut self, path: &Path, real: &Path) -> Option<Digest> {
        if !real.starts_with(&self.root) {
            // A link in the project is the project's word; what it leads to is not.
            let leaves_by_link = path.starts_with(&self.root) && without_dots(path) != real;
            let leads_to = real.as_os_str().as_encoded_bytes();
            return leaves_by_link.then(|| Digest(Sha256::digest(leads_to).into()));
        }
        let metadata = real.metadata().ok().filter(Metadata::is_file)?;
        let state = FileState::of(&metadata);
        // Counted by size and not by what is really read, so that two looks say the same.
        let bytes = self.bytes.saturating_add(metadata.len());
        if metadata.len() > LARGEST || bytes > MOST_BYTES {
            return Some(state.digest());
        }
        self.bytes = bytes;
        Some(self.hashes.content(real, self.now).unwrap_or_else(|_| state.digest()))
    }
}

fn both(one: Digest, other: Digest) -> Digest {
    let mut hash = Sha256::new();
    hash.update(one.0);
    hash.update(other.0);
    Digest(hash.finalize().into())
}

/// A path as it reads, with no link followed.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
