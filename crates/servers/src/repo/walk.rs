//! Everything below a folder, in order of names, through open folders only.
//!
//! Links are shown and never followed. What is ignored, and what the rules refuse, is not shown.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use nix::dir::{Dir, Type};

use super::bounds::{RepoLimit, StopSignal};
use super::folder::OpenedEntry;
use super::ignored::IgnoreRules;
use super::open_beneath::{self, DirEntryKind};
use super::private::PrivateNow;
use super::{RepoBounds, RepoRefusal, rules};

/// Something that was come across.
#[derive(Debug)]
pub(crate) struct WalkEntry<'a> {
    /// The folder that it is in, and its name there, to open it by.
    pub(crate) folder: BorrowedFd<'a>,
    pub(crate) name: &'a OsStr,
    /// Relative to the served folder.
    pub(crate) path: &'a Path,
    /// `Folder` only for one that is not entered, since it lies at the depth that was asked for.
    pub(crate) kind: DirEntryKind,
    pub(crate) private: &'a PrivateNow,
}

impl WalkEntry<'_> {
    /// Whether it is private by what it is, whatever its name.
    pub(crate) fn is_private(&self) -> bool {
        let Ok(stat) = open_beneath::stat(self.folder, self.name) else { return false };
        match self.kind {
            DirEntryKind::Folder => self.private.refuses_folder(&stat).is_some(),
            DirEntryKind::File => self.private.refuses_file(&stat).is_some(),
            DirEntryKind::Link | DirEntryKind::Special => false,
        }
    }
}

/// What a visitor wants next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WalkNext {
    More,
    /// The same, but this one could not be read.
    Unread,
    Enough(RepoLimit),
}

/// How a walk ended.
#[derive(Debug, Default)]
pub(crate) struct WalkEnd {
    pub(crate) limit: Option<RepoLimit>,
    /// How many files and folders could not be read.
    pub(crate) unread: usize,
}

impl WalkEnd {
    pub(crate) fn hint(&self) -> Option<String> {
        let unread = match self.unread {
            0 => None,
            1 => Some("One could not be read and was passed over.".to_owned()),
            unread => Some(format!("{unread} could not be read and were passed over.")),
        };
        let parts: Vec<String> =
            self.limit.map(RepoLimit::hint).into_iter().chain(unread).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// A name and what it is, where the file system says so by itself.
type EntryName = (OsString, Option<DirEntryKind>);

/// What is walked, and how far.
#[derive(Debug)]
pub(crate) struct FolderWalk<'a> {
    bounds: &'a RepoBounds,
    stop: &'a StopSignal,
    /// The served folder by its real name: some names are secret in some folders only.
    root: &'a Path,
    glob: Override,
    /// How much of a path leads to where the walk began; globs are meant from there.
    start: usize,
    depth: usize,
    ignored: IgnoreRules,
    seen: usize,
    end: WalkEnd,
}

impl<'a> FolderWalk<'a> {
    pub(crate) fn new(
        (bounds, root): (&'a RepoBounds, &'a Path),
        stop: &'a StopSignal,
        glob: Option<&str>,
        depth: Option<usize>,
    ) -> Result<Self, RepoRefusal> {
        let bad = |error: ignore::Error| RepoRefusal::Glob(error.to_string());
        let mut builder = OverrideBuilder::new(".");
        if let Some(glob) = glob {
            builder.add(glob).map_err(bad)?;
        }
        Ok(Self {
            bounds,
            stop,
            root,
            glob: builder.build().map_err(bad)?,
            start: 0,
            depth: depth.unwrap_or(usize::MAX),
            ignored: IgnoreRules::default(),
            seen: 0,
            end: WalkEnd::default(),
        })
    }

    /// Visits all that is below a folder that was found; says why it is not all.
    pub(crate) fn run<V>(
        mut self,
        found: OpenedEntry,
        visit: &mut V,
    ) -> Result<WalkEnd, RepoRefusal>
    where
        V: FnMut(&WalkEntry<'_>) -> Result<WalkNext, RepoRefusal>,
    {
        let mut path = PathBuf::new();
        for (folder, name) in found.folders.iter().zip(&found.names) {
            self.ignored.enter(folder, &path);
            path.push(name);
        }
        let length = path.as_os_str().len();
        self.start = if length == 0 { 0 } else { length + 1 };
        let Some(last) = found.folders.last() else { return Ok(self.end) };
        let unreadable = |error: nix::errno::Errno| RepoRefusal::Unreadable {
            path: path.display().to_string(),
            why: error.desc().to_owned(),
        };
        let folder = open_beneath::folder(last, OsStr::new(".")).map_err(unreadable)?;
        self.enter(folder, &path, 1, &found.private, visit)?;
        Ok(self.end)
    }

    /// Returns whether to go on.
    fn enter<V>(
        &mut self,
        folder: OwnedFd,
        path: &Path,
        depth: usize,
        private: &PrivateNow,
        visit: &mut V,
    ) -> Result<bool, RepoRefusal>
    where
        V: FnMut(&WalkEntry<'_>) -> Result<WalkNext, RepoRefusal>,
    {
        let Ok(mut folder) = Dir::from_fd(folder) else { return Ok(self.pass_over()) };
        let Some(names) = self.names(&mut folder)? else { return Ok(false) };
        self.ignored.enter(folder.as_fd(), path);
        let mut goes_on = true;
        for (name, kind) in names {
            goes_on = self.meet(&folder, path, (&name, kind), depth, private, visit)?;
            if !goes_on {
                break;
            }
        }
        self.ignored.leave();
        Ok(goes_on)
    }

    fn meet<V>(
        &mut self,
        folder: &Dir,
        path: &Path,
        (name, kind): (&OsStr, Option<DirEntryKind>),
        depth: usize,
        private: &PrivateNow,
        visit: &mut V,
    ) -> Result<bool, RepoRefusal>
    where
        V: FnMut(&WalkEntry<'_>) -> Result<WalkNext, RepoRefusal>,
    {
        if self.stop.is_due()? {
            return Ok(self.end_at(RepoLimit::Time));
        }
        let folder = folder.as_fd();
        // Gone again, or not for us: then it is not there.
        let Some(kind) = kind.or_else(|| open_beneath::kind(folder, name).ok()) else {
            return Ok(true);
        };
        let is_folder = kind == DirEntryKind::Folder;
        let path = path.join(name);
        let whole = self.root.join(&path);
        let rule = match is_folder {
            true => rules::refuses_place_at(&whole),
            false => rules::refuses_file_at(&whole),
        };
        if rule.is_some()
            || kind == DirEntryKind::Special
            || self.is_unwanted(&path, is_folder)
            || self.ignored.leaves_out(&path, is_folder)
        {
            return Ok(true);
        }
        if is_folder && depth < self.depth {
            if depth >= self.bounds.depth {
                self.end.limit = Some(RepoLimit::Depth);
                return Ok(true);
            }
            return match open_beneath::folder(folder, name) {
                Ok(inner) => match open_beneath::stat_open(&inner) {
                    Ok(stat) if private.refuses_folder(&stat).is_none() => {
                        self.enter(inner, &path, depth + 1, private, visit)
                    }
                    _ => Ok(true),
                },
                Err(error) if open_beneath::is_gone(error) => Ok(true),
                Err(_) => Ok(self.pass_over()),
            };
        }
        match visit(&WalkEntry { folder, name, path: &path, kind, private })? {
            WalkNext::More => Ok(true),
            WalkNext::Unread => Ok(self.pass_over()),
            WalkNext::Enough(limit) => Ok(self.end_at(limit)),
        }
    }

    /// A glob narrows and never brings back what is ignored.
    fn is_unwanted(&self, path: &Path, is_folder: bool) -> bool {
        let below = path.as_os_str().as_bytes().get(self.start..).unwrap_or_default();
        self.glob.matched(Path::new(OsStr::from_bytes(below)), is_folder).is_ignore()
    }

    /// The names in a folder, sorted; `None` if there are more than a call looks at.
    fn names(&mut self, folder: &mut Dir) -> Result<Option<Vec<EntryName>>, RepoRefusal> {
        let mut names = Vec::new();
        for entry in folder.iter() {
            let Ok(entry) = entry else { break };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            self.seen += 1;
            if self.seen > self.bounds.entries {
                self.end_at(RepoLimit::Entries);
                return Ok(None);
            }
            if self.seen.is_multiple_of(1024) && self.stop.is_due()? {
                self.end_at(RepoLimit::Time);
                return Ok(None);
            }
            names.push((name.to_owned(), entry.file_type().and_then(kind_of)));
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Some(names))
    }

    fn end_at(&mut self, limit: RepoLimit) -> bool {
        self.end.limit = Some(limit);
        false
    }

    /// What cannot be read shows nothing; the others still do.
    fn pass_over(&mut self) -> bool {
        self.end.unread += 1;
        true
    }
}

fn kind_of(kind: Type) -> Option<DirEntryKind> {
    match kind {
        Type::File => Some(DirEntryKind::File),
        Type::Directory => Some(DirEntryKind::Folder),
        Type::Symlink => Some(DirEntryKind::Link),
        Type::Fifo | Type::CharacterDevice | Type::BlockDevice | Type::Socket => {
            Some(DirEntryKind::Special)
        }
    }
}
