//! The `.git` folder of the served one: a real folder, of which nothing leads elsewhere.
//!
//! Names in it are opened through descriptors, never through a link. Objects are opened by path, by code
//! that follows links and alternates, so before and after it worked there must be none.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use nix::dir::{Dir, Type};
use nix::errno::Errno;

use super::super::bounds::StopSignal;
use super::super::open_beneath::{self, DirEntryKind};
use super::super::{RepoRefusal, ServedRepo};
use super::git_settings::GitSettings;

/// More than this of one file in it is not read.
const LARGEST: u64 = 256 * 1024 * 1024;

const NO_REPOSITORY: &str =
    "it has no `.git` folder of its own. Repositories above the served folder are not used";
const BARE: &str = "it is a bare repository, which has no files beside Git's own";
const GIT_LINK: &str = "`.git` is a link, and links to a repository elsewhere are not followed";
const GIT_FILE: &str = "`.git` is a file that leads to a repository elsewhere (a linked worktree or a \
                        submodule), which is not followed. Serve the main worktree instead";
const COMMON: &str =
    "its objects are those of another repository (`commondir`), which is not followed";
const INNER_LINK: &str = "something inside `.git` is a link, and links there are not followed";
const ALTERNATES: &str = "it borrows objects from another place (`objects/info/alternates`), which is \
                          not followed. `git repack -a -d` and removing that file makes it whole";
const CHANGED: &str = "`.git` changed while it was read; try again";
const BROKEN: &str = "`.git` lacks what every repository has (`HEAD` and `objects`)";

#[derive(Debug)]
pub(crate) struct GitFolder {
    folder: OwnedFd,
    pub(super) settings: GitSettings,
}

impl GitFolder {
    pub(super) fn open(place: &ServedRepo, stop: &StopSignal) -> Result<Self, RepoRefusal> {
        let served = place.folder.find("")?;
        let Some(root) = served.folders.last() else {
            return Err(RepoRefusal::Repository(NO_REPOSITORY));
        };
        let git = OsStr::new(".git");
        match open_beneath::kind(root, git) {
            Ok(DirEntryKind::Folder) => {}
            Ok(DirEntryKind::Link) => return Err(RepoRefusal::Repository(GIT_LINK)),
            Ok(DirEntryKind::File) => return Err(RepoRefusal::Repository(GIT_FILE)),
            Ok(DirEntryKind::Special) | Err(_) => {
                let has = |name: &str| open_beneath::stat(root, OsStr::new(name)).is_ok();
                let is_bare = has("HEAD") && has("objects") && has("refs");
                return Err(RepoRefusal::Repository(if is_bare { BARE } else { NO_REPOSITORY }));
            }
        }
        let folder =
            open_beneath::folder(root, git).map_err(|_| RepoRefusal::Repository(CHANGED))?;
        let stat = open_beneath::stat_open(&folder);
        let stat = stat.map_err(|_| RepoRefusal::Repository(CHANGED))?;
        if let Some(why) = served.private.refuses_folder(&stat) {
            return Err(RepoRefusal::Rule { path: ".git".to_owned(), why });
        }
        is_confined(&folder, stop)?;
        let settings = match read_file(&folder, "config")? {
            Some(bytes) => GitSettings::read(&bytes),
            None => GitSettings::default(),
        };
        if let Some(why) = settings.unusable() {
            return Err(RepoRefusal::Repository(why));
        }
        Ok(Self { folder, settings })
    }

    pub(super) fn is_still_confined(&self, stop: &StopSignal) -> Result<(), RepoRefusal> {
        is_confined(&self.folder, stop)
    }

    /// A file in it by its path, whole; `None` if there is none.
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, RepoRefusal> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut inner: Option<OwnedFd> = None;
        for folder in folders.split('/').filter(|name| !name.is_empty()) {
            let from = inner.as_ref().unwrap_or(&self.folder);
            match open_beneath::folder(from, OsStr::new(folder)) {
                Ok(opened) => inner = Some(opened),
                Err(_)
                    if open_beneath::kind(from, OsStr::new(folder)) == Ok(DirEntryKind::Link) =>
                {
                    return Err(RepoRefusal::Repository(INNER_LINK));
                }
                Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(None),
                Err(error) => return Err(unreadable(path, error.desc())),
            }
        }
        read_file(inner.as_ref().unwrap_or(&self.folder), name)
    }

    /// When a file in it was last written, in seconds and nanoseconds.
    pub(super) fn modified(&self, name: &str) -> Option<(i64, i64)> {
        let stat = open_beneath::stat(&self.folder, OsStr::new(name)).ok()?;
        Some((stat.st_mtime, stat.st_mtime_nsec))
    }
}

fn read_file(folder: impl AsFd, name: &str) -> Result<Option<Vec<u8>>, RepoRefusal> {
    let file = match open_beneath::file(folder, OsStr::new(name)) {
        Ok(Some(file)) => file,
        Ok(None) | Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(None),
        Err(Errno::ELOOP) => return Err(RepoRefusal::Repository(INNER_LINK)),
        Err(error) => return Err(unreadable(name, error.desc())),
    };
    let mut bytes = Vec::new();
    let read = file.take(LARGEST).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(name, &error.to_string()))?;
    Ok(Some(bytes))
}

fn unreadable(name: &str, why: &str) -> RepoRefusal {
    RepoRefusal::Unreadable { path: format!(".git/{name}"), why: why.to_owned() }
}

/// Whether everything that objects are read from lies in this folder.
fn is_confined(git: &OwnedFd, stop: &StopSignal) -> Result<(), RepoRefusal> {
    let has = |name: &str| open_beneath::stat(git, OsStr::new(name)).is_ok();
    if has("commondir") {
        return Err(RepoRefusal::Repository(COMMON));
    }
    if !has("HEAD") || !has("objects") {
        return Err(RepoRefusal::Repository(BROKEN));
    }
    let objects = inner_folder(git, OsStr::new("objects"))?;
    for (name, kind) in entries(&objects, stop)? {
        match kind {
            DirEntryKind::Link => return Err(RepoRefusal::Repository(INNER_LINK)),
            DirEntryKind::Folder => {}
            DirEntryKind::File | DirEntryKind::Special => continue,
        }
        let inner = inner_folder(&objects, OsStr::from_bytes(&name))?;
        for (file, kind) in entries(&inner, stop)? {
            if kind == DirEntryKind::Link {
                return Err(RepoRefusal::Repository(INNER_LINK));
            }
            // An empty one borrows nothing.
            if name == b"info" && file == b"alternates" {
                let lines = read_file(&inner, "alternates")?.unwrap_or_default();
                let mut lines = lines.split(|&byte| byte == b'\n');
                if lines.any(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#")) {
                    return Err(RepoRefusal::Repository(ALTERNATES));
                }
            }
        }
    }
    Ok(())
}

fn inner_folder(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, RepoRefusal> {
    open_beneath::folder(folder, name).map_err(|error| match error {
        Errno::ELOOP | Errno::ENOTDIR => RepoRefusal::Repository(INNER_LINK),
        Errno::ENOENT => RepoRefusal::Repository(CHANGED),
        error => unreadable(&name.to_string_lossy(), error.desc()),
    })
}

fn entries(
    folder: &OwnedFd,
    stop: &StopSignal,
) -> Result<Vec<(Vec<u8>, DirEntryKind)>, RepoRefusal> {
    let changed = |_| RepoRefusal::Repository(CHANGED);
    let again = open_beneath::folder(folder, OsStr::new(".")).map_err(changed)?;
    let mut listed = Dir::from_fd(again).map_err(changed)?;
    let mut found = Vec::new();
    for entry in listed.iter() {
        if stop.is_due()? {
            return Err(RepoRefusal::Late);
        }
        let entry = entry.map_err(changed)?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let kind = match entry.file_type() {
            Some(Type::File) => DirEntryKind::File,
            Some(Type::Directory) => DirEntryKind::Folder,
            Some(Type::Symlink) => DirEntryKind::Link,
            Some(_) => DirEntryKind::Special,
            // Gone again, as temporary files of Git's are.
            None => match open_beneath::kind(folder, OsStr::from_bytes(name)) {
                Ok(kind) => kind,
                Err(_) => continue,
            },
        };
        found.push((name.to_owned(), kind));
    }
    Ok(found)
}
