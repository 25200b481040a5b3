//! A call as the list shows it, whether it has ended or not.

use serde::Serialize;
use toolgate_store::AuditRow;
use toolgate_terminal::moment::written;
use toolgate_types::visible;

/// Said of a call that has no end: it runs, or what its host wrote cannot be read to its end.
const UNENDED: &str = "running or lost";

/// A call as the list shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct ListedCall {
    /// The number of its last row.
    pub(super) sequence: u64,
    at: String,
    /// None while it runs. Where the host died it is `aborted`, once somebody looked.
    outcome: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    duration_us: Option<u64>,
    principal: String,
    session: Option<String>,
    correlation_id: String,
    code: Option<String>,
}

impl From<AuditRow> for ListedCall {
    fn from(AuditRow { sequence, entry, .. }: AuditRow) -> Self {
        Self {
            sequence,
            at: written(entry.at),
            outcome: entry.outcome,
            server: entry.server,
            tool: entry.tool,
            duration_us: entry.duration_us,
            principal: entry.principal,
            session: entry.session,
            correlation_id: entry.correlation,
            code: entry.code,
        }
    }
}

impl ListedCall {
    pub(in crate::commands) fn cells(&self) -> Vec<String> {
        let what: Vec<&str> =
            [&self.server, &self.tool].into_iter().flatten().map(|s| &**s).collect();
        vec![
            self.at.clone(),
            visible(self.outcome.as_deref().unwrap_or(UNENDED)),
            visible(&what.join("/")),
            self.duration_us.map(took).unwrap_or_default(),
            visible(&self.principal),
            visible(&self.correlation_id),
            visible(self.code.as_deref().unwrap_or_default()),
        ]
    }
}

/// `740us`, `12ms`, `3.2s`.
fn took(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros}us"),
        1_000..1_000_000 => format!("{}ms", micros / 1_000),
        _ => format!("{}.{}s", micros / 1_000_000, micros / 100_000 % 10),
    }
}
