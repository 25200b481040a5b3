//! What differs between two states of all files: two trees, or a tree and the index.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::super::RepoRefusal;
use super::GitRepository;
use super::git_index::IndexEntry;
use super::git_objects::{ReadCommit, TreeItem};
use super::path_filter::{self, PathFilter};

/// As deep as folders may be nested in a tree; a repository could claim any depth.
const DEEPEST: usize = 128;

/// A file that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<TreeItem>,
    pub(super) new: Option<TreeItem>,
}

/// Changes by path, and how many more there are that the rules keep back.
#[derive(Debug, Default)]
pub(crate) struct ChangeList {
    pub(super) changes: Vec<FileChange>,
    pub(super) withheld: usize,
}

impl ChangeList {
    pub(super) fn push(&mut self, repository: &GitRepository<'_>, change: FileChange) {
        match path_filter::refuses(repository.root(), &change.path) {
            Some(_) => self.withheld += 1,
            None => self.changes.push(change),
        }
    }

    fn sorted(mut self) -> Self {
        self.changes.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }
}

impl GitRepository<'_> {
    /// Between two commits; `None` for the state before the first.
    pub(super) fn changes_between(
        &self,
        (old, new): (Option<&ReadCommit>, Option<&ReadCommit>),
        filter: &PathFilter,
    ) -> Result<ChangeList, RepoRefusal> {
        let folder = |commit: &ReadCommit| TreeItem { mode: 0o040_000, id: commit.tree };
        let mut found = ChangeList::default();
        let sides = (old.map(folder), new.map(folder));
        self.compare(sides, &[], filter, 0, &mut found)?;
        Ok(found.sorted())
    }

    /// Between a commit and the index.
    pub(super) fn changes_to_index(
        &self,
        old: Option<&ReadCommit>,
        index: &[IndexEntry],
        filter: &PathFilter,
    ) -> Result<ChangeList, RepoRefusal> {
        // Everything that the commit has, as changes from nothing, so that the rules and bounds of trees
        // hold; what is kept back is counted below, where it differs.
        let mut known: BTreeMap<Vec<u8>, TreeItem> = BTreeMap::new();
        if let Some(old) = old {
            self.flatten(old.tree, &[], filter, 0, &mut known)?;
        }
        let mut found = ChangeList::default();
        for entry in index.iter().filter(|entry| filter.takes(&entry.path)) {
            let old = known.remove(&entry.path);
            let is_folder = entry.item.is_folder();
            if entry.stage == 0 && !is_folder && old != Some(entry.item) {
                let change = FileChange { path: entry.path.clone(), old, new: Some(entry.item) };
                found.push(self, change);
            }
            if is_folder {
                // A folder that a sparse checkout leaves out is as it was committed.
                let inside = entry.path.as_slice();
                known.retain(|path, _| !path.starts_with(inside));
            }
        }
        for (path, old) in known {
            found.push(self, FileChange { path, old: Some(old), new: None });
        }
        Ok(found.sorted())
    }

    fn flatten(
        &self,
        tree: gix_hash::ObjectId,
        path: &[u8],
        filter: &PathFilter,
        depth: usize,
        known: &mut BTreeMap<Vec<u8>, TreeItem>,
    ) -> Result<(), RepoRefusal> {
        if depth > DEEPEST || known.len() > self.bounds().entries {
            return Err(RepoRefusal::Late);
        }
        for (name, item) in self.objects.tree(tree)? {
            let path = join(path, &name);
            if item.is_folder() {
                if filter.enters(&path) {
                    self.flatten(item.id, &path, filter, depth + 1, known)?;
                }
            } else if filter.takes(&path) {
                known.insert(path, item);
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        (old, new): (Option<TreeItem>, Option<TreeItem>),
        path: &[u8],
        filter: &PathFilter,
        depth: usize,
        found: &mut ChangeList,
    ) -> Result<(), RepoRefusal> {
        if depth > DEEPEST || found.changes.len() > self.bounds().entries {
            return Err(RepoRefusal::Late);
        }
        let items = |side: Option<TreeItem>| match side {
            Some(item) => self.objects.tree(item.id),
            None => Ok(Vec::new()),
        };
        // By plain names: Git's own order puts a folder after a file whose name is longer.
        let mut sides = [items(old)?, items(new)?];
        sides.iter_mut().for_each(|side| side.sort_by(|(a, _), (b, _)| a.cmp(b)));
        let [old, new] = sides.map(|side| side.into_iter().peekable());
        let (mut old, mut new) = (old, new);
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            let Some(name) = before.as_ref().or(after.as_ref()).map(|(name, _)| name.clone())
            else {
                return Ok(());
            };
            let sides = (before.map(|(_, item)| item), after.map(|(_, item)| item));
            if sides.0 != sides.1 {
                self.differ(sides, join(path, &name), filter, depth, found)?;
            }
        }
    }

    /// One name that differs: a folder on a side is gone into, and a file on a side is a change.
    fn differ(
        &self,
        (old, new): (Option<TreeItem>, Option<TreeItem>),
        path: Vec<u8>,
        filter: &PathFilter,
        depth: usize,
        found: &mut ChangeList,
    ) -> Result<(), RepoRefusal> {
        let folders = (old.filter(|it| it.is_folder()), new.filter(|it| it.is_folder()));
        let files = (old.filter(|it| !it.is_folder()), new.filter(|it| !it.is_folder()));
        if (folders.0.is_some() || folders.1.is_some()) && filter.enters(&path) {
            self.compare(folders, &path, filter, depth + 1, found)?;
        }
        if (files.0.is_some() || files.1.is_some()) && filter.takes(&path) {
            found.push(self, FileChange { path, old: files.0, new: files.1 });
        }
        Ok(())
    }
}

fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    match path.is_empty() {
        true => name.to_vec(),
        false => [path, b"/", name].concat(),
    }
}
