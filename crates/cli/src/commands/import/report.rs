//! What an import tells: each server, what became of its keys, and what a person should know.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolgate_config::clients::{ImportedServer, Note, Outcome};
use toolgate_types::visible;

use super::Found;
use crate::surroundings::Surroundings;

pub(super) fn text(found: &[Found], surroundings: &Surroundings) -> String {
    let mut lines = Vec::new();
    for file in found {
        lines.push(format!("{} · {}", file.client.title(), surroundings.shown(&file.path)));
        lines.extend(file.notes.iter().map(|note| format!("  {}", note_line(note))));
        for server in &file.servers {
            lines.push(match &server.outcome {
                Outcome::Ready => format!("  {}: ready", visible(&server.id)),
                Outcome::Refused(reason) => {
                    format!("  {}: refused: {}", visible(&server.id), visible(reason))
                }
            });
            let renamed = server.mapped.iter().filter(|(from, to)| from != to);
            let renamed: Vec<String> =
                renamed.map(|(from, to)| format!("{} → {to}", visible(from))).collect();
            if !renamed.is_empty() {
                lines.push(format!("    mapped: {}", renamed.join(", ")));
            }
            lines.extend(server.notes.iter().map(|note| format!("    {}", note_line(note))));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn note_line(note: &Note) -> String {
    let line = format!("{}: {}: {}", note.severity.as_str(), note.key, note.message);
    visible(&line)
}

pub(super) fn document(found: &[Found], target: &Path, written: &[String]) -> Map<String, Value> {
    let files = found.iter().map(|file| {
        json!({
            "client": file.client.as_str(),
            "path": file.path.display().to_string(),
            "notes": file.notes.iter().map(note_json).collect::<Value>(),
            "servers": file.servers.iter().map(server_json).collect::<Value>(),
        })
    });
    let mut fields = Map::new();
    fields.insert("files".into(), files.collect());
    fields.insert("target".into(), target.display().to_string().into());
    fields.insert("written".into(), json!(written));
    fields
}

fn server_json(server: &ImportedServer) -> Value {
    let (outcome, reason) = match &server.outcome {
        Outcome::Ready => ("ready", None),
        Outcome::Refused(reason) => ("refused", Some(reason)),
    };
    json!({
        "id": server.id,
        "originalName": server.original_name,
        "line": server.line,
        "outcome": outcome,
        "reason": reason,
        "mapped": server.mapped.iter().map(|(from, to)| json!({ "from": from, "to": to }))
            .collect::<Value>(),
        "notes": server.notes.iter().map(note_json).collect::<Value>(),
    })
}

fn note_json(note: &Note) -> Value {
    json!({
        "severity": note.severity.as_str(), "kind": note.kind.as_str(), "key": note.key,
        "line": note.line, "message": note.message,
    })
}
