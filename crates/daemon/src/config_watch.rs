//! Sees when a file of a configuration changes: one that counts, or one that would.
//!
//! Folders are watched and not files, since editors put a new file in the place of the old one. What
//! comes within a moment is one change.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use toolgate_assembly::WorkspaceContext;
use toolgate_config::PROJECT_FILES;
use toolgate_types::LOCK_FILE;

use crate::lock;

/// How long a folder has to be quiet.
const QUIET: Duration = Duration::from_millis(150);

/// However busy a folder is, what changed counts after this.
const AT_MOST: Duration = Duration::from_secs(2);

/// Watches folders.
pub(crate) struct ConfigWatch {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    changes: mpsc::UnboundedReceiver<PathBuf>,
    heeded: Arc<Mutex<HeededChanges>>,
}

/// Which changes are told. A folder is full of files that change all the time and are no business of
/// ours: nobody is woken for them.
#[derive(Default)]
struct HeededChanges {
    named: Vec<PathBuf>,
    /// A folder that is to be watched is not there yet; any change may be that it came.
    everything: bool,
}

impl ConfigWatch {
    pub(crate) fn begin() -> Self {
        let (found, changes) = mpsc::unbounded_channel();
        let heeded: Arc<Mutex<HeededChanges>> = Arc::default();
        let heed = Arc::clone(&heeded);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if event.kind.is_access() {
                return;
            }
            // Events that were lost may have been about anything.
            let lost = event.need_rescan().then(PathBuf::new);
            let heeded = lock(&heed);
            let told = |path: &PathBuf| heeded.everything || matters(path, &heeded.named);
            for path in event.paths.into_iter().filter(told).chain(lost) {
                let _ = found.send(path);
            }
        });
        let watcher = watcher
            .inspect_err(|error| {
                tracing::warn!(target: "toolgate", %error, "changed files are not noticed");
            })
            .ok();
        Self { watcher, watched: BTreeSet::new(), changes, heeded }
    }

    /// Watches these folders, for these files, and no others; those that were not watched before.
    pub(crate) fn watch(
        &mut self,
        folders: BTreeSet<PathBuf>,
        named: &[PathBuf],
    ) -> BTreeSet<PathBuf> {
        let mut begun = BTreeSet::new();
        // Before anything can change there that is not heeded.
        *lock(&self.heeded) = HeededChanges { named: named.to_vec(), everything: true };
        let Some(watcher) = &mut self.watcher else { return begun };
        for gone in self.watched.difference(&folders) {
            let _ = watcher.unwatch(gone);
        }
        let new: Vec<_> = folders.difference(&self.watched).cloned().collect();
        self.watched.retain(|folder| folders.contains(folder));
        for folder in new {
            // One that is not there yet is tried again with the next change around it.
            if watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok() {
                self.watched.insert(folder.clone());
                begun.insert(folder);
            }
        }
        lock(&self.heeded).everything = self.watched.len() < folders.len();
        begun
    }

    /// Waits for a change, and for the quiet after it; what changed.
    pub(crate) async fn changed(&mut self) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::new();
        match self.changes.recv().await {
            Some(path) => all.insert(path),
            // Nothing will ever be noticed.
            None => std::future::pending().await,
        };
        let gathering = async {
            while let Ok(Some(path)) = tokio::time::timeout(QUIET, self.changes.recv()).await {
                all.insert(path);
            }
        };
        let _ = tokio::time::timeout(AT_MOST, gathering).await;
        all
    }
}

/// The folders in which something can change what counts in a context.
pub(crate) fn folders(context: &WorkspaceContext, named: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut folders: BTreeSet<_> =
        named.iter().filter_map(|file| file.parent()).map(Path::to_owned).collect();
    if context.options.path.is_none() {
        let home = context.options.env.get("HOME").map(PathBuf::from);
        let above =
            context.folder.ancestors().take_while(|folder| home.as_deref() != Some(*folder));
        for folder in above {
            let within = PROJECT_FILES
                .iter()
                .filter_map(|name| folder.join(name).parent().map(Path::to_owned));
            folders.extend(within.filter(|folder| folder.is_dir()));
        }
    }
    folders
}

/// Whether a file that may matter was changed since; what is about as old as that counts too, since
/// file systems do not count finer.
pub(crate) fn touched(folders: &BTreeSet<PathBuf>, named: &[PathBuf], since: SystemTime) -> bool {
    let since = since.checked_sub(QUIET).unwrap_or(since);
    let known = folders.iter().flat_map(|folder| {
        let names = PROJECT_FILES.iter().copied().chain([LOCK_FILE]);
        names.map(|name| folder.join(Path::new(name).file_name().unwrap_or_default()))
    });
    let is_newer = |path: &Path| {
        let changed = path.symlink_metadata().and_then(|metadata| metadata.modified());
        changed.is_ok_and(|changed| changed >= since)
    };
    known.chain(named.iter().cloned()).any(|path| is_newer(&path))
}

/// Whether a changed path may matter to a configuration; others are in the same folders. An empty
/// one stands for changes that were not told, which may be any.
pub(crate) fn matters(path: &Path, named: &[PathBuf]) -> bool {
    let is_named = |file: &PathBuf| file == path || file.file_name() == path.file_name();
    path.as_os_str().is_empty()
        || named.iter().any(is_named)
        || path.ends_with(LOCK_FILE)
        || PROJECT_FILES.iter().any(|name| path.ends_with(name))
        // A folder of ours that came or went with its file.
        || PROJECT_FILES.iter().filter_map(|name| Path::new(name).parent()).any(|folder| {
            !folder.as_os_str().is_empty() && path.ends_with(folder)
        })
}
