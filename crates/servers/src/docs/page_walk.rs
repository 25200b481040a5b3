//! The pages of the folder, as they are now.

use std::io::Read as _;

use super::ServedDocs;
use super::sections::PageKind;
use crate::repo::RepoRefusal;
use crate::repo::bounds::{RepoLimit, StopSignal};
use crate::repo::open_beneath::{self, DirEntryKind};
use crate::repo::walk::{FolderWalk, WalkEntry, WalkNext};

/// What builds and package managers leave behind; often ignored, not always.
const LEFT_BEHIND: [&str; 4] = ["target", "node_modules", ".venv", "__pycache__"];

/// A page, and by what a change of it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenPage {
    pub(super) path: String,
    pub(super) kind: PageKind,
    pub(super) mark: PageMark,
}

/// Another of these is another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageMark {
    pub(super) size: u64,
    changed: (i64, i64),
    inode: u64,
}

impl ServedDocs {
    /// Visits each page, in order of paths, with a way to its text. Says whether that is all.
    pub(super) fn pages(
        &self,
        stop: &StopSignal,
        visit: &mut dyn FnMut(SeenPage, &WalkEntry<'_>) -> bool,
    ) -> Result<Option<RepoLimit>, RepoRefusal> {
        let found = self.folder.find("")?;
        let walk = FolderWalk::new((&self.walk, self.folder.real()), stop, None, None)?;
        let end = walk.run(found, &mut |entry| {
            let name = entry.name.to_string_lossy();
            let kind = PageKind::of(&name).filter(|_| entry.kind == DirEntryKind::File);
            let path = entry.path.to_str();
            let (Some(kind), Some(path)) = (kind, path) else { return Ok(WalkNext::More) };
            if path.split('/').any(|name| LEFT_BEHIND.contains(&name)) {
                return Ok(WalkNext::More);
            }
            let Ok(stat) = open_beneath::stat(entry.folder, entry.name) else {
                return Ok(WalkNext::More);
            };
            let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
            if size > self.bounds.page_bytes || entry.private.refuses_file(&stat).is_some() {
                return Ok(WalkNext::More);
            }
            let changed = (stat.st_mtime, stat.st_mtime_nsec);
            let mark = PageMark { size, changed, inode: stat.st_ino };
            let page = SeenPage { path: path.to_owned(), kind, mark };
            match visit(page, entry) {
                true => Ok(WalkNext::More),
                false => Ok(WalkNext::Enough(RepoLimit::Count)),
            }
        })?;
        Ok(end.limit)
    }
}

/// The text of a page that was come across; nothing if it is none, or too long by now.
pub(super) fn text_of(entry: &WalkEntry<'_>, most: u64) -> Option<String> {
    let file = open_beneath::file(entry.folder, entry.name).ok().flatten()?;
    // What was opened may be another file than what was looked at.
    let stat = open_beneath::stat_open(&file).ok()?;
    if entry.private.refuses_file(&stat).is_some() {
        return None;
    }
    read_text(file, most)
}

pub(super) fn read_text(file: std::fs::File, most: u64) -> Option<String> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    let is_page = bytes.len() as u64 <= most && !bytes.contains(&0);
    is_page.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
