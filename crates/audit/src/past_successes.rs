//! How often tools did what they were asked, as the newest records tell it.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use toolgate_store::{AuditEntry, AuditKind, AuditLog, AuditQuery, StoreError};
use toolgate_types::Digest;

use crate::CallJournal;

/// So many of the newest calls are looked at: what served long ago says little.
const NEWEST: usize = 2_000;

/// Whose calls of which definition of a server's tool; one that changed begins anew.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SucceededTool {
    pub principal: String,
    pub server: String,
    pub definition: Digest,
}

impl CallJournal {
    /// Those of a workspace; nothing where no records are kept, or they cannot be read.
    pub async fn past_successes(&self, workspace: &Path) -> HashMap<SucceededTool, u32> {
        let Some(log) = self.log() else { return HashMap::new() };
        self.settle().await;
        past_successes(log, workspace).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "what served before is not known");
            HashMap::new()
        })
    }
}

async fn past_successes(
    log: &dyn AuditLog,
    workspace: &Path,
) -> Result<HashMap<SucceededTool, u32>, StoreError> {
    let outcome = Some("done".to_owned());
    let query = AuditQuery { outcome, limit: NEWEST, newest_first: true, ..AuditQuery::default() };
    let rows = log.audit(query).await?;
    let workspace = workspace.display().to_string();
    let mut counts = HashMap::new();
    for row in rows {
        if row.entry.workspace.as_ref() == Some(&workspace)
            && let Some(succeeded) = succeeded(row.entry)
        {
            *counts.entry(succeeded).or_default() += 1;
        }
    }
    Ok(counts)
}

fn succeeded(entry: AuditEntry) -> Option<SucceededTool> {
    #[derive(Deserialize)]
    struct EndBody {
        definition: Option<String>,
    }
    let AuditEntry { kind: AuditKind::End, principal, server: Some(server), body, .. } = entry
    else {
        return None;
    };
    // What was recorded by an older version says nothing of the definition.
    let body: EndBody = serde_json::from_str(&body).ok()?;
    Some(SucceededTool { principal, server, definition: Digest::from_hex(&body.definition?)? })
}

#[cfg(test)]
mod tests {
    use toolgate_store::MemoryStore;

    use super::*;

    fn row(principal: &str, workspace: &str, definition: u8, outcome: &str) -> AuditEntry {
        let hash = Digest([definition; 32]).to_hex();
        AuditEntry {
            at: 1,
            kind: AuditKind::End,
            correlation: "c".to_owned(),
            round: 0,
            principal: principal.to_owned(),
            client: None,
            role: None,
            session: None,
            workspace: Some(workspace.to_owned()),
            server: Some("s".to_owned()),
            tool: Some("t".to_owned()),
            outcome: Some(outcome.to_owned()),
            code: None,
            duration_us: None,
            body: format!(r#"{{"definition":"{hash}"}}"#),
        }
    }

    #[tokio::test]
    async fn successes_are_counted_by_principal_workspace_and_definition() {
        let log = MemoryStore::default();
        let rows = [
            row("ada", "/w", 1, "done"),
            row("ada", "/w", 1, "done"),
            row("ada", "/w", 2, "done"),
            row("ada", "/w", 1, "tool_error"),
            row("ada", "/elsewhere", 1, "done"),
            row("bob", "/w", 1, "done"),
            AuditEntry { body: "{}".to_owned(), ..row("ada", "/w", 1, "done") },
        ];
        log.append_audit(&rows).await.unwrap();
        let counts = past_successes(&log, Path::new("/w")).await.unwrap();
        let count = |principal: &str, definition: u8| {
            let (principal, server) = (principal.to_owned(), "s".to_owned());
            let definition = Digest([definition; 32]);
            counts.get(&SucceededTool { principal, server, definition }).copied()
        };
        assert_eq!(
            [count("ada", 1), count("ada", 2), count("bob", 1)],
            [Some(2), Some(1), Some(1)]
        );
        assert_eq!((count("bob", 2), counts.len()), (None, 3));
    }
}
