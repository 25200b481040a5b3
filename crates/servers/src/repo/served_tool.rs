//! The tools of the repository as any host takes them.

use std::sync::Arc;

use async_trait::async_trait;
use toolgate_types::{Principal, Tool};

use super::{
    EditFile, GitBlame, GitDiff, GitLog, GitShow, GitStatus, ListFiles, ReadFile, RepoRefusal,
    RepoServer, RepoToolRun, Search, WriteFile,
};
use crate::served_tool::{RunsTool, served_tool};

impl RepoServer {
    /// Every tool of this folder that only reads.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        [
            served_tool::<ReadFile, _>(self),
            served_tool::<ListFiles, _>(self),
            served_tool::<Search, _>(self),
            #[cfg(feature = "outline")]
            served_tool::<super::Outline, _>(self),
            served_tool::<GitStatus, _>(self),
            served_tool::<GitLog, _>(self),
            served_tool::<GitDiff, _>(self),
            served_tool::<GitShow, _>(self),
            served_tool::<GitBlame, _>(self),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The tools that write. Whoever serves them has a person asked about each call.
    pub fn writing_tools(&self) -> Vec<Arc<dyn Tool>> {
        let tools = [served_tool::<WriteFile, _>(self), served_tool::<EditFile, _>(self)];
        tools.into_iter().flatten().collect()
    }
}

#[async_trait]
impl<T: RepoToolRun> RunsTool<T> for RepoServer {
    type Refusal = RepoRefusal;

    /// A folder is the same for everybody who may see it.
    async fn run_for(&self, _: &Principal, tool: T) -> Result<T::Output, RepoRefusal> {
        self.call(tool).await
    }
}
