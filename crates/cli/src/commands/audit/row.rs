//! One row of the log, whole, as programs read it.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_store::{AuditEntry, AuditRow};

use toolgate_terminal::moment::written;

/// A row with everything that is in it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditRowJson<'a> {
    sequence: u64,
    at: String,
    /// As it is kept: the hash is over this.
    at_millis: u64,
    kind: &'static str,
    correlation_id: &'a str,
    round: u32,
    principal: &'a str,
    client: Option<&'a str>,
    role: Option<&'a str>,
    session: Option<&'a str>,
    workspace: Option<&'a str>,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    outcome: Option<&'a str>,
    code: Option<&'a str>,
    duration_us: Option<u64>,
    /// Whether its beginning was written down before it ran.
    was_opened: bool,
    body: RecordedBody<'a>,
    hash: String,
}

/// The bytes that were kept; as a text where somebody made them no JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RecordedBody<'a> {
    Json(&'a RawValue),
    Text(&'a str),
}

impl<'a> RecordedBody<'a> {
    pub(super) fn of(row: &'a AuditRow) -> Self {
        let body = row.entry.body.as_str();
        serde_json::from_str(body).map_or(Self::Text(body), Self::Json)
    }
}

impl<'a> From<&'a AuditRow> for AuditRowJson<'a> {
    fn from(row: &'a AuditRow) -> Self {
        let AuditEntry {
            at,
            kind,
            correlation,
            round,
            principal,
            client,
            role,
            session,
            workspace,
            server,
            tool,
            outcome,
            code,
            duration_us,
            body: _,
        } = &row.entry;
        Self {
            sequence: row.sequence,
            at: written(*at),
            at_millis: *at,
            kind: kind.as_str(),
            correlation_id: correlation,
            round: *round,
            principal,
            client: client.as_deref(),
            role: role.as_deref(),
            session: session.as_deref(),
            workspace: workspace.as_deref(),
            server: server.as_deref(),
            tool: tool.as_deref(),
            outcome: outcome.as_deref(),
            code: code.as_deref(),
            duration_us: *duration_us,
            was_opened: row.was_opened,
            body: RecordedBody::of(row),
            hash: row.hash.to_hex(),
        }
    }
}
