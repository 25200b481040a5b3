//! The rows of the workspaces: a path has one name, whoever comes first.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, named_params};

use super::SqliteStore;
use super::word::word;
use crate::{ProjectRoot, StoreError, Workspace, WorkspaceId, Workspaces, time};

#[async_trait]
impl Workspaces for SqliteStore {
    async fn keep_workspace(&self, root: &ProjectRoot, at: u64) -> Result<WorkspaceId, StoreError> {
        let fresh = Workspace {
            id: WorkspaceId::random(root)?,
            root: root.clone(),
            created_at: time::kept(at),
        };
        self.writing()?.writer.run(move |connection| keep_first(connection, &fresh)).await
    }

    async fn workspace(&self, id: &WorkspaceId) -> Result<Option<ProjectRoot>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        let id = id.clone();
        state.writer.run(move |connection| find(connection, &id)).await
    }

    async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| all(connection)).await
    }

    async fn forget_workspace(&self, id: &WorkspaceId) -> Result<bool, StoreError> {
        let id = id.clone();
        self.writing()?.writer.run(move |connection| forget(connection, &id)).await
    }
}

fn keep_first(connection: &mut Connection, fresh: &Workspace) -> rusqlite::Result<WorkspaceId> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "INSERT INTO workspace (id, path, created_at) VALUES (:id, :path, :at)
         ON CONFLICT (path) DO NOTHING",
        named_params! {
            ":id": fresh.id.as_str(),
            ":path": fresh.root.as_bytes(),
            ":at": fresh.created_at.cast_signed(),
        },
    )?;
    let kept = transaction.query_row(
        "SELECT id FROM workspace WHERE path = :path",
        named_params! { ":path": fresh.root.as_bytes() },
        id,
    )?;
    transaction.commit()?;
    Ok(kept)
}

fn find(connection: &Connection, id: &WorkspaceId) -> rusqlite::Result<Option<ProjectRoot>> {
    connection
        .query_row(
            "SELECT path FROM workspace WHERE id = :id",
            named_params! { ":id": id.as_str() },
            root,
        )
        .optional()
}

fn all(connection: &Connection) -> rusqlite::Result<Vec<Workspace>> {
    let mut query = connection.prepare("SELECT id, path, created_at FROM workspace")?;
    let rows = query.query_map([], |row| {
        Ok(Workspace {
            id: id(row)?,
            root: root(row)?,
            created_at: row.get::<_, i64>("created_at")?.cast_unsigned(),
        })
    })?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    // Here and not by SQL, which would order paths by their bytes.
    found.sort_by(|one, other| one.root.cmp(&other.root));
    Ok(found)
}

fn forget(connection: &Connection, id: &WorkspaceId) -> rusqlite::Result<bool> {
    let removed = connection
        .execute("DELETE FROM workspace WHERE id = :id", named_params! { ":id": id.as_str() })?;
    Ok(removed > 0)
}

fn id(row: &Row<'_>) -> rusqlite::Result<WorkspaceId> {
    word(row, "id", WorkspaceId::parse)
}

fn root(row: &Row<'_>) -> rusqlite::Result<ProjectRoot> {
    let path: Vec<u8> = row.get("path")?;
    Ok(ProjectRoot::recorded(&path))
}
