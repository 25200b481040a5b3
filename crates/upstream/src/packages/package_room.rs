//! The folders of one server's packages, for their owner alone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::package_error::PackageError;

/// How much of a digest is a folder's name.
const NAME: usize = 32;

/// Where packages of one server are.
#[derive(Debug, Clone)]
pub(super) struct PackageRoom(PathBuf);

/// Packages that were installed.
#[derive(Debug, Clone)]
pub(super) struct InstalledCode {
    pub(super) tree: PathBuf,
    /// The interpreter that they were installed for.
    pub(super) interpreter: Option<String>,
}

/// Where a server keeps what is its own.
#[derive(Debug, Clone)]
pub(super) struct ServerData {
    pub(super) home: PathBuf,
    pub(super) changes: PathBuf,
    pub(super) workspace: PathBuf,
}

impl PackageRoom {
    pub(super) fn of(folder: &Path, entry: Digest) -> Self {
        Self(folder.join(&entry.to_hex()[..NAME]))
    }

    /// Until the answer is dropped, nobody else installs here. It may take as long as somebody else takes.
    pub(super) async fn lock(&self) -> Result<File, PackageError> {
        own_folder(&self.0)?;
        let path = self.0.join("lock");
        let locked = tokio::task::spawn_blocking({
            let path = path.clone();
            move || {
                let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
                file.lock()?;
                Ok(file)
            }
        });
        let locked = locked.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        locked.map_err(PackageError::folder(path))
    }

    fn code(&self, packages: Digest) -> PathBuf {
        self.0.join("code").join(&packages.to_hex()[..NAME])
    }

    pub(super) fn installed(&self, packages: Digest) -> Option<InstalledCode> {
        let folder = self.code(packages);
        let tree = folder.join("tree");
        let interpreter = fs::read_to_string(folder.join("interpreter")).ok();
        // What it was installed for may be gone, and it with it.
        let is_usable = interpreter.as_ref().is_none_or(|path| Path::new(path).exists());
        (tree.is_dir() && is_usable).then_some(InstalledCode { tree, interpreter })
    }

    /// An empty folder to install into. Only under the lock.
    pub(super) fn begin(&self) -> Result<PathBuf, PackageError> {
        let new = self.0.join("new");
        remove(&new)?;
        own_folder(&new.join("tree"))?;
        Ok(new.join("tree"))
    }

    /// An empty home for one step. Only under the lock.
    pub(super) fn fresh_home(&self) -> Result<PathBuf, PackageError> {
        let home = self.0.join("home");
        remove(&home)?;
        own_folder(&home)?;
        Ok(home)
    }

    /// What was installed counts from now on. Only under the lock.
    pub(super) fn finish(
        &self,
        packages: Digest,
        interpreter: Option<&str>,
    ) -> Result<(), PackageError> {
        let (new, code) = (self.0.join("new"), self.code(packages));
        if let Some(path) = interpreter {
            let file = new.join("interpreter");
            fs::write(&file, path).map_err(PackageError::folder(file))?;
        }
        // What other versions left is nobody's any more.
        let all = self.0.join("code");
        remove(&all)?;
        own_folder(&all)?;
        fs::rename(&new, &code).map_err(PackageError::folder(code))?;
        remove(&self.0.join("home"))
    }

    /// What a failure left.
    pub(super) fn clear(&self) {
        for name in ["new", "home"] {
            let _ = remove(&self.0.join(name));
        }
    }

    /// Removes what was fetched; what the server wrote stays.
    pub(super) fn forget(&self) -> Result<(), PackageError> {
        self.clear();
        remove(&self.0.join("code"))
    }

    /// The server's own folders, for where it is used: two that run side by side never share them.
    /// What it changed of other packages than these is not its data.
    pub(super) fn data(
        &self,
        packages: Digest,
        used_in: &Path,
    ) -> Result<ServerData, PackageError> {
        let place = Sha256::digest(used_in.as_os_str().as_encoded_bytes());
        let place = Digest(place.into()).to_hex();
        let data = self.0.join("data").join(&place[..NAME]);
        let changes = data.join("changes").join(&packages.to_hex()[..NAME]);
        let data = ServerData {
            home: data.join("home"),
            workspace: changes.join("work"),
            changes: changes.join("upper"),
        };
        for folder in [&data.home, &data.workspace, &data.changes] {
            own_folder(folder)?;
        }
        Ok(data)
    }
}

fn own_folder(folder: &Path) -> Result<(), PackageError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(PackageError::folder(folder))
}

/// Scripts may have left folders that nobody may look into.
fn remove(folder: &Path) -> Result<(), PackageError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(PackageError::Folder { path: folder.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

pub(super) fn read(path: &Path) -> Result<String, PackageError> {
    fs::read_to_string(path).map_err(PackageError::folder(path))
}

/// A file that was not there, for its owner alone.
pub(super) fn write(path: &Path, text: &str) -> Result<(), PackageError> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(PackageError::folder(path))
}
