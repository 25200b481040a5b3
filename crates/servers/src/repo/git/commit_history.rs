//! Commits from one back to the first, newest first, and only those that changed what is asked about.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix_hash::ObjectId;

use super::super::RepoRefusal;
use super::GitRepository;
use super::git_objects::{ReadCommit, TreeItem};
use super::path_filter::PathFilter;

/// A walk under way. Nothing is read before it is asked for.
#[derive(Debug)]
pub(crate) struct CommitHistory<'a> {
    repository: &'a GitRepository<'a>,
    filter: &'a PathFilter,
    since: Option<i64>,
    ahead: BinaryHeap<(i64, ObjectId)>,
    seen: HashSet<ObjectId>,
    shallow: HashSet<ObjectId>,
    read: HashMap<ObjectId, ReadCommit>,
    /// It ended at a commit whose parents were not cloned.
    pub(super) is_cut_off: bool,
}

impl<'a> CommitHistory<'a> {
    pub(super) fn new(
        repository: &'a GitRepository<'a>,
        from: ReadCommit,
        filter: &'a PathFilter,
        since: Option<i64>,
    ) -> Result<Self, RepoRefusal> {
        let shallow = repository.folder.shallow()?.into_iter().collect();
        let mut history = Self {
            repository,
            filter,
            since,
            ahead: BinaryHeap::new(),
            seen: HashSet::new(),
            shallow,
            read: HashMap::new(),
            is_cut_off: false,
        };
        history.put(from);
        Ok(history)
    }

    /// The next commit that changed something that is wanted.
    pub(super) fn next(&mut self) -> Result<Option<ReadCommit>, RepoRefusal> {
        while let Some((_, id)) = self.ahead.pop() {
            let Some(commit) = self.read.remove(&id) else { continue };
            let mut parents = Vec::new();
            if self.shallow.contains(&id) {
                self.is_cut_off |= !commit.parents.is_empty();
            } else {
                for parent in &commit.parents {
                    parents.push(self.repository.objects.commit(*parent)?);
                }
            }
            let same = self.same_parent(&commit, &parents)?;
            let is_shown = same.is_none();
            // Where one parent already had all of it, the others tell nothing more.
            for (index, parent) in parents.into_iter().enumerate() {
                if same.is_none_or(|same| same == index) {
                    self.put(parent);
                }
            }
            if is_shown {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    fn put(&mut self, commit: ReadCommit) {
        let is_late_enough = self.since.is_none_or(|since| commit.committed >= since);
        if is_late_enough && self.seen.insert(commit.id) {
            self.ahead.push((commit.committed, commit.id));
            self.read.insert(commit.id, commit);
        }
    }

    /// Which parent has the same at all wanted paths; `None` if the commit changed them.
    fn same_parent(
        &self,
        commit: &ReadCommit,
        parents: &[ReadCommit],
    ) -> Result<Option<usize>, RepoRefusal> {
        if self.filter.wanted().is_empty() {
            return Ok(None);
        }
        let here = self.state(commit)?;
        if parents.is_empty() {
            // The first commit changed what it has. Nothing is left to follow where it has nothing.
            return Ok(here.iter().all(Option::is_none).then_some(0));
        }
        for (index, parent) in parents.iter().enumerate() {
            if self.state(parent)? == here {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn state(&self, commit: &ReadCommit) -> Result<Vec<Option<TreeItem>>, RepoRefusal> {
        let wanted = self.filter.wanted().iter();
        wanted.map(|path| self.repository.objects.at_path(commit.tree, path)).collect()
    }
}
