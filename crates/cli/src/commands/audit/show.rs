//! `toolgate audit show <correlation id>`: every row of one call.

use serde::Serialize;
use toolgate_store::{AuditLog as _, AuditQuery, AuditRow};
use toolgate_terminal::CommandOutput;
use toolgate_types::{pretty, visible};

use super::row::{AuditRowJson, RecordedBody};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};
use toolgate_terminal::moment::written;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditShowJson<'a> {
    correlation_id: &'a str,
    rows: Vec<AuditRowJson<'a>>,
}

pub(super) fn run(
    correlation: &str,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let store = surroundings.store_to_read()?;
    let wanted = Some(correlation.to_owned());
    let rows = wait(store.audit(AuditQuery { correlation: wanted, ..AuditQuery::default() }))?;
    if rows.is_empty() {
        let shown = visible(correlation);
        return Err(CliFailure::new(format!("no call was recorded as `{shown}`"))
            .hint("see `toolgate audit`"));
    }
    if output.json {
        let rows = rows.iter().map(AuditRowJson::from).collect();
        output.document_of(&AuditShowJson { correlation_id: correlation, rows });
        return Ok(Exit::Ok);
    }
    for row in &rows {
        print(row, output);
    }
    Ok(Exit::Ok)
}

fn print(row: &AuditRow, output: &mut CommandOutput) {
    let entry = &row.entry;
    output.line(format!("row {} · {} · {}", row.sequence, entry.kind.as_str(), written(entry.at)));
    let took = entry.duration_us.map(|micros| format!("{micros} us"));
    let fields = [
        ("principal", Some(entry.principal.as_str())),
        ("client", entry.client.as_deref()),
        ("role", entry.role.as_deref()),
        ("session", entry.session.as_deref()),
        ("workspace", entry.workspace.as_deref()),
        ("server", entry.server.as_deref()),
        ("tool", entry.tool.as_deref()),
        ("outcome", entry.outcome.as_deref()),
        ("code", entry.code.as_deref()),
        ("took", took.as_deref()),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            output.line(format!("  {name:<10} {}", visible(value)));
        }
    }
    match RecordedBody::of(row) {
        RecordedBody::Json(json) => output.words(&pretty(json)),
        RecordedBody::Text(text) => output.words(text),
    }
}
