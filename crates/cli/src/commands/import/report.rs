//! What an import tells: each server with what it would run or dial, what became of its keys, and
//! what a person should know.
//!
//! Values are shown as they are written. Only in what a client keeps for the person are tokens that
//! stand under a name for tokens left out: nobody else put them there, and they run nothing.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolgate_config::TakenCredential;
use toolgate_config::clients::{ImportNote, ImportOutcome, ImportedServer};
use toolgate_types::{is_sensitive_name, visible};

use super::{FoundFile, FoundServer};
use crate::surroundings::Surroundings;
use toolgate_config::show::entry_text;

pub(super) fn text(found: &[FoundFile], surroundings: &Surroundings) -> String {
    let mut lines = Vec::new();
    for file in found {
        lines.push(format!("{} · {}", file.client.title(), surroundings.shown(&file.path)));
        lines.extend(file.notes.iter().map(|note| format!("  {}", note_line(note))));
        for FoundServer { server, scope, taken } in &file.servers {
            lines.push(match &server.outcome {
                ImportOutcome::Ready => {
                    format!("  {}: ready, {} scope", visible(&server.id), scope.as_str())
                }
                ImportOutcome::Refused(reason) => {
                    format!("  {}: refused: {}", visible(&server.id), visible(reason))
                }
            });
            for (key, value) in entry_text::rows(&entry_of(server, file.is_own)) {
                lines.push(format!("    {key:<17} {value}"));
            }
            let renamed = server.mapped.iter().filter(|(from, to)| from != to);
            let renamed: Vec<String> =
                renamed.map(|(from, to)| format!("{} → {to}", visible(from))).collect();
            if !renamed.is_empty() {
                lines.push(format!("    mapped: {}", renamed.join(", ")));
            }
            lines.extend(server.notes.iter().map(|note| format!("    {}", note_line(note))));
            lines.extend(taken.iter().map(|one| format!("    {}", export_line(one))));
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

/// The entry as it would be written, without the person's own tokens.
fn entry_of(server: &ImportedServer, is_own: bool) -> Map<String, Value> {
    let mut entry = server.entry.clone();
    if !is_own || server.is_of_project {
        return entry;
    }
    for key in ["env", "headers", "oauth"] {
        let table = entry.get_mut(key).and_then(Value::as_object_mut);
        for (name, value) in table.into_iter().flatten() {
            if let Value::String(text) = value
                && is_sensitive_name(name)
                && is_token(text)
            {
                *text = format!("<secret {name}, {} characters>", text.len());
            }
        }
    }
    entry
}

/// What stays out of a project's file, and the line that gives it to the server all the same. The
/// value is where it was; here it is not repeated.
pub(in crate::commands) fn export_line(taken: &TakenCredential) -> String {
    let TakenCredential { variable, key, .. } = taken;
    let key = visible(key);
    format!("a credential stays out of the project's file; give it with: export {variable}=<{key}>")
}

/// Long, and of characters that make no command.
fn is_token(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "_./+=~-".contains(c);
    text.len() >= 16 && text.chars().all(is_usual)
}

fn note_line(note: &ImportNote) -> String {
    let line = format!("{}: {}: {}", note.severity.as_str(), note.key, note.message);
    visible(&line)
}

pub(super) fn document(
    found: &[FoundFile],
    target: &Path,
    written: &[String],
) -> Map<String, Value> {
    let files = found.iter().map(|file| {
        json!({
            "client": file.client.as_str(),
            "path": file.path.display().to_string(),
            "notes": file.notes.iter().map(note_json).collect::<Value>(),
            "servers": file.servers.iter().map(|found| server_json(found, file.is_own))
                .collect::<Value>(),
        })
    });
    let mut fields = Map::new();
    fields.insert("files".into(), files.collect());
    fields.insert("target".into(), target.display().to_string().into());
    fields.insert("written".into(), json!(written));
    fields
}

fn server_json(FoundServer { server, scope, taken }: &FoundServer, is_own: bool) -> Value {
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
        "entry": entry_of(server, is_own),
        "mapped": server.mapped.iter().map(|(from, to)| json!({ "from": from, "to": to }))
            .collect::<Value>(),
        "notes": server.notes.iter().map(note_json).collect::<Value>(),
    })
}

fn note_json(note: &ImportNote) -> Value {
    json!({
        "severity": note.severity.as_str(), "kind": note.kind.as_str(), "key": note.key,
        "line": note.line, "message": note.message,
    })
}
