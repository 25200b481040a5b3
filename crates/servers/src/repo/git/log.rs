//! `git_log`: commits, newest first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::super::bounds::{RepoLimit, StopSignal};
use super::super::{RepoRefusal, RepoToolRun, ServedRepo};
use super::commit_history::CommitHistory;
use super::path_filter::PathFilter;
use super::{GitRepository, ShownCommit, joined};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

const USUAL: usize = 20;
const MOST: usize = 500;

/// Lists commits.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitLog {
    /// Where to begin: `HEAD` if left out, a branch, a tag, an id, each also with `~2` behind it.
    pub revision: Option<String>,
    /// Only commits that changed one of these files or folders, relative to the served folder.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Only commits from then on: a day such as `2026-01-31`, or a time such as
    /// `2026-01-31T12:00:00Z`.
    pub since: Option<String>,
    /// The most commits to give; 20 if left out, 500 at most.
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<usize>,
}

/// Commits, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitHistory {
    pub commits: Vec<ShownCommit>,
    /// There are more than these.
    pub truncated: bool,
    /// Why it is not all, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BuiltinTool for GitLog {
    const OFFER: OfferedTool = OfferedTool {
        name: "git_log",
        title: "List commits",
        description: "Lists the commits of the folder's Git repository, newest first: all of them, or \
                      those that changed some paths.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = GitHistory;
}

impl RepoToolRun for GitLog {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<GitHistory, RepoRefusal> {
        let filter = PathFilter::new(place, &self.paths)?;
        let since = self.since.as_deref().map(parse_time).transpose()?;
        let most = self.limit.unwrap_or(USUAL).min(MOST);
        GitRepository::with(place, stop, |repository| {
            let from = repository.commit_at(self.revision.as_deref().unwrap_or("HEAD"))?;
            let mut history = CommitHistory::new(repository, from, &filter, since)?;
            let mut commits = Vec::new();
            let mut bytes = 0;
            let limit = loop {
                let commit = match history.next() {
                    Ok(Some(commit)) => ShownCommit::new(&commit),
                    Ok(None) => break None,
                    Err(RepoRefusal::Late) => break Some(RepoLimit::Time),
                    Err(other) => return Err(other),
                };
                bytes += commit.bytes();
                if commits.len() == most {
                    break Some(RepoLimit::Count);
                }
                if bytes > place.bounds.bytes {
                    break Some(RepoLimit::Bytes);
                }
                commits.push(commit);
            };
            let more = limit.map(|limit| hint(limit, commits.last()));
            let cut_off = history
                .is_cut_off
                .then(|| "Older commits were not cloned: the repository is shallow.".to_owned());
            Ok(GitHistory { truncated: limit.is_some(), hint: joined([more, cut_off]), commits })
        })
    }
}

fn hint(limit: RepoLimit, last: Option<&ShownCommit>) -> String {
    let why = match limit {
        RepoLimit::Time => "it took too long",
        RepoLimit::Bytes => "the result would be too large",
        _ => "the limit is reached",
    };
    match last {
        Some(last) => format!("There are more, but {why}: go on with `revision` {}~1.", last.id),
        None => format!("There may be more, but {why}: narrow it down with `since` or `revision`."),
    }
}

fn parse_time(text: &str) -> Result<i64, RepoRefusal> {
    let bad = || {
        let why =
            "`since` is neither a day such as 2026-01-31 nor a time such as 2026-01-31T12:00:00Z";
        RepoRefusal::Arguments(why.to_owned())
    };
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.as_second());
    }
    let day: jiff::civil::Date = text.parse().map_err(|_| bad())?;
    let start = jiff::tz::TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).map_err(|_| bad())?;
    Ok(start.as_second())
}

impl BuiltinToolOutput for GitHistory {
    fn text(&self) -> Vec<String> {
        let lines: Vec<String> = self.commits.iter().map(ShownCommit::line).collect();
        let shown = if lines.is_empty() { "No commits.".to_owned() } else { lines.join("\n") };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
