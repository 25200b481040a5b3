//! `artifact_query`: a kept result of JSON, asked in the language of jq.
//!
//! The document goes from the store to the process that answers piece by piece; it is never held here.

use std::any::Any;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
use toolgate_store::{Artifact, KeptFor, MOST_OF_ARTIFACT};
use toolgate_types::config::ApprovalMode;

use super::plan::bounded;
use super::{WorkflowRefusal, WorkflowServer, WorkflowToolRun};
use crate::json_query::{QueryAnswer, QueryRequest};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

/// Parsed, it is several times as large.
const LARGEST: u64 = 64 << 20;
const LONGEST_FILTER: usize = 4_000;
const MOST_VALUES: usize = 1_000;
const MOST_BYTES: usize = 12 << 10;

/// The process also has a limit of its own, in time that it computes.
const TIME: Duration = Duration::from_secs(20);

/// More than any answer has.
const MOST_SAID: u64 = 256 << 10;

/// Starts a process that answers one query.
#[async_trait]
pub trait QueryStarter: Send + Sync {
    async fn start(&self) -> Result<QueryPipes, String>;
}

/// Such a process, which ends when this goes.
pub struct QueryPipes {
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    pub process: Box<dyn Any + Send>,
}

impl std::fmt::Debug for QueryPipes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryPipes").finish_non_exhaustive()
    }
}

/// Asks a kept result.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactQuery {
    /// Its id or address.
    pub artifact: String,
    /// In jq, e.g. `.items[] | select(.id > 3) | .name`.
    pub filter: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QueryResults {
    /// What the filter gives, in order.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub values: Vec<Box<RawValue>>,
    /// There are more: narrow the filter down.
    pub more: bool,
}

impl BuiltinTool for ArtifactQuery {
    const OFFER: OfferedTool = OfferedTool {
        name: "artifact_query",
        title: "Query a kept result",
        description: "Runs a jq filter over a kept result that is JSON; gives up to 12 KiB of \
                      values.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = QueryResults;
}

#[async_trait]
impl WorkflowToolRun for ArtifactQuery {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<QueryResults, WorkflowRefusal> {
        bounded("filter", &self.filter, LONGEST_FILTER)?;
        let artifact = server.artifact(&owner, &self.artifact).await?;
        if artifact.size > LARGEST {
            return Err(WorkflowRefusal::TooLarge { size: artifact.size, most: LARGEST });
        }
        let nowhere = || WorkflowRefusal::NoQueries("no process can be started".to_owned());
        let queries = server.queries.as_ref().ok_or_else(nowhere)?;
        let pipes = queries.start().await.map_err(WorkflowRefusal::NoQueries)?;
        let request =
            QueryRequest { filter: self.filter, most_values: MOST_VALUES, most_bytes: MOST_BYTES };
        let asked = ask(server, &artifact, &request, pipes);
        match timeout(TIME, asked).await.map_err(|_| WorkflowRefusal::QueryEnded)?? {
            QueryAnswer::Values { values, more } => Ok(QueryResults { values, more }),
            QueryAnswer::Failed(why) => Err(WorkflowRefusal::Query(why)),
        }
    }
}

async fn ask(
    server: &WorkflowServer,
    artifact: &Artifact,
    request: &QueryRequest,
    pipes: QueryPipes,
) -> Result<QueryAnswer, WorkflowRefusal> {
    let QueryPipes { mut input, mut output, process } = pipes;
    let writing = async {
        let line = serde_json::to_string(request).unwrap_or_default();
        // A process that is gone says why by saying nothing.
        let mut is_open = input.write_all(format!("{line}\n").as_bytes()).await.is_ok();
        let mut at = 0;
        while at < artifact.size && is_open {
            let range = at..(at + MOST_OF_ARTIFACT).min(artifact.size);
            at = range.end;
            let piece = server.artifacts.read_artifact(&artifact.id, &artifact.owner, range);
            let gone = || WorkflowRefusal::Absent(artifact.id.to_string());
            is_open = input.write_all(&piece.await?.ok_or_else(gone)?).await.is_ok();
        }
        let _ = input.shutdown().await;
        drop(input);
        Ok::<_, WorkflowRefusal>(())
    };
    let reading = async {
        let mut said = Vec::new();
        let _ = (&mut output).take(MOST_SAID).read_to_end(&mut said).await;
        said
    };
    let (written, said) = tokio::join!(writing, reading);
    drop(process);
    written?;
    serde_json::from_slice(&said).map_err(|_| WorkflowRefusal::QueryEnded)
}

impl BuiltinToolOutput for QueryResults {
    fn text(&self) -> Vec<String> {
        let values: Vec<&str> = self.values.iter().map(|value| value.get()).collect();
        let more = "There are more values: narrow the filter down.".to_owned();
        let more = self.more.then_some(more);
        std::iter::once(values.join("\n")).chain(more).collect()
    }
}
