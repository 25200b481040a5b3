//! The folder `artifacts` and the files in it: written whole or not at all, for their owner alone.
//!
//! They are not brought to the disk by force: after a power cut one may be shorter than its row
//! says, and is then refused. Which file belongs to which row is the caller's to know.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::super::{file, folder};
use crate::artifact::clip;
use crate::{Artifact, ArtifactId, StoreError};

const NAME: &str = "artifacts";

/// How much of a copied file is in memory.
const PIECE: usize = 1 << 20;

/// Behind the name of a file that is not whole yet.
const PART: &str = ".part";

/// The folder of the state, and below it the one for artifacts once there is one.
#[derive(Debug)]
pub(in crate::sqlite) struct ArtifactFiles(PathBuf);

impl ArtifactFiles {
    pub(in crate::sqlite) fn below(state: &Path) -> Self {
        Self(state.into())
    }

    /// Held from the file to its row; many may hold it.
    pub(super) fn lock_to_keep(&self) -> Result<File, StoreError> {
        self.lock(File::try_lock_shared)
    }

    /// Held by one alone, in whatever process.
    pub(super) fn lock_to_sweep(&self) -> Result<File, StoreError> {
        self.lock(File::try_lock)
    }

    /// On the state's folder and not on ours: it is there before the first artifact is.
    fn lock(&self, how: fn(&File) -> Result<(), TryLockError>) -> Result<File, StoreError> {
        let state = File::open(&self.0).map_err(|error| StoreError::io(&self.0, &error))?;
        file::wait_for(&self.0, || how(&state))?;
        Ok(state)
    }

    pub(super) fn make_folder(&self) -> Result<ArtifactFolder, StoreError> {
        let path = self.0.join(NAME);
        folder::make(&path)?;
        Ok(ArtifactFolder(folder::check(&path)?))
    }

    pub(super) fn find_folder(&self) -> Result<Option<ArtifactFolder>, StoreError> {
        let path = self.0.join(NAME);
        if !folder::exists(&path)? {
            return Ok(None);
        }
        Ok(Some(ArtifactFolder(folder::check(&path)?)))
    }

    pub(super) fn read(
        &self,
        artifact: &Artifact,
        range: &Range<u64>,
    ) -> Result<Vec<u8>, StoreError> {
        let path = self.0.join(NAME).join(artifact.id.as_str());
        let is_not_it = |why| StoreError::Artifact { path: path.clone(), why };
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => is_not_it("it is gone".into()),
            io::ErrorKind::UnexpectedEof => is_not_it("it ends too early".into()),
            _ => StoreError::io(&path, &error),
        };
        let mut file = File::open(&path).map_err(failed)?;
        let (size, found) = (artifact.size, file.metadata().map_err(failed)?.len());
        if found != size {
            return Err(is_not_it(format!("it has {found} bytes and had {size}")));
        }
        let range = clip(range, size);
        // Cannot be cut: there is a file of this size, and it came out of memory.
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(usize::MAX)];
        file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
        file.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// The folder, there and ours.
#[derive(Debug)]
pub(super) struct ArtifactFolder(PathBuf);

impl ArtifactFolder {
    /// The file under its own name, which goes again unless it is told to stay.
    pub(super) fn write(&self, id: &ArtifactId, bytes: &[u8]) -> Result<Unconfirmed, StoreError> {
        let [part, whole] = [format!("{id}{PART}"), id.to_string()].map(|name| self.0.join(name));
        let written = Unconfirmed(Some(part.clone()));
        let write = || {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&part)?;
            file.write_all(bytes)?;
            fs::rename(&part, &whole)
        };
        write().map_err(|error| StoreError::io(&whole, &error))?;
        written.stays();
        Ok(Unconfirmed(Some(whole)))
    }

    /// The same with a part of another file, which passes through memory in pieces.
    pub(super) fn copy(
        &self,
        id: &ArtifactId,
        from: &File,
        part: &Range<u64>,
    ) -> Result<(Unconfirmed, u64, Digest), StoreError> {
        let [unfinished, whole] =
            [format!("{id}{PART}"), id.to_string()].map(|name| self.0.join(name));
        let written = Unconfirmed(Some(unfinished.clone()));
        let copy = || {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&unfinished)?;
            let (mut hash, mut at) = (Sha256::new(), part.start);
            let mut piece = vec![0; PIECE];
            while at < part.end {
                let left = usize::try_from(part.end - at).unwrap_or(usize::MAX);
                let piece = &mut piece[..left.min(PIECE)];
                from.read_exact_at(piece, at)?;
                hash.update(&*piece);
                file.write_all(piece)?;
                at += piece.len() as u64;
            }
            fs::rename(&unfinished, &whole)?;
            Ok(Digest(hash.finalize().into()))
        };
        let hash = copy().map_err(|error| StoreError::io(&whole, &error))?;
        written.stays();
        Ok((Unconfirmed(Some(whole)), part.end.saturating_sub(part.start), hash))
    }

    /// A file that is there for whoever has it open, and for nobody else.
    pub(super) fn open_unnamed(&self) -> Result<File, StoreError> {
        // Under a name that is swept should we end before it is taken away.
        let path = self.0.join(format!("{}{PART}", ArtifactId::random()?));
        let open = || {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create_new(true).mode(0o600).open(&path)?;
            fs::remove_file(&path)?;
            Ok(file)
        };
        open().map_err(|error| StoreError::io(&path, &error))
    }

    /// Leaves the files of these ids, and whatever is not ours.
    pub(super) fn remove_all_but(
        &self,
        ids: &BTreeSet<ArtifactId>,
    ) -> Result<SweptArtifacts, StoreError> {
        let failed = |error: io::Error| StoreError::io(&self.0, &error);
        let mut swept = SweptArtifacts::default();
        for found in fs::read_dir(&self.0).map_err(failed)? {
            let name = found.map_err(failed)?.file_name();
            let Some(name) = name.to_str() else { continue };
            let of_part = name.strip_suffix(PART);
            let Some(id) = ArtifactId::parse(of_part.unwrap_or(name)) else { continue };
            let known = ids.contains(&id);
            if known && of_part.is_none() {
                swept.kept.insert(id);
                continue;
            }
            fs::remove_file(self.0.join(name)).map_err(failed)?;
            if !known {
                swept.removed.insert(id);
            }
        }
        Ok(swept)
    }
}

#[derive(Debug, Default)]
pub(super) struct SweptArtifacts {
    pub(super) kept: BTreeSet<ArtifactId>,
    pub(super) removed: BTreeSet<ArtifactId>,
}

/// A file that goes when this value does.
#[derive(Debug)]
pub(super) struct Unconfirmed(Option<PathBuf>);

impl Unconfirmed {
    pub(super) fn stays(mut self) {
        self.0 = None;
    }
}

impl Drop for Unconfirmed {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _was_not_made_or_is_swept_later = fs::remove_file(path);
        }
    }
}
