//! The folder that is served, and the way from a path that somebody wrote to what is open.
//!
//! A path is walked name by name through open folders. Links are read and followed by us, so each
//! real name passes the rules and no step leads above the folder.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use super::open_beneath::{self, DirEntryKind};
use super::private::{OWN, PrivateFiles, PrivateNow, PrivatePlaces};
use super::{RepoRefusal, rules};

const LONGEST: usize = 4096;
const MOST_LINKS: usize = 16;
/// Each level holds a descriptor.
const DEEPEST: usize = 64;

#[derive(Debug)]
pub(crate) struct ServedFolder {
    given: PathBuf,
    real: PathBuf,
    private: Arc<PrivateFiles>,
}

/// Something in the folder, open.
#[derive(Debug)]
pub(crate) struct OpenedEntry {
    /// The folders from the served one down, all open.
    pub(crate) folders: Vec<OwnedFd>,
    /// The real names from there, without a link among them.
    pub(crate) names: Vec<OsString>,
    /// `None` where the last of the folders is what was found.
    pub(crate) file: Option<File>,
    /// What is private on the way on from here.
    pub(crate) private: PrivateNow,
}

impl OpenedEntry {
    /// Relative to the folder that is served.
    pub(crate) fn path(&self) -> PathBuf {
        self.names.iter().collect()
    }
}

impl ServedFolder {
    pub(crate) fn new(given: PathBuf, places: PrivatePlaces) -> Self {
        let given = std::path::absolute(&given).unwrap_or(given);
        let real = given.canonicalize().unwrap_or_else(|_| given.clone());
        Self { given, real, private: Arc::new(PrivateFiles::new(places)) }
    }

    /// The folder by its real name.
    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// The part of a caller's path that is meant from the folder.
    fn asked<'a>(&self, path: &'a str) -> Result<&'a Path, RepoRefusal> {
        let no_path = |why| RepoRefusal::Path { path: shorten(path), why };
        if path.len() > LONGEST {
            return Err(no_path("it is too long"));
        }
        if path.contains('\0') {
            return Err(no_path("it holds a zero byte"));
        }
        let inside = self.inside(Path::new(path));
        let inside = inside.ok_or_else(|| RepoRefusal::Outside(path.to_owned()))?;
        self.is_served(path)?;
        Ok(inside)
    }

    /// A caller's path by its names alone, relative to the folder, for what need not be on the disk.
    pub(crate) fn name_path(&self, path: &str) -> Result<Vec<u8>, RepoRefusal> {
        let mut names: Vec<OsString> = Vec::new();
        for name in split(self.asked(path)?) {
            if name != ".." {
                names.push(name);
                let so_far: PathBuf = names.iter().collect();
                // What is passed through on the way back out counts as well.
                if let Some(why) = rules::refuses_place_at(&self.real.join(so_far)) {
                    return Err(RepoRefusal::Rule { path: path.to_owned(), why });
                }
            } else if names.pop().is_none() {
                return Err(RepoRefusal::Outside(path.to_owned()));
            }
        }
        Ok(names.join(OsStr::new("/")).into_encoded_bytes())
    }

    /// Opens what a caller's path means: relative to the folder, or absolute and below it.
    pub(crate) fn find(&self, path: &str) -> Result<OpenedEntry, RepoRefusal> {
        let no_path = |why| RepoRefusal::Path { path: shorten(path), why };
        let inside = self.asked(path)?;
        let mut way = OpenedPath {
            asked: path,
            root: &self.real,
            private: self.private.now(),
            folders: vec![self.open()?],
            names: Vec::new(),
            ahead: split(inside).collect(),
        };
        let mut links = 0;
        while let Some(name) = way.ahead.pop_front() {
            match way.step(&name)? {
                FolderStep::On => {}
                FolderStep::File(file) => return Ok(way.end(Some(file))),
                FolderStep::Link(target) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(no_path("it leads through too many links"));
                    }
                    way.follow(self, &target)?;
                }
            }
        }
        Ok(way.end(None))
    }

    /// What is private while one call runs.
    pub(crate) fn private_now(&self) -> PrivateNow {
        self.private.now()
    }

    /// A folder inside a private one is as private.
    fn is_served(&self, path: &str) -> Result<(), RepoRefusal> {
        let own = self.private.holds(&self.real).then_some(OWN);
        match own.or_else(|| rules::refuses_root(&self.real)) {
            Some(why) => Err(RepoRefusal::Rule { path: path.to_owned(), why }),
            None => Ok(()),
        }
    }

    /// By names, not by letters: `/a/root-evil` is not below `/a/root`.
    fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        if path.is_relative() {
            return Some(path);
        }
        path.strip_prefix(&self.real).or_else(|_| path.strip_prefix(&self.given)).ok()
    }

    /// Anew for each call, so that a folder that was made again is served again.
    fn open(&self) -> Result<OwnedFd, RepoRefusal> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        open(&self.real, flags, Mode::empty())
            .map_err(|error| RepoRefusal::Folder(error.desc().to_owned()))
    }
}

struct OpenedPath<'a> {
    asked: &'a str,
    root: &'a Path,
    private: PrivateNow,
    folders: Vec<OwnedFd>,
    names: Vec<OsString>,
    ahead: VecDeque<OsString>,
}

enum FolderStep {
    On,
    File(File),
    Link(OsString),
}

impl OpenedPath<'_> {
    fn end(self, file: Option<File>) -> OpenedEntry {
        let Self { folders, names, private, .. } = self;
        OpenedEntry { folders, names, file, private }
    }

    fn step(&mut self, name: &OsStr) -> Result<FolderStep, RepoRefusal> {
        if name == ".." {
            // We go back to the folder that we came through. What the disk has there now may lie
            // elsewhere.
            if self.names.pop().is_none() {
                return Err(RepoRefusal::Outside(self.asked.to_owned()));
            }
            self.folders.pop();
            return Ok(FolderStep::On);
        }
        let path: PathBuf = std::iter::once(self.root.as_os_str())
            .chain(self.names.iter().map(OsString::as_os_str))
            .chain([name])
            .collect();
        self.obey(rules::refuses_place_at(&path))?;
        let Some(here) = self.folders.last() else {
            return Err(RepoRefusal::Outside(self.asked.to_owned()));
        };
        match open_beneath::kind(here, name).map_err(|error| self.failed(error))? {
            DirEntryKind::Folder => {
                let folder =
                    open_beneath::folder(here, name).map_err(|error| self.failed(error))?;
                let stat = open_beneath::stat_open(&folder).map_err(|error| self.failed(error))?;
                self.obey(self.private.refuses_folder(&stat))?;
                if self.folders.len() == DEEPEST {
                    let why = "it is nested too deeply";
                    return Err(RepoRefusal::Path { path: self.asked.to_owned(), why });
                }
                self.folders.push(folder);
                self.names.push(name.to_owned());
                Ok(FolderStep::On)
            }
            DirEntryKind::Link => {
                self.obey(rules::refuses_file_at(&path))?;
                let target = open_beneath::link(here, name).map_err(|error| self.failed(error))?;
                Ok(FolderStep::Link(target))
            }
            DirEntryKind::File => {
                self.obey(rules::refuses_file_at(&path))?;
                if !self.ahead.is_empty() {
                    return Err(RepoRefusal::Absent(self.asked.to_owned()));
                }
                let file = open_beneath::file(here, name).map_err(|error| self.failed(error))?;
                let file = file.ok_or_else(|| RepoRefusal::Changed(self.asked.to_owned()))?;
                let stat = open_beneath::stat_open(&file).map_err(|error| self.failed(error))?;
                self.obey(self.private.refuses_file(&stat))?;
                self.names.push(name.to_owned());
                Ok(FolderStep::File(file))
            }
            DirEntryKind::Special => {
                let what = "a pipe, a socket or a device";
                Err(RepoRefusal::NotFile { path: self.asked.to_owned(), what })
            }
        }
    }

    /// Goes on with what a link says, from where the link stands or from the served folder.
    fn follow(&mut self, folder: &ServedFolder, target: &OsStr) -> Result<(), RepoRefusal> {
        let target = Path::new(target);
        let Some(inside) = folder.inside(target) else {
            return Err(RepoRefusal::Outside(self.asked.to_owned()));
        };
        if target.is_absolute() {
            self.folders.truncate(1);
            self.names.clear();
        }
        for name in split(inside).rev() {
            self.ahead.push_front(name);
        }
        Ok(())
    }

    fn obey(&self, rule: Option<&'static str>) -> Result<(), RepoRefusal> {
        match rule {
            Some(why) => Err(RepoRefusal::Rule { path: self.asked.to_owned(), why }),
            None => Ok(()),
        }
    }

    fn failed(&self, error: Errno) -> RepoRefusal {
        let path = self.asked.to_owned();
        match error {
            Errno::ENOENT | Errno::ENAMETOOLONG => RepoRefusal::Absent(path),
            // It was no link, and it was a folder, a moment ago.
            error if open_beneath::is_gone(error) => RepoRefusal::Changed(path),
            _ => RepoRefusal::Unreadable { path, why: error.desc().to_owned() },
        }
    }
}

/// The names of a path, `..` among them.
fn split(path: &Path) -> std::vec::IntoIter<OsString> {
    let names = path.as_os_str().as_bytes().split(|&byte| byte == b'/');
    let names = names.filter(|name| !name.is_empty() && *name != b".");
    names.map(|name| OsStr::from_bytes(name).to_owned()).collect::<Vec<_>>().into_iter()
}

fn shorten(path: &str) -> String {
    path.chars().filter(|mark| !mark.is_control()).take(80).collect()
}
