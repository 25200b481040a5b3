//! What an import tells: each server with what it would run or dial, what became of its keys, and
//! what a person should know.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolgate_config::clients::{FoundClientFile, FoundServer, ImportOutcome};
use toolgate_config::show::entry_text;
use toolgate_types::visible;

use crate::surroundings::Surroundings;

pub(super) fn text(found: &[FoundClientFile], surroundings: &Surroundings) -> String {
    let mut lines = Vec::new();
    for file in found {
        lines.push(format!("{} · {}", file.client.title(), surroundings.shown(&file.path)));
        lines.extend(file.notes.iter().map(|note| format!("  {note}")));
        for FoundServer { server, scope, taken } in &file.servers {
            lines.push(match &server.outcome {
                ImportOutcome::Ready => {
                    format!("  {}: ready, {} scope", visible(&server.id), scope.as_str())
                }
                ImportOutcome::Refused(reason) => {
                    format!("  {}: refused: {}", visible(&server.id), visible(reason))
                }
            });
            for (key, value) in entry_text::rows(&file.shown_entry(server)) {
                lines.push(format!("    {key:<17} {value}"));
            }
            let renamed = server.mapped.iter().filter(|(from, to)| from != to);
            let renamed: Vec<String> =
                renamed.map(|(from, to)| format!("{} → {to}", visible(from))).collect();
            if !renamed.is_empty() {
                lines.push(format!("    mapped: {}", renamed.join(", ")));
            }
            lines.extend(server.notes.iter().map(|note| format!("    {note}")));
            lines.extend(taken.iter().map(|one| format!("    {}", one.how_to_give_it())));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What each would do, in one line, for the moment of the question.
pub(super) fn gists(ready: &[&FoundServer]) -> String {
    let gist = |FoundServer { server, .. }: &&FoundServer| {
        Some(format!("{}: {}\n", visible(&server.id), entry_text::gist(&server.entry)?))
    };
    ready.iter().filter_map(gist).collect()
}

pub(super) fn document(
    found: &[FoundClientFile],
    target: &Path,
    written: &[String],
) -> Map<String, Value> {
    let files = found.iter().map(|file| {
        json!({
            "client": file.client.as_str(),
            "path": file.path.display().to_string(),
            "notes": file.notes,
            "servers": file.servers.iter().map(|found| server_json(found, file)).collect::<Value>(),
        })
    });
    let mut fields = Map::new();
    fields.insert("files".into(), files.collect());
    fields.insert("target".into(), target.display().to_string().into());
    fields.insert("written".into(), json!(written));
    fields
}

fn server_json(
    FoundServer { server, scope, taken }: &FoundServer,
    file: &FoundClientFile,
) -> Value {
    let (outcome, reason) = match &server.outcome {
        ImportOutcome::Ready => ("ready", None),
        ImportOutcome::Refused(reason) => ("refused", Some(reason)),
    };
    json!({
        "id": server.id,
        "originalName": server.original_name,
        "line": server.line,
        "scope": scope.as_str(),
        "toExport": taken.iter().map(|one| one.variable.as_str()).collect::<Value>(),
        "outcome": outcome,
        "reason": reason,
        "entry": file.shown_entry(server),
        "mapped": server.mapped.iter().map(|(from, to)| json!({ "from": from, "to": to }))
            .collect::<Value>(),
        "notes": server.notes,
    })
}
