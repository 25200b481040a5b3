//! `artifact_search`: the lines of a kept result that match.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_store::{KeptFor, MOST_OF_ARTIFACT};
use toolgate_types::config::ApprovalMode;

use super::line_search::{FoundPlace, LineSearch};
use super::{WorkflowRefusal, WorkflowServer, WorkflowToolRun};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

/// Of a few hundred bytes each, they fit in a result.
const MOST: usize = 50;

/// How long it looks before it gives what it has.
const TIME: Duration = Duration::from_secs(10);

/// Searches a kept result.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactSearch {
    /// Its id or address.
    pub artifact: String,
    /// A regular expression, within a line.
    pub pattern: String,
    /// The pattern is plain text.
    #[serde(default)]
    pub literal: bool,
    #[serde(default)]
    pub case_insensitive: bool,
    /// How many matches to leave out first.
    #[serde(default)]
    pub skip: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactMatches {
    pub matches: Vec<ArtifactMatch>,
    /// There may be more; go on with `skip`.
    pub more: bool,
}

/// A line that matches; a very long one is shown around the match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactMatch {
    /// Counted from 1.
    pub line: u64,
    /// Where the match begins, counted from 0.
    pub byte: u64,
    pub text: String,
}

impl BuiltinTool for ArtifactSearch {
    const OFFER: OfferedTool = OfferedTool {
        name: "artifact_search",
        title: "Search a kept result",
        description: "Searches a kept result by text or regular expression; gives up to 50 lines \
                      with their numbers.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = ArtifactMatches;
}

#[async_trait]
impl WorkflowToolRun for ArtifactSearch {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<ArtifactMatches, WorkflowRefusal> {
        let artifact = server.artifact(&owner, &self.artifact).await?;
        let skip = self.skip as usize;
        // One more, to know whether there is more.
        let most = skip.saturating_add(MOST + 1);
        let search = LineSearch::new(&self.pattern, self.literal, self.case_insensitive, most);
        let mut search = search.map_err(WorkflowRefusal::Pattern)?;
        let ends = Instant::now() + TIME;
        let (mut at, mut is_late) = (0, false);
        while at < artifact.size && !search.is_full() && !is_late {
            let range = at..(at + MOST_OF_ARTIFACT).min(artifact.size);
            at = range.end;
            let piece = server.artifacts.read_artifact(&artifact.id, &owner, range).await?;
            let gone = || WorkflowRefusal::Absent(artifact.id.to_string());
            search.feed(&piece.ok_or_else(gone)?);
            is_late = Instant::now() > ends;
        }
        if at >= artifact.size {
            search.finish();
        }
        let is_more = search.found.len() > skip.saturating_add(MOST) || is_late;
        let found = search.found.into_iter().skip(skip).take(MOST);
        let shown = |FoundPlace { line, byte, text }| ArtifactMatch { line, byte, text };
        Ok(ArtifactMatches { matches: found.map(shown).collect(), more: is_more })
    }
}

impl BuiltinToolOutput for ArtifactMatches {
    fn text(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.matches.iter().map(|found| format!("{}: {}", found.line, found.text)).collect();
        if lines.is_empty() {
            lines.push("Nothing matches.".to_owned());
        }
        if self.more {
            lines.push("There may be more: go on with `skip`.".to_owned());
        }
        vec![lines.join("\n")]
    }
}
