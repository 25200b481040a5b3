//! The pages of the folders, as they are now.

use std::io::Read as _;

use super::ServedDocs;
use super::docs_places::DocsPlace;
use super::sections::PageKind;
use crate::repo::RepoRefusal;
use crate::repo::bounds::{RepoLimit, StopSignal};
use crate::repo::folder::OpenedEntry;
use crate::repo::open_beneath::{self, DirEntryKind};
use crate::repo::walk::{FolderWalk, WalkEntry, WalkNext};

/// What builds and package managers leave behind; often ignored, not always.
const LEFT_BEHIND: [&str; 4] = ["target", "node_modules", ".venv", "__pycache__"];

/// A page, and by what a change of it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenPage {
    /// In which of the folders it lies.
    pub(super) place: usize,
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

/// How a walk through all folders ended.
#[derive(Debug, Default)]
pub(super) struct WalkedPages {
    /// Why it is not all.
    pub(super) limit: Option<RepoLimit>,
    /// Which of the further folders are not there, or not for us.
    pub(super) unopened: Vec<String>,
}

impl ServedDocs {
    /// Visits each page, folder by folder and in order of paths there, with a way to its text.
    pub(super) fn pages(
        &self,
        stop: &StopSignal,
        visit: &mut dyn FnMut(SeenPage, &WalkEntry<'_>) -> bool,
    ) -> Result<WalkedPages, RepoRefusal> {
        let mut walked = WalkedPages::default();
        for (index, place) in self.places.each() {
            let found = match place.open() {
                Err(_) if index > 0 => {
                    walked.unopened.push(place.label.clone());
                    continue;
                }
                found => found?,
            };
            walked.limit = self.pages_of((index, place), found, stop, visit)?;
            if walked.limit.is_some() {
                break;
            }
        }
        Ok(walked)
    }

    fn pages_of(
        &self,
        (index, place): (usize, &DocsPlace),
        found: OpenedEntry,
        stop: &StopSignal,
        visit: &mut dyn FnMut(SeenPage, &WalkEntry<'_>) -> bool,
    ) -> Result<Option<RepoLimit>, RepoRefusal> {
        let walk = FolderWalk::new((&self.walk, place.folder.real()), stop, None, None)?;
        let end = walk.run(found, &mut |entry| {
            let name = entry.name.to_string_lossy();
            let kind = PageKind::of(&name).filter(|_| entry.kind == DirEntryKind::File);
            let path = entry.path.to_str();
            let (Some(kind), Some(path)) = (kind, path) else { return Ok(WalkNext::More) };
            let path = place.page_path(path);
            let inside = place.inside(&path).unwrap_or(&path);
            if inside.split('/').any(|name| LEFT_BEHIND.contains(&name)) {
                return Ok(WalkNext::More);
            }
            // Of a folder that is named itself, the pages come when it is its turn.
            if self.places.place_of(&path) != index {
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
            match visit(SeenPage { place: index, path, kind, mark }, entry) {
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
