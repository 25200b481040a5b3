//! Which kept result is meant, and what is known of it.

use toolgate_store::{Artifact, ArtifactId, KeptFor};

use super::{WorkflowRefusal, WorkflowServer};

const SCHEME: &str = "toolgate://artifact/";

impl WorkflowServer {
    /// By its id, or by the address that stands where the result was cut.
    pub(super) async fn artifact(
        &self,
        owner: &KeptFor,
        written: &str,
    ) -> Result<Artifact, WorkflowRefusal> {
        let id = written.trim();
        let id = id.strip_prefix(SCHEME).unwrap_or(id);
        let id = id.split_once('?').map_or(id, |(id, _)| id);
        let shown = || written.chars().take(100).collect::<String>();
        let id = ArtifactId::parse(id).ok_or_else(|| WorkflowRefusal::Address(shown()))?;
        let found = self.artifacts.artifact(&id, owner).await?;
        found.ok_or_else(|| WorkflowRefusal::Absent(id.to_string()))
    }
}
