//! `git_blame`: which commit each line of a file came with.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::super::bounds::StopSignal;
use super::super::unified_diff::split;
use super::super::{RepoRefusal, RepoToolRun, ServedRepo};
use super::{GitRepository, joined, line_origins, path_filter, shown_commit};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

const SHORT: usize = 10;

/// Says where lines come from.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitBlame {
    /// The file, relative to the served folder.
    pub path: String,
    /// The commit to look from; `HEAD` if left out.
    pub revision: Option<String>,
    /// The first line, counted from 1; the first of the file if left out.
    pub start_line: Option<NonZeroU64>,
    /// The last line, itself included; the last of the file if left out.
    pub end_line: Option<NonZeroU64>,
}

/// The lines of a file by the commits they came with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitBlamed {
    pub path: String,
    /// The commit that was looked from.
    pub revision: String,
    /// In the order of the file.
    pub hunks: Vec<BlamedLines>,
    pub total_lines: u64,
    /// Not all that was asked for is here.
    pub truncated: bool,
    /// What is missing, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Lines that stand together and came with one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlamedLines {
    pub start_line: u64,
    pub end_line: u64,
    /// Left out if time was up before it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    pub text: String,
}

impl BuiltinTool for GitBlame {
    const OFFER: OfferedTool = OfferedTool {
        name: "git_blame",
        title: "Blame lines",
        description: "Says which commit each line of a file came with, at the last commit or another. \
                      Renames are not followed. At most 2000 lines at a time.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = GitBlamed;
}

impl RepoToolRun for GitBlame {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<GitBlamed, RepoRefusal> {
        let start = self.start_line.map_or(1, NonZeroU64::get);
        let end = self.end_line.map_or(u64::MAX, NonZeroU64::get);
        if end < start {
            return Err(RepoRefusal::Range { start, end });
        }
        let path = place.folder.name_path(&self.path)?;
        GitRepository::with(place, stop, |repository| {
            if let Some(why) = path_filter::refuses(repository.root(), &path) {
                return Err(RepoRefusal::Rule { path: self.path.clone(), why });
            }
            let from = repository.commit_at(self.revision.as_deref().unwrap_or("HEAD"))?;
            let item = repository.objects.at_path(from.tree, &path)?;
            let item = item.ok_or_else(|| RepoRefusal::Absent(self.path.clone()))?;
            if item.mode & 0o170_000 != 0o100_000 {
                let what = "a folder, a link or a submodule";
                return Err(RepoRefusal::NotFile { path: self.path.clone(), what });
            }
            let bytes = repository.objects.blob(item.id)?;
            if bytes.contains(&0) {
                let (path, size) = (self.path.clone(), bytes.len() as u64);
                return Err(RepoRefusal::NotText { path, mime: "application/octet-stream", size });
            }
            let lines = split(&bytes);
            let total = lines.len() as u64;
            if start > total.max(1) {
                return Err(RepoRefusal::PastEnd { path: self.path.clone(), lines: total, start });
            }
            blamed(repository, from, &path, &lines, (start, end.min(total)))
        })
    }
}

fn blamed(
    repository: &GitRepository<'_>,
    from: super::git_objects::ReadCommit,
    path: &[u8],
    lines: &[&[u8]],
    (start, end): (u64, u64),
) -> Result<GitBlamed, RepoRefusal> {
    let bounds = repository.bounds();
    let revision = from.id.to_string();
    let first = usize::try_from(start - 1).unwrap_or(usize::MAX);
    let wanted = usize::try_from(end).unwrap_or(usize::MAX).min(lines.len());
    let mut last = first;
    let mut bytes = 0;
    while last < wanted && last - first < bounds.lines {
        // What stands around a line at worst, if each comes with a commit of its own.
        bytes += lines[last].len().min(bounds.line_bytes) + 200;
        if bytes > bounds.bytes {
            break;
        }
        last += 1;
    }
    let found = line_origins::find(repository, from, path, first..last, lines.len())?;
    let mut hunks: Vec<BlamedLines> = Vec::new();
    let mut before = None;
    for (index, line) in lines.iter().enumerate().take(last).skip(first) {
        let origin = found.origins[index];
        let number = index as u64 + 1;
        let shown = &line[..line.len().min(bounds.line_bytes)];
        let text = String::from_utf8_lossy(shown);
        match hunks.last_mut().filter(|_| before == Some(origin)) {
            Some(hunk) => {
                hunk.end_line = number;
                hunk.text.push_str(&text);
            }
            None => {
                let commit = origin.and_then(|id| found.commits.get(&id));
                let subject = commit.and_then(|commit| commit.message.lines().next());
                let subject = subject.unwrap_or_default().chars().take(120).collect();
                hunks.push(BlamedLines {
                    start_line: number,
                    end_line: number,
                    commit: origin.map(|id| id.to_string()),
                    author: commit.map(|it| it.author.clone()).unwrap_or_default(),
                    date: commit.map(|it| shown_commit::date(it.written)).unwrap_or_default(),
                    subject,
                    text: text.into_owned(),
                });
            }
        }
        before = Some(origin);
    }
    let is_short = last < wanted;
    let more = is_short.then(|| format!("There is more: go on with `start_line` {}.", last + 1));
    let late = found.is_late.then(|| {
        "It took too long: lines without a commit are older than what was looked at.".to_owned()
    });
    let cut_off = found.is_cut_off.then(|| {
        "The repository is shallow: its oldest commits may only seem to have brought their lines."
            .to_owned()
    });
    Ok(GitBlamed {
        path: path_filter::shown(path),
        revision,
        hunks,
        total_lines: lines.len() as u64,
        truncated: is_short || found.is_late,
        hint: joined([more, late, cut_off]),
    })
}

impl BuiltinToolOutput for GitBlamed {
    fn text(&self) -> Vec<String> {
        let hunks = self.hunks.iter().map(|hunk| {
            let BlamedLines { start_line, end_line, author, subject, text, .. } = hunk;
            let commit = hunk.commit.as_deref().and_then(|id| id.get(..SHORT)).unwrap_or("unknown");
            let day = hunk.date.split('T').next().unwrap_or_default();
            let end = if text.ends_with('\n') { "" } else { "\n" };
            format!("{start_line}-{end_line} {commit} {day} {author} — {subject}\n{text}{end}")
        });
        let shown: String = hunks.collect();
        let shown = if shown.is_empty() { "The file is empty.".to_owned() } else { shown };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
