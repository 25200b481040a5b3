//! `toolgate config show`: the merged configuration, each entry with its origin, secrets masked.

use serde_json::{Map, Value, json};
use toolgate_config::edit::TextEditor;
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{McpConfigLoadResult, show};
use toolgate_terminal::CommandOutput;
use toolgate_types::{EntryKind, EntryStanding, visible};

use crate::args::ScopeArg;
use crate::commands::list::origin;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing::{self, JudgedEntry};

pub(super) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    let known = surroundings.acceptances(&loaded)?;
    let judged = trust_standing::judged(&loaded, &known);
    if output.json {
        output.document(document(&loaded, &judged));
        return Ok(Exit::Ok);
    }
    for source in &loaded.sources {
        let shape = source.shape.as_str();
        output.line(format!("# {}: {} ({shape})", source.layer, source.source));
    }
    for entry in &judged {
        output.line("");
        output.line(format!("# {} · {}", standing_words(entry), entry.origin));
        let path = [section(entry.kind), entry.id.as_str()];
        output.raw(&as_toml(&path, &Value::Object(entry.shown.clone()))?);
    }
    for policy in &loaded.config.policies {
        output.line("");
        output.line(format!("# policy of {} · {}", policy.origin.layer, policy.origin));
        output.raw(&as_toml(&["policy"], &Value::Object(show::policy(&policy.value)))?);
    }
    for (name, value) in show::settings(&loaded.config) {
        output.line("");
        output.raw(&as_toml(&[name.as_str()], &value)?);
    }
    for rejected in &loaded.rejected {
        output.warning(format!(
            "{} {} is invalid: {} ({})",
            rejected.kind,
            visible(&rejected.id),
            visible(&rejected.reason),
            rejected.origin
        ));
    }
    Ok(Exit::Ok)
}

fn standing_words(entry: &JudgedEntry) -> String {
    let layer = entry.origin.layer;
    match &entry.standing {
        EntryStanding::Accepted(trust) => format!("{layer}, {}", trust.as_str()),
        EntryStanding::Pending(reason) => format!("{layer}, pending: {reason}"),
    }
}

fn section(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Server => "servers",
        EntryKind::Tool => "tools",
        EntryKind::Bundle => "bundles",
        EntryKind::Role => "roles",
        EntryKind::Workflow => "workflows",
    }
}

fn document(loaded: &McpConfigLoadResult, judged: &[JudgedEntry]) -> Map<String, Value> {
    let mut fields = Map::new();
    let sources = loaded.sources.iter().map(|source| {
        json!({
            "layer": source.layer.as_str(),
            "source": source.source.to_string(),
            "shape": source.shape.as_str(),
        })
    });
    fields.insert("sources".into(), sources.collect());
    for kind in EntryKind::ALL {
        let entries = judged.iter().filter(|entry| entry.kind == kind).map(|entry| {
            let value = json!({
                "value": entry.shown,
                "origin": origin(&entry.origin),
                "source": entry.origin.layer.as_str(),
                "trust": entry.standing.as_str(),
            });
            (entry.id.clone(), value)
        });
        fields.insert(section(kind).into(), Value::Object(entries.collect()));
    }
    let policies = loaded.config.policies.iter().map(
        |policy| json!({ "value": show::policy(&policy.value), "origin": origin(&policy.origin) }),
    );
    fields.insert("policies".into(), policies.collect());
    fields.extend(show::settings(&loaded.config));
    let rejected = loaded.rejected.iter().map(|entry| {
        json!({
            "kind": entry.kind.as_str(), "id": entry.id, "reason": entry.reason,
            "origin": origin(&entry.origin),
        })
    });
    fields.insert("rejected".into(), rejected.collect());
    fields
}

/// One table as TOML text, with hidden characters visible.
pub(crate) fn as_toml(path: &[&str], value: &Value) -> Result<String, CliFailure> {
    let mut editor = TextEditor::open(ConfigFormat::Toml, "").map_err(CliFailure::new)?;
    editor.set(path, value).map_err(CliFailure::new)?;
    Ok(editor.finish().split('\n').map(visible).collect::<Vec<_>>().join("\n"))
}
