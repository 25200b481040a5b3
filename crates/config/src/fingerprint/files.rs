//! The files of a project that count, each by its digest. Which those are is for others to say.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

/// What is larger is not read each time somebody looks at a configuration.
const LARGEST: u64 = 256 << 20;

pub(super) struct Files {
    root: PathBuf,
    found: BTreeMap<String, Digest>,
}

impl Files {
    /// `None` where there is no such folder.
    pub(super) fn within(root: &Path) -> Option<Self> {
        Some(Self { root: root.canonicalize().ok()?, found: BTreeMap::new() })
    }

    pub(super) fn found(self) -> BTreeMap<String, Digest> {
        self.found
    }

    /// Lets a file count that is the project's, by the name it was given; where that name is a
    /// secret, by its place in the project.
    pub(super) fn take(&mut self, name: &str, is_secret: bool, path: &Path) {
        let Some(digest) = self.digest(path) else { return };
        let place = path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy();
        let name = if is_secret { &*place } else { name };
        match self.found.get_mut(name) {
            // Two names may look alike; neither file hides behind the other.
            Some(known) if *known != digest => *known = both(*known, digest),
            Some(_) => {}
            None => drop(self.found.insert(name.to_owned(), digest)),
        }
    }

    pub(super) fn has_folder(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| real.starts_with(&self.root) && real.is_dir())
    }

    pub(super) fn has_file(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| real.starts_with(&self.root) && real.is_file())
    }

    fn digest(&self, path: &Path) -> Option<Digest> {
        let real = path.canonicalize().ok()?;
        if !real.starts_with(&self.root) {
            // A link in the project is the project's word; what it leads to is not.
            let leaves_by_link = path.starts_with(&self.root) && without_dots(path) != real;
            let leads_to = real.as_os_str().as_encoded_bytes();
            return leaves_by_link.then(|| Digest(Sha256::digest(leads_to).into()));
        }
        let metadata = real.metadata().ok().filter(Metadata::is_file)?;
        match metadata.len() <= LARGEST {
            true => content(&real).or_else(|_| io::Result::Ok(change(&metadata))).ok(),
            false => Some(change(&metadata)),
        }
    }
}

fn content(real: &Path) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(real)?, &mut HashWriter(&mut hash))?;
    Ok(Digest(hash.finalize().into()))
}

/// A file that is not read is known by its last change; no owner can set the time of that.
fn change(metadata: &Metadata) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"last change");
    for number in [metadata.dev(), metadata.ino(), metadata.len()] {
        hash.update(number.to_le_bytes());
    }
    for number in [metadata.ctime(), metadata.ctime_nsec()] {
        hash.update(number.to_le_bytes());
    }
    Digest(hash.finalize().into())
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
