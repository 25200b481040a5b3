//! Workspaces in memory, by where they are.

use async_trait::async_trait;

use super::MemoryStore;
use crate::{ProjectRoot, StoreError, Workspace, WorkspaceId, Workspaces, time};

#[async_trait]
impl Workspaces for MemoryStore {
    async fn keep_workspace(&self, root: &ProjectRoot, at: u64) -> Result<WorkspaceId, StoreError> {
        let workspaces = &mut self.kept().workspaces;
        if let Some(known) = workspaces.get(root) {
            return Ok(known.id.clone());
        }
        let id = WorkspaceId::random(root)?;
        let kept = Workspace { id: id.clone(), root: root.clone(), created_at: time::kept(at) };
        workspaces.insert(root.clone(), kept);
        Ok(id)
    }

    async fn workspace(&self, id: &WorkspaceId) -> Result<Option<ProjectRoot>, StoreError> {
        let kept = self.kept();
        let found = kept.workspaces.values().find(|workspace| workspace.id == *id);
        Ok(found.map(|workspace| workspace.root.clone()))
    }

    async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        Ok(self.kept().workspaces.values().cloned().collect())
    }

    async fn forget_workspace(&self, id: &WorkspaceId) -> Result<bool, StoreError> {
        let workspaces = &mut self.kept().workspaces;
        let before = workspaces.len();
        workspaces.retain(|_, workspace| workspace.id != *id);
        Ok(workspaces.len() < before)
    }
}
