//! Which commit each line of a file came with.
//!
//! Lines go from commit to parent as long as the parent has them at the same path; a line that no parent
//! has is the commit's own. A file that was renamed begins with the rename.

use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};

use gix_hash::ObjectId;
use similar::DiffTag;

use super::super::RepoRefusal;
use super::super::unified_diff::{line_ops, split};
use super::GitRepository;
use super::git_objects::ReadCommit;

const TIME_FOR_ONE: Duration = Duration::from_secs(2);

/// A line by where it stands in the file as it was asked for, and where it stands in a commit's.
type LinePlaces = Vec<(usize, usize)>;

/// For each line the commit it came with; `None` where time was up before it was found.
#[derive(Debug)]
pub(crate) struct LineOrigins {
    pub(super) origins: Vec<Option<ObjectId>>,
    pub(super) commits: HashMap<ObjectId, ReadCommit>,
    pub(super) is_late: bool,
    /// Some lines are as old as what was cloned, or older.
    pub(super) is_cut_off: bool,
}

pub(super) fn find(
    repository: &GitRepository<'_>,
    from: ReadCommit,
    path: &[u8],
    lines: std::ops::Range<usize>,
    count: usize,
) -> Result<LineOrigins, RepoRefusal> {
    let mut found = LineOrigins {
        origins: vec![None; count],
        commits: HashMap::new(),
        is_late: false,
        is_cut_off: false,
    };
    let mut ahead = BinaryHeap::from([(from.committed, from.id)]);
    let mut wanted: HashMap<ObjectId, LinePlaces> = HashMap::new();
    wanted.insert(from.id, lines.map(|line| (line, line)).collect());
    found.commits.insert(from.id, from);
    let shallow = repository.folder.shallow()?;
    while let Some((_, id)) = ahead.pop() {
        let Some(places) = wanted.remove(&id) else { continue };
        let Some(commit) = found.commits.get(&id).cloned() else { continue };
        let parents = if shallow.contains(&id) { &[][..] } else { &commit.parents };
        found.is_cut_off |= parents.len() < commit.parents.len();
        let own = match hand_on(repository, &commit, parents, path, places) {
            Ok((own, handed)) => {
                for (parent, places) in handed {
                    ahead.push((parent.committed, parent.id));
                    wanted.entry(parent.id).or_default().extend(places);
                    found.commits.insert(parent.id, parent);
                }
                own
            }
            Err(RepoRefusal::Late) => {
                found.is_late = true;
                break;
            }
            Err(other) => return Err(other),
        };
        for (line, _) in own {
            if let Some(origin) = found.origins.get_mut(line) {
                *origin = Some(id);
            }
        }
    }
    Ok(found)
}

/// What stays with a commit, and what its parents had.
fn hand_on(
    repository: &GitRepository<'_>,
    commit: &ReadCommit,
    parents: &[ObjectId],
    path: &[u8],
    places: LinePlaces,
) -> Result<(LinePlaces, Vec<(ReadCommit, LinePlaces)>), RepoRefusal> {
    let here = repository.objects.at_path(commit.tree, path)?;
    let Some(here) = here else { return Ok((places, Vec::new())) };
    let mut before = Vec::new();
    for parent in parents {
        let parent = repository.objects.commit(*parent)?;
        let there = repository.objects.at_path(parent.tree, path)?;
        if there.is_some_and(|there| there.id == here.id) {
            return Ok((Vec::new(), vec![(parent, places)]));
        }
        let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
        before.extend(there.filter(|it| is_file(it.mode)).map(|there| (parent, there)));
    }
    let mut left = places;
    let mut handed = Vec::new();
    if before.is_empty() {
        return Ok((left, handed));
    }
    let text = repository.objects.blob(here.id)?;
    let lines = split(&text);
    for (parent, there) in before {
        let older = repository.objects.blob(there.id)?;
        let older = split(&older);
        let mut kept: HashMap<usize, usize> = HashMap::new();
        for op in line_ops(&older, &lines, Instant::now() + TIME_FOR_ONE) {
            if op.tag() == DiffTag::Equal {
                kept.extend(op.new_range().zip(op.old_range()));
            }
        }
        let (theirs, ours): (LinePlaces, LinePlaces) =
            left.into_iter().partition(|(_, line)| kept.contains_key(line));
        let theirs = theirs
            .into_iter()
            .filter_map(|(asked, line)| kept.get(&line).map(|older| (asked, *older)));
        handed.push((parent, theirs.collect()));
        left = ours;
    }
    Ok((left, handed))
}
