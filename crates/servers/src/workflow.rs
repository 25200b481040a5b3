//! The server `workflow`: a plan and notes for the work in one folder, and what is kept of results
//! that were too long to pass on.
//!
//! Everything belongs to whoever calls, in this folder; what is another's does not exist here. It opens
//! no file: what is kept is the store's, and queries run in a process that somebody else starts.

mod artifact;
mod artifact_query;
mod artifact_read;
mod artifact_search;
mod line_search;
mod notes;
mod plan;
mod refusal;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_store::{ArtifactStore, KeptFor, WorkBook};
use toolgate_types::{Principal, Tool};

pub use artifact_query::{ArtifactQuery, QueryPipes, QueryResults, QueryStarter};
pub use artifact_read::{ArtifactPart, ArtifactRead};
pub use artifact_search::{ArtifactMatch, ArtifactMatches, ArtifactSearch};
pub use notes::{KeptNoteNumber, NoteAdd, NoteList, NoteText, NotesList};
pub use plan::{PlanGet, PlanSet, PlanStep, StepState, WorkPlan};
pub use refusal::WorkflowRefusal;

use crate::served_tool::{RunsTool, served_tool};
use crate::tool::BuiltinTool;

/// What agents write down in one folder, and what is kept for them there.
#[derive(Clone)]
pub struct WorkflowServer {
    workspace: Arc<PathBuf>,
    book: Arc<dyn WorkBook>,
    artifacts: Arc<dyn ArtifactStore>,
    queries: Option<Arc<dyn QueryStarter>>,
}

/// A tool of this server: what it does for somebody, once its arguments are there.
#[async_trait]
pub(crate) trait WorkflowToolRun: BuiltinTool {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<Self::Output, WorkflowRefusal>;
}

impl WorkflowServer {
    /// `queries` starts the process that queries run in; without it there are none.
    pub fn new(
        workspace: PathBuf,
        book: Arc<dyn WorkBook>,
        artifacts: Arc<dyn ArtifactStore>,
        queries: Option<Arc<dyn QueryStarter>>,
    ) -> Self {
        Self { workspace: Arc::new(workspace), book, artifacts, queries }
    }

    /// Every tool of this folder.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        [
            served_tool::<PlanGet, _>(self),
            served_tool::<PlanSet, _>(self),
            served_tool::<NoteAdd, _>(self),
            served_tool::<NotesList, _>(self),
            served_tool::<ArtifactRead, _>(self),
            served_tool::<ArtifactSearch, _>(self),
            served_tool::<ArtifactQuery, _>(self),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Runs a tool for somebody.
    #[allow(private_bounds, reason = "the tools of this crate are all there are")]
    pub async fn call<T: WorkflowToolRun>(
        &self,
        caller: &Principal,
        tool: T,
    ) -> Result<T::Output, WorkflowRefusal> {
        tool.run(self, KeptFor::new(caller.as_str(), &*self.workspace)).await
    }
}

#[async_trait]
impl<T: WorkflowToolRun> RunsTool<T> for WorkflowServer {
    type Refusal = WorkflowRefusal;

    async fn run_for(&self, caller: &Principal, tool: T) -> Result<T::Output, WorkflowRefusal> {
        self.call(caller, tool).await
    }
}

impl fmt::Debug for WorkflowServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkflowServer").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}
