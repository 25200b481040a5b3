//! Which tools a person approved again and again, as the records tell it.
//!
//! Only a yes to one call counts, for the definition that was asked about; a tool that was ever denied
//! is not among them. What follows from it is for others to say.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toolgate_store::{AuditEntry, AuditKind, AuditLog, AuditQuery, StoreError};
use toolgate_types::{ApprovalChoice, Digest};

/// A tool that was approved once and again, and never denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedTool {
    pub server: String,
    pub tool: String,
    pub definition: Digest,
    pub times: usize,
}

#[derive(Deserialize)]
struct DecisionBody {
    definition: Option<String>,
    approval: Option<AnsweredApproval>,
}

#[derive(Deserialize)]
struct AnsweredApproval {
    choice: Option<String>,
}

/// Those of all records, the most often approved first.
pub async fn approved_tools(log: &dyn AuditLog) -> Result<Vec<ApprovedTool>, StoreError> {
    let of = async |outcome: &str| {
        let outcome = Some(outcome.to_owned());
        let rows = log.audit(AuditQuery { outcome, ..AuditQuery::default() }).await?;
        let rows = rows.into_iter().map(|row| row.entry);
        Ok(rows.filter(|entry| entry.kind == AuditKind::Decision).collect::<Vec<_>>())
    };
    let (approved, denied) = (of("approved").await?, of("denied").await?);
    Ok(counted(&approved, &denied))
}

fn counted(approved: &[AuditEntry], denied: &[AuditEntry]) -> Vec<ApprovedTool> {
    let named = |entry: &AuditEntry| Some((entry.server.clone()?, entry.tool.clone()?));
    let denied: BTreeSet<_> = denied.iter().filter_map(named).collect();
    let mut counts: BTreeMap<(String, String, Digest), usize> = BTreeMap::new();
    for entry in approved {
        let Some((server, tool)) = named(entry).filter(|named| !denied.contains(named)) else {
            continue;
        };
        let once = ApprovalChoice::Once.as_str();
        let body = serde_json::from_str::<DecisionBody>(&entry.body).ok();
        let body = body.filter(|body| {
            let answered = body.approval.as_ref().and_then(|one| one.choice.as_deref());
            answered == Some(once)
        });
        // What was recorded by an older version says nothing of the definition.
        if let Some(hash) = body.and_then(|body| Digest::from_hex(&body.definition?)) {
            *counts.entry((server, tool, hash)).or_default() += 1;
        }
    }
    let tool =
        |((server, tool, definition), times)| ApprovedTool { server, tool, definition, times };
    let mut tools: Vec<_> = counts.into_iter().map(tool).collect();
    tools.sort_by_key(|one| std::cmp::Reverse(one.times));
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tool: &str, choice: &str, hash: Option<u8>) -> AuditEntry {
        let hash = hash.map(|byte| format!(r#","definition":"{}""#, Digest([byte; 32]).to_hex()));
        AuditEntry {
            server: Some("files".to_owned()),
            tool: Some(tool.to_owned()),
            body: format!(r#"{{"approval":{{"choice":"{choice}"}}{}}}"#, hash.unwrap_or_default()),
            ..blank()
        }
    }

    fn blank() -> AuditEntry {
        AuditEntry {
            at: 1,
            kind: AuditKind::Decision,
            correlation: "c".to_owned(),
            round: 0,
            principal: "local".to_owned(),
            client: None,
            role: None,
            session: None,
            workspace: None,
            server: None,
            tool: None,
            outcome: None,
            code: None,
            duration_us: None,
            body: String::new(),
        }
    }

    #[test]
    fn what_was_approved_once_is_counted_by_its_definition_unless_it_was_ever_denied() {
        let approved = [
            row("read", "once", Some(1)),
            row("read", "once", Some(1)),
            row("read", "once", Some(2)),
            row("read", "session", Some(1)),
            row("read", "once", None),
            row("list", "once", Some(3)),
            row("drop", "once", Some(4)),
            AuditEntry { body: "not json".to_owned(), ..row("read", "once", Some(1)) },
        ];
        let counted = counted(&approved, &[row("drop", "deny", Some(9))]);
        let shown: Vec<_> =
            counted.iter().map(|one| (one.tool.as_str(), one.definition.0[0], one.times)).collect();
        assert_eq!(shown, [("read", 1, 2), ("list", 3, 1), ("read", 2, 1)]);
    }
}
