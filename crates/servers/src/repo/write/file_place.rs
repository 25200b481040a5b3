//! Where a file is written: its folder, open, and its name there.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::stat::{FileStat, Mode, mkdirat};

use super::{LARGEST, protected};
use crate::repo::open_beneath::{self, DirEntryKind};
use crate::repo::private::PrivateNow;
use crate::repo::{RepoRefusal, ServedRepo};

const LINK: &str = "it leads through a link, and links are not written through";
const FOLDER: &str = "it names a folder";

#[derive(Debug)]
pub(super) struct FilePlace {
    pub(super) asked: String,
    path: PathBuf,
    pub(super) folder: OwnedFd,
    pub(super) name: OsString,
    private: PrivateNow,
}

/// A file as it was when the call began.
#[derive(Debug)]
pub(super) struct FileBefore {
    pub(super) bytes: Vec<u8>,
    pub(super) stat: FileStat,
}

impl FilePlace {
    /// `makes` has folders made that are not there yet.
    pub(super) fn find(place: &ServedRepo, asked: &str, makes: bool) -> Result<Self, RepoRefusal> {
        let path = place.folder.name_path(asked)?;
        let path = PathBuf::from(OsStr::from_bytes(&path));
        let no_path = |why| RepoRefusal::Path { path: asked.to_owned(), why };
        let last = asked.rsplit('/').next().unwrap_or_default();
        let (Some(name), false) = (path.file_name(), matches!(last, "" | "." | "..")) else {
            return Err(no_path(FOLDER));
        };
        if let Some(why) = protected::refuses(place.folder.real(), &path) {
            return Err(RepoRefusal::Rule { path: asked.to_owned(), why });
        }
        let served = place.folder.find("")?;
        let root = served.folders.into_iter().next();
        let mut folder = root.ok_or_else(|| RepoRefusal::Changed(asked.to_owned()))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        for step in parent {
            folder = enter(&folder, step, makes).map_err(|error| match error {
                Errno::ENOENT => RepoRefusal::Absent(asked.to_owned()),
                Errno::ELOOP => no_path(LINK),
                Errno::ENOTDIR => no_path("a file stands where a folder should"),
                error => failed(asked, error),
            })?;
            let stat = open_beneath::stat_open(&folder).map_err(|error| failed(asked, error))?;
            if let Some(why) = served.private.refuses_folder(&stat) {
                return Err(RepoRefusal::Rule { path: asked.to_owned(), why });
            }
        }
        let (name, asked) = (name.to_owned(), asked.to_owned());
        Ok(Self { asked, folder, name, private: served.private, path })
    }

    pub(super) fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// What is there now, whole; `None` where nothing is.
    pub(super) fn read(&self) -> Result<Option<FileBefore>, RepoRefusal> {
        let no_path = |why| RepoRefusal::Path { path: self.asked.clone(), why };
        match open_beneath::kind(&self.folder, &self.name) {
            Err(Errno::ENOENT) => return Ok(None),
            Err(error) => return Err(failed(&self.asked, error)),
            Ok(DirEntryKind::File) => {}
            Ok(DirEntryKind::Link) => return Err(no_path(LINK)),
            Ok(DirEntryKind::Folder) => return Err(no_path(FOLDER)),
            Ok(DirEntryKind::Special) => {
                let what = "a pipe, a socket or a device";
                return Err(RepoRefusal::NotFile { path: self.asked.clone(), what });
            }
        }
        let changed = || RepoRefusal::Changed(self.asked.clone());
        let file = open_beneath::file(&self.folder, &self.name);
        let file: File = file.map_err(|_| changed())?.ok_or_else(changed)?;
        let stat = open_beneath::stat_open(&file).map_err(|_| changed())?;
        if let Some(why) = self.private.refuses_file(&stat) {
            return Err(RepoRefusal::Rule { path: self.asked.clone(), why });
        }
        if stat.st_mode & 0o200 == 0 {
            return Err(no_path("the file is for reading only"));
        }
        let mut bytes = Vec::new();
        let read = file.take(LARGEST as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| RepoRefusal::Unreadable {
            path: self.asked.clone(),
            why: error.kind().to_string(),
        })?;
        if bytes.len() > LARGEST {
            return Err(no_path("the file is too large to be changed here"));
        }
        Ok(Some(FileBefore { bytes, stat }))
    }
}

fn enter(folder: &OwnedFd, name: &OsStr, makes: bool) -> Result<OwnedFd, Errno> {
    if makes && open_beneath::stat(folder, name) == Err(Errno::ENOENT) {
        match mkdirat(folder, name, Mode::from_bits_truncate(0o777)) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    open_beneath::folder(folder, name).map_err(|error| {
        // A link where a folder is wanted is told as "not a folder".
        match open_beneath::kind(folder, name) {
            Ok(DirEntryKind::Link) => Errno::ELOOP,
            _ => error,
        }
    })
}

pub(super) fn failed(asked: &str, error: Errno) -> RepoRefusal {
    RepoRefusal::Unwritten { path: asked.to_owned(), why: error.desc().to_owned() }
}
