//! Files on the disk beside what the index knows of them. Each is opened through folders that are open,
//! never through a link, and read as it is: no filter is run, so what one would change reads as changed.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use gix_hash::ObjectId;
use nix::errno::Errno;
use nix::sys::stat::FileStat;

use super::super::RepoRefusal;
use super::super::open_beneath::{self, DirEntryKind};
use super::super::private::PrivateNow;
use super::GitRepository;
use super::git_index::{IndexEntry, SeenFile};
use super::git_objects::{HASH, LARGEST, TreeItem};

/// Goes from file to file with the folders in between kept open.
#[derive(Debug)]
pub(crate) struct WorkFiles<'a> {
    repository: &'a GitRepository<'a>,
    root: OwnedFd,
    private: PrivateNow,
    /// The folders on the way to the file that was looked at last.
    open: Vec<(Vec<u8>, OwnedFd)>,
    index_modified: (i64, i64),
}

/// What is on the disk where the index has a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WorkFile {
    Same,
    /// Other contents, another kind, or another mode.
    Changed(WorkContents),
    Gone,
    /// Not ours to look at: private by what it is, or too large.
    Unread,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkContents {
    pub(super) mode: u32,
    pub(super) bytes: Vec<u8>,
}

impl<'a> WorkFiles<'a> {
    pub(super) fn open(repository: &'a GitRepository<'a>) -> Result<Self, RepoRefusal> {
        let served = repository.place.folder.find("")?;
        let root = served.folders.into_iter().next();
        let root = root.ok_or_else(|| RepoRefusal::Changed(String::new()))?;
        let index_modified = repository.folder.modified("index").unwrap_or_default();
        let private = served.private;
        Ok(Self { repository, root, private, open: Vec::new(), index_modified })
    }

    pub(super) fn compare(&mut self, entry: &IndexEntry) -> Result<WorkFile, RepoRefusal> {
        if self.repository.stop.is_due()? {
            return Err(RepoRefusal::Late);
        }
        let names: Vec<&[u8]> = entry.path.split(|&byte| byte == b'/').collect();
        let Some((name, folders)) = names.split_last() else { return Ok(WorkFile::Gone) };
        if !self.enter(folders)? {
            return Ok(WorkFile::Gone);
        }
        let folder = self.open.last().map_or(&self.root, |(_, folder)| folder);
        let name = OsStr::from_bytes(name);
        let stat = match open_beneath::stat(folder, name) {
            Ok(stat) => stat,
            Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(WorkFile::Gone),
            Err(_) => return Ok(WorkFile::Unread),
        };
        let kind = open_beneath::kind(folder, name).unwrap_or(DirEntryKind::Special);
        let mode = self.mode(kind, &stat, entry.item);
        if mode == entry.item.mode && self.is_as_seen(&stat, &entry.seen) {
            return Ok(WorkFile::Same);
        }
        let bytes = match kind {
            DirEntryKind::Link => match open_beneath::link(folder, name) {
                Ok(target) => target.as_bytes().to_vec(),
                Err(_) => return Ok(WorkFile::Unread),
            },
            DirEntryKind::File => {
                let Ok(Some(file)) = open_beneath::file(folder, name) else {
                    return Ok(WorkFile::Unread);
                };
                let Ok(stat) = open_beneath::stat_open(&file) else { return Ok(WorkFile::Unread) };
                if self.private.refuses_file(&stat).is_some() || stat.st_size as u64 > LARGEST {
                    return Ok(WorkFile::Unread);
                }
                let mut bytes = Vec::new();
                if file.take(LARGEST).read_to_end(&mut bytes).is_err() {
                    return Ok(WorkFile::Unread);
                }
                bytes
            }
            // A submodule is a folder; whether it changed is its own repository's to say.
            DirEntryKind::Folder if entry.item.mode == 0o160_000 => return Ok(WorkFile::Same),
            DirEntryKind::Folder | DirEntryKind::Special => return Ok(WorkFile::Gone),
        };
        let is_same = is_blob(&bytes, entry.item.id)
            || kind == DirEntryKind::File && is_blob(&with_plain_line_ends(&bytes), entry.item.id);
        Ok(match is_same && mode == entry.item.mode {
            true => WorkFile::Same,
            false => WorkFile::Changed(WorkContents { mode, bytes }),
        })
    }

    /// Opens the folders on the way; `false` if one is none, or private, or a link.
    fn enter(&mut self, folders: &[&[u8]]) -> Result<bool, RepoRefusal> {
        let is_known = |(index, known): &(usize, &(Vec<u8>, OwnedFd))| {
            folders.get(*index).is_some_and(|name| *name == known.0)
        };
        let shared = self.open.iter().enumerate().take_while(is_known).count();
        self.open.truncate(shared);
        for name in &folders[shared..] {
            let from = self.open.last().map_or(&self.root, |(_, folder)| folder);
            let Ok(folder) = open_beneath::folder(from, OsStr::from_bytes(name)) else {
                return Ok(false);
            };
            let stat = open_beneath::stat_open(&folder);
            if !stat.is_ok_and(|stat| self.private.refuses_folder(&stat).is_none()) {
                return Ok(false);
            }
            self.open.push((name.to_vec(), folder));
        }
        Ok(true)
    }

    fn mode(&self, kind: DirEntryKind, stat: &FileStat, known: TreeItem) -> u32 {
        let is_executable = stat.st_mode & 0o100 != 0;
        let is_file = known.mode & 0o170_000 == 0o100_000;
        match kind {
            DirEntryKind::Link => 0o120_000,
            DirEntryKind::File if is_file && !self.repository.folder.settings.knows_modes => {
                known.mode
            }
            DirEntryKind::File if is_executable => 0o100_755,
            DirEntryKind::File => 0o100_644,
            DirEntryKind::Folder | DirEntryKind::Special => 0,
        }
    }

    /// Whether the file is what Git saw when it wrote the index. A file that was written as late as the
    /// index may have changed right after.
    #[allow(clippy::cast_possible_truncation, reason = "the index keeps the low half")]
    fn is_as_seen(&self, stat: &FileStat, seen: &SeenFile) -> bool {
        let modified = (stat.st_mtime as u32, stat.st_mtime_nsec as u32);
        let found = SeenFile { modified, inode: stat.st_ino as u32, size: stat.st_size as u32 };
        found == *seen && (stat.st_mtime, stat.st_mtime_nsec) < self.index_modified
    }
}

pub(super) fn is_blob(bytes: &[u8], id: ObjectId) -> bool {
    gix_object::compute_hash(HASH, gix_object::Kind::Blob, bytes).is_ok_and(|hash| hash == id)
}

/// As Git keeps a file whose line ends it translates.
fn with_plain_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\r' || rest.peek() != Some(&b'\n') {
            plain.push(byte);
        }
    }
    plain
}
