//! `git_show`: a commit with what it changed, or a file as it was then.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::super::bounds::StopSignal;
use super::super::read::LineRange;
use super::super::{RepoRefusal, RepoToolRun, ServedRepo};
use super::changed_files::is_not;
use super::git_objects::{ReadCommit, TreeItem};
use super::path_filter::{self, PathFilter, shown};
use super::shown_patch::ShownPatch;
use super::{ChangedFile, GitRepository, ShownCommit, diff, joined, withheld_hint};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};

const CONTEXT: usize = 3;

/// Shows a commit, or a file or folder in it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitShow {
    /// The commit: `HEAD`, a branch, a tag, an id, each also with `~2` behind it.
    pub revision: String,
    /// A file or folder as it was in that commit, relative to the served folder. Left out, the commit is
    /// shown with what it changed.
    pub path: Option<String>,
    /// The first line of the file to give, counted from 1.
    pub start_line: Option<NonZeroU64>,
    /// The last line of the file to give, itself included.
    pub end_line: Option<NonZeroU64>,
}

/// A commit, and either what it changed or what it has at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitShown {
    pub commit: ShownCommit,
    /// Every file that differs from the first parent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
    /// What differs from the first parent, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The text of the file that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The names in the folder that was asked for; those of folders end with a slash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<String>>,
    /// It does not hold everything.
    #[serde(skip_serializing_if = "is_not")]
    pub truncated: bool,
    /// How many files are left out because they usually hold secrets.
    pub withheld: usize,
    /// What is missing, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BuiltinTool for GitShow {
    const OFFER: OfferedTool = OfferedTool {
        name: "git_show",
        title: "Show a commit",
        description: "Shows a commit with what it changed against its first parent, or a file or folder \
                      as it was in that commit.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = GitShown;
}

impl RepoToolRun for GitShow {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<GitShown, RepoRefusal> {
        let lines = (
            self.start_line.map_or(1, NonZeroU64::get),
            self.end_line.map_or(u64::MAX, NonZeroU64::get),
        );
        if lines.1 < lines.0 {
            return Err(RepoRefusal::Range { start: lines.0, end: lines.1 });
        }
        let path = self.path.as_deref().map(|path| place.folder.name_path(path)).transpose()?;
        GitRepository::with(place, stop, |repository| {
            let commit = repository.commit_at(&self.revision)?;
            let shown = GitShown {
                commit: ShownCommit::new(&commit),
                files: Vec::new(),
                patch: None,
                text: None,
                entries: None,
                truncated: false,
                withheld: 0,
                hint: None,
            };
            let (Some(path), Some(asked)) = (path, &self.path) else {
                return changes(repository, &commit, shown);
            };
            let item = repository.objects.at_path(commit.tree, &path)?;
            let item = item.ok_or_else(|| RepoRefusal::Absent(asked.clone()))?;
            if item.is_folder() {
                return folder(repository, item, &path, shown);
            }
            if let Some(why) = path_filter::refuses(repository.root(), &path) {
                return Err(RepoRefusal::Rule { path: asked.clone(), why });
            }
            file(repository, item, asked, lines, shown)
        })
    }
}

fn changes(
    repository: &GitRepository<'_>,
    commit: &ReadCommit,
    mut shown: GitShown,
) -> Result<GitShown, RepoRefusal> {
    let parent = repository.parents(commit)?.first().copied();
    let parent = parent.map(|parent| repository.objects.commit(parent)).transpose()?;
    let filter = PathFilter::new(repository.place, &[])?;
    let list = repository.changes_between((parent.as_ref(), Some(commit)), &filter)?;
    let mut patch = ShownPatch::default();
    for change in &list.changes {
        if !patch.push(repository, change, None, CONTEXT)? {
            break;
        }
    }
    shown.truncated = patch.limit.is_some() || patch.files.iter().any(|file| file.cut);
    shown.withheld = list.withheld;
    let missing = patch.limit.map(|_| {
        "Some is missing, since it would be too large or took too long: use `git_diff` with `paths`."
            .to_owned()
    });
    shown.hint = joined([missing, withheld_hint(list.withheld)]);
    shown.files = patch.files;
    shown.patch = Some(patch.text);
    Ok(shown)
}

fn folder(
    repository: &GitRepository<'_>,
    item: TreeItem,
    path: &[u8],
    mut given: GitShown,
) -> Result<GitShown, RepoRefusal> {
    let mut entries = Vec::new();
    for (name, item) in repository.objects.tree(item.id)? {
        let whole = if path.is_empty() { name.clone() } else { [path, b"/", &name].concat() };
        if path_filter::refuses(repository.root(), &whole).is_some() {
            given.withheld += 1;
            continue;
        }
        if entries.len() == repository.bounds().files {
            given.truncated = true;
            break;
        }
        let mark = if item.is_folder() { "/" } else { "" };
        entries.push(format!("{}{mark}", shown(&name)));
    }
    let more = given.truncated.then(|| diff::hint(super::super::bounds::RepoLimit::Count));
    given.hint = joined([more, withheld_hint(given.withheld)]);
    given.entries = Some(entries);
    Ok(given)
}

fn file(
    repository: &GitRepository<'_>,
    item: TreeItem,
    asked: &str,
    (start, end): (u64, u64),
    mut shown: GitShown,
) -> Result<GitShown, RepoRefusal> {
    let what = match item.mode {
        0o120_000 => Some("a link"),
        0o160_000 => Some("a submodule"),
        _ => None,
    };
    if let Some(what) = what {
        return Err(RepoRefusal::NotFile { path: asked.to_owned(), what });
    }
    let bytes = repository.objects.blob(item.id)?;
    if bytes.contains(&0) {
        let (path, size) = (asked.to_owned(), bytes.len() as u64);
        return Err(RepoRefusal::NotText { path, mime: "application/octet-stream", size });
    }
    let mut range = LineRange::new(start, end, repository.bounds());
    range.feed(&bytes);
    let taken = range.finish();
    if taken.count == 0 && start > 1 {
        return Err(RepoRefusal::PastEnd { path: asked.to_owned(), lines: taken.seen, start });
    }
    let next = start + taken.count;
    shown.truncated = taken.is_full || taken.cut > 0;
    shown.hint = taken.is_full.then(|| format!("There is more: go on with `start_line` {next}."));
    shown.text = Some(String::from_utf8_lossy(&taken.text).into_owned());
    Ok(shown)
}

impl BuiltinToolOutput for GitShown {
    fn text(&self) -> Vec<String> {
        let shown = if let Some(text) = &self.text {
            text.clone()
        } else if let Some(entries) = &self.entries {
            entries.iter().map(|name| format!("{}\n", one_line(name))).collect()
        } else {
            let commit = &self.commit;
            let ShownCommit { id, author, email, date, subject, body, .. } = commit;
            let patch = self.patch.as_deref().unwrap_or_default();
            let files = ShownPatch::summary(&self.files);
            format!(
                "commit {id}\n{author} <{email}>, {date}\n\n{subject}\n\n{body}\n{files}\n{patch}"
            )
        };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
