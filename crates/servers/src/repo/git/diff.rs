//! `git_diff`: what changed on the disk, in the index, or between two commits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::super::bounds::{RepoLimit, StopSignal};
use super::super::{RepoRefusal, RepoToolRun, ServedRepo};
use super::path_filter::{self, PathFilter};
use super::shown_patch::ShownPatch;
use super::tree_changes::FileChange;
use super::work_files::{WorkFile, WorkFiles};
use super::{ChangedFile, GitRepository, joined, withheld_hint};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

const USUAL_CONTEXT: usize = 3;
const MOST_CONTEXT: usize = 20;

/// Shows differences.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiff {
    /// The older of two commits; goes together with `to`.
    pub from: Option<String>,
    /// The newer of two commits. Without `from` and `to`, files on the disk are compared with the index.
    pub to: Option<String>,
    /// Compares the index with the last commit: what is staged.
    #[serde(default)]
    pub staged: bool,
    /// Only these files or folders, relative to the served folder.
    #[serde(default)]
    pub paths: Vec<String>,
    /// How many lines to show around a change; 3 if left out, 20 at most.
    #[schemars(range(max = 20))]
    pub context: Option<usize>,
}

/// Differences.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitDiffed {
    /// Every file that differs.
    pub files: Vec<ChangedFile>,
    /// A unified diff.
    pub patch: String,
    /// The list or the patch does not hold everything.
    pub truncated: bool,
    /// How many files are left out because they usually hold secrets.
    pub withheld: usize,
    /// What is missing, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BuiltinTool for GitDiff {
    const OFFER: OfferedTool = OfferedTool {
        name: "git_diff",
        title: "Show differences",
        description: "Shows what differs, as a unified diff: files on the disk against the index, the \
                      index against the last commit (`staged`), or two commits (`from` and `to`). No \
                      filter, textconv or external diff is run; renames are shown as a file that went \
                      and one that came.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = GitDiffed;
}

impl RepoToolRun for GitDiff {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<GitDiffed, RepoRefusal> {
        let refuse = |why: &str| Err(RepoRefusal::Arguments(why.to_owned()));
        let commits = match (&self.from, &self.to, self.staged) {
            (None, None, _) => None,
            (Some(from), Some(to), false) => Some((from, to)),
            (Some(_), Some(_), true) => return refuse("`staged` does not go with `from` and `to`"),
            _ => return refuse("`from` and `to` go together"),
        };
        let filter = PathFilter::new(place, &self.paths)?;
        let context = self.context.unwrap_or(USUAL_CONTEXT).min(MOST_CONTEXT);
        GitRepository::with(place, stop, |repository| {
            let list = match commits {
                Some((from, to)) => {
                    let (from, to) = (repository.commit_at(from)?, repository.commit_at(to)?);
                    repository.changes_between((Some(&from), Some(&to)), &filter)?
                }
                None if self.staged => {
                    let head = repository.head_commit()?;
                    repository.changes_to_index(head.as_ref(), &repository.index()?, &filter)?
                }
                None => return on_disk(repository, &filter, context),
            };
            let mut patch = ShownPatch::default();
            for change in &list.changes {
                if !patch.push(repository, change, None, context)? {
                    break;
                }
            }
            Ok(diffed(patch, list.withheld, 0))
        })
    }
}

/// The disk against the index.
fn on_disk(
    repository: &GitRepository<'_>,
    filter: &PathFilter,
    context: usize,
) -> Result<GitDiffed, RepoRefusal> {
    let mut work = WorkFiles::open(repository)?;
    let mut patch = ShownPatch::default();
    let (mut withheld, mut unread) = (0, 0);
    for entry in repository.index()? {
        let is_wanted = filter.takes(&entry.path) && entry.stage == 0 && !entry.item.is_folder();
        if !is_wanted || entry.is_unwatched {
            continue;
        }
        let is_secret = path_filter::refuses(repository.root(), &entry.path).is_some();
        let change = |new| FileChange { path: entry.path.clone(), old: Some(entry.item), new };
        let goes_on = match work.compare(&entry) {
            Ok(WorkFile::Same) => true,
            // That it differs is all that is said, and not by its name.
            Ok(_) if is_secret => {
                withheld += 1;
                true
            }
            Ok(WorkFile::Unread) => {
                unread += 1;
                true
            }
            Ok(WorkFile::Gone) => patch.push(repository, &change(None), None, context)?,
            Ok(WorkFile::Changed(contents)) => {
                // Only its mode counts: what it holds is at hand.
                let new = super::git_objects::TreeItem { mode: contents.mode, ..entry.item };
                patch.push(repository, &change(Some(new)), Some(&contents), context)?
            }
            Err(RepoRefusal::Late) => {
                patch.limit = Some(RepoLimit::Time);
                false
            }
            Err(other) => return Err(other),
        };
        if !goes_on {
            break;
        }
    }
    Ok(diffed(patch, withheld, unread))
}

fn diffed(patch: ShownPatch, withheld: usize, unread: usize) -> GitDiffed {
    let missing = patch.limit.map(hint);
    let unread = (unread > 0).then(|| format!("{unread} could not be read and were passed over."));
    let too_large = patch.files.iter().any(|file| file.cut);
    GitDiffed {
        truncated: patch.limit.is_some() || too_large,
        hint: joined([missing, unread, withheld_hint(withheld)]),
        files: patch.files,
        patch: patch.text,
        withheld,
    }
}

pub(super) fn hint(limit: RepoLimit) -> String {
    let why = match limit {
        RepoLimit::Time => "it took too long",
        RepoLimit::Count => "there are too many files",
        _ => "the patch would be too large",
    };
    format!("Some is missing, since {why}: narrow it down with `paths`.")
}

impl BuiltinToolOutput for GitDiffed {
    fn text(&self) -> Vec<String> {
        let shown = match self.files.is_empty() {
            true => "No differences.".to_owned(),
            false => format!("{}\n{}", ShownPatch::summary(&self.files), self.patch),
        };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
