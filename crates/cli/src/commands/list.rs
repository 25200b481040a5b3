//! `toolgate list`: the configured servers, without starting or contacting anything.

use serde_json::{Map, Value, json};
use toolgate_config::Severity;
use toolgate_terminal::{CommandOutput, counted, table};
use toolgate_types::{EntryKind, EntryStanding, visible};

use crate::args::ListArgs;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(crate) fn run(
    arguments: &ListArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load(arguments.scope);
    if let Some(problem) = loaded.problems.iter().find(|p| p.rule == "missing-file") {
        return Err(CliFailure::new(problem));
    }
    for source in &loaded.sources {
        output.detail(format!(
            "read {} ({}, {})",
            source.source,
            source.layer,
            source.shape.as_str()
        ));
    }
    let known = surroundings.acceptances(&loaded)?;
    let mut rows = Vec::new();
    let mut documents = Vec::new();
    for (id, entry) in &loaded.config.servers {
        let standing = trust_standing::server_standing(id.as_str(), entry, &known);
        let transport = entry.value.transport.as_str();
        let source = entry.origin.layer.as_str();
        let enabled = entry.value.enabled;
        let trust = standing.as_str();
        rows.push(
            [id.as_str(), transport, source, bool_word(enabled), trust].map(str::to_owned).to_vec(),
        );
        let mut document = json!({
            "id": id.as_str(), "transport": transport, "source": source, "enabled": enabled,
            "trust": trust, "origin": origin(&entry.origin),
        });
        if let (EntryStanding::Pending(reason), Value::Object(fields)) = (&standing, &mut document)
        {
            fields.insert("pendingReason".into(), reason.to_string().into());
        }
        documents.push(document);
    }
    for rejected in loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server) {
        let (id, source) = (visible(&rejected.id), rejected.origin.layer.as_str());
        documents.push(json!({
            "id": id, "transport": null, "source": source, "enabled": false, "trust": "invalid",
            "error": visible(&rejected.reason), "origin": origin(&rejected.origin),
        }));
        rows.push(vec![id, "-".into(), source.into(), "false".into(), "invalid".into()]);
    }
    let broken = loaded.problems.iter().filter(|p| p.severity == Severity::Error).count();
    if output.json {
        let mut fields = Map::new();
        fields.insert("servers".into(), documents.into());
        fields.insert("problems".into(), broken.into());
        output.document(fields);
    } else if rows.is_empty() {
        output.line("no MCP servers configured");
    } else {
        output.raw(&table(&["id", "transport", "source", "enabled", "trust"], &rows));
    }
    if broken > 0 {
        let problems = counted(broken, "problem");
        output.warning(format!("{problems} in the configuration; see `toolgate config check`"));
    }
    Ok(Exit::Ok)
}

pub(crate) fn origin(origin: &toolgate_types::Origin) -> Value {
    json!({ "source": origin.source.to_string(), "key": origin.key, "line": origin.line })
}

fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
