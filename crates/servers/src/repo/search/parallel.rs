//! Searches files on several threads while one walks, and gives what one thread would have given.
//!
//! What is handed out is always the beginning of the walk, so once it holds more matches than are wanted
//! the walk can end: the first of them are among it. They are put in order afterwards.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use parking_lot::Mutex;

use super::{FileFound, FileSearcher, Search};
use crate::repo::RepoRefusal;
use crate::repo::bounds::{RepoLimit, StopSignal};
use crate::repo::folder::OpenedEntry;
use crate::repo::open_beneath::{self, DirEntryKind};
use crate::repo::private::PrivateNow;
use crate::repo::walk::{FolderWalk, WalkEnd, WalkEntry, WalkNext};
use crate::repo::{RepoBounds, ServedRepo};

/// How many threads one search has; four searches work at a time.
const MOST_THREADS: usize = 4;
/// How many files are handed over at once, from how many folders: each holds a descriptor.
const BATCH_FILES: usize = 128;
const BATCH_FOLDERS: usize = 16;
/// How many of these wait for each thread.
const AHEAD: usize = 2;

/// A file to look into.
struct FileAhead {
    folder: Arc<OwnedFd>,
    name: OsString,
    path: String,
}

/// Where something stands in the order of the walk.
type WalkPosition = (usize, usize);

/// What was found, in the order of the walk, and how the walk ended.
#[derive(Debug, Default)]
pub(super) struct SearchedFolder {
    pub(super) files: Vec<(WalkPosition, String, FileFound)>,
    pub(super) end: WalkEnd,
}

pub(super) fn search_folder(
    search: &Search,
    place: &ServedRepo,
    stop: &StopSignal,
    found: OpenedEntry,
) -> Result<SearchedFolder, RepoRefusal> {
    let served = (&place.bounds, place.folder.real());
    let walk = FolderWalk::new(served, stop, search.glob.as_deref(), None)?;
    let searcher = FileSearcher::new(search, &place.bounds)?;
    let private = place.folder.private_now();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let (hand_out, ahead) = sync_channel(threads * AHEAD);
    let (hand_in, done) = channel();
    let ahead = Mutex::new(ahead);
    let mut walked = thread::scope(|scope| {
        for _ in 0..threads {
            let (searcher, hand_in) = (searcher.clone(), hand_in.clone());
            let (ahead, private) = (&ahead, &private);
            scope.spawn(move || work(searcher, ahead, &hand_in, private, stop));
        }
        drop(hand_in);
        let mut walker = SearchWalker::new(hand_out, done, search, &place.bounds);
        let end = walk.run(found, &mut |entry| walker.meet(entry));
        walker.finish(end)
    })?;
    // A dropped call ends here.
    stop.is_due()?;
    walked.files.sort_unstable_by_key(|(position, ..)| *position);
    Ok(walked)
}

/// The side that walks.
struct SearchWalker {
    hand_out: SyncSender<(usize, Vec<FileAhead>)>,
    done: Receiver<(WalkPosition, String, FileFound)>,
    batch: Vec<FileAhead>,
    folders: usize,
    batches: usize,
    found: SearchedFolder,
    matches: usize,
    most: usize,
    bytes: usize,
    most_bytes: usize,
}

impl SearchWalker {
    fn new(
        hand_out: SyncSender<(usize, Vec<FileAhead>)>,
        done: Receiver<(WalkPosition, String, FileFound)>,
        search: &Search,
        bounds: &RepoBounds,
    ) -> Self {
        Self {
            hand_out,
            done,
            batch: Vec::new(),
            folders: 0,
            batches: 0,
            found: SearchedFolder::default(),
            matches: 0,
            most: search.most(bounds),
            bytes: 0,
            most_bytes: bounds.bytes,
        }
    }

    fn meet(&mut self, entry: &WalkEntry<'_>) -> Result<WalkNext, RepoRefusal> {
        if entry.kind != DirEntryKind::File {
            return Ok(WalkNext::More);
        }
        let path = entry.path.to_string_lossy().into_owned();
        let folder_of = |path: &str| path.rfind('/').map_or(0, |end| end + 1);
        let is_in = |last: &&FileAhead| {
            let (a, b) = (folder_of(&last.path), folder_of(&path));
            last.path.as_bytes()[..a] == path.as_bytes()[..b]
        };
        let folder = match self.batch.last().filter(is_in) {
            Some(last) => Arc::clone(&last.folder),
            None => {
                let Ok(folder) = entry.folder.try_clone_to_owned() else {
                    return Ok(WalkNext::Unread);
                };
                self.folders += 1;
                Arc::new(folder)
            }
        };
        self.batch.push(FileAhead { folder, name: entry.name.to_owned(), path });
        if self.batch.len() < BATCH_FILES && self.folders < BATCH_FOLDERS {
            return Ok(WalkNext::More);
        }
        self.flush();
        while let Ok(found) = self.done.try_recv() {
            self.take(found);
        }
        Ok(match self.matches > self.most || self.bytes > self.most_bytes {
            true => WalkNext::Enough(RepoLimit::Count),
            false => WalkNext::More,
        })
    }

    fn flush(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        // Only fails where no thread is left, and then nothing more is found.
        let _ = self.hand_out.send((self.batches, batch));
        self.batches += 1;
        self.folders = 0;
    }

    fn take(&mut self, (position, path, found): (WalkPosition, String, FileFound)) {
        self.matches += found.matches;
        self.bytes += found.bytes;
        self.found.files.push((position, path, found));
    }

    fn finish(mut self, end: Result<WalkEnd, RepoRefusal>) -> Result<SearchedFolder, RepoRefusal> {
        if end.is_ok() {
            self.flush();
        }
        let Self { hand_out, done, .. } = &mut self;
        // The threads end when there is nothing ahead, and what they found when they have ended.
        drop(std::mem::replace(hand_out, sync_channel(0).0));
        let rest: Vec<_> = done.iter().collect();
        for found in rest {
            self.take(found);
        }
        self.found.end = end?;
        Ok(self.found)
    }
}

/// The side that searches. Files in which nothing is found are not spoken of.
fn work(
    mut searcher: FileSearcher,
    ahead: &Mutex<Receiver<(usize, Vec<FileAhead>)>>,
    hand_in: &Sender<(WalkPosition, String, FileFound)>,
    private: &PrivateNow,
    stop: &StopSignal,
) {
    loop {
        // Held while waiting: whoever waits is the next to get something.
        let next = ahead.lock().recv();
        let Ok((batch, files)) = next else { return };
        for (index, FileAhead { folder, name, path }) in files.into_iter().enumerate() {
            let found = match open_beneath::file(&folder, &name) {
                Ok(Some(file)) => match open_beneath::stat_open(&file) {
                    Ok(stat) if private.refuses_file(&stat).is_none() => {
                        searcher.search(&path, &file, stop)
                    }
                    _ => continue,
                },
                // It is no file any more.
                Ok(None) => continue,
                Err(error) if open_beneath::is_gone(error) => continue,
                Err(_) => FileFound { is_unread: true, ..FileFound::default() },
            };
            let is_worth = found.matches > 0 || found.is_unread || found.limit.is_some();
            if is_worth && hand_in.send(((batch, index), path, found)).is_err() {
                return;
            }
        }
    }
}
