//! `toolgate list`: the configured servers, without starting or contacting anything unless their health
//! is asked for.

use serde::Serialize;
use serde_json::{Map, Value, json};
use toolgate_config::{McpConfigLoadResult, Severity};
use toolgate_daemon::{CheckServers, MissingServer, ServerHealth};
use toolgate_terminal::{CommandOutput, counted, one_line, table};
use toolgate_types::{
    Acceptances, EntryKind, EntryStanding, Layer, ServerState, SwitchedAway, visible,
};

use crate::args::ListArgs;
use crate::command_host::refuse_unread;
use crate::errand::{self, ErrandPlace};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

/// One server as it is listed.
struct ListedServer {
    cells: Vec<String>,
    document: Value,
    /// Nobody wrote it down: Toolgate brings it itself.
    is_brought: bool,
}

pub(crate) fn run(
    arguments: &ListArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut loaded = surroundings.load_shown(arguments.scope);
    surroundings.switch(&mut loaded)?;
    if let Some(problem) = loaded.problems.iter().find(|p| p.rule == "missing-file") {
        return Err(CliFailure::new(problem));
    }
    refuse_unread(&loaded)?;
    for source in &loaded.sources {
        output.detail(format!(
            "read {} ({}, {})",
            source.source,
            source.layer,
            source.shape.as_str()
        ));
    }
    let known = surroundings.acceptances(&loaded)?;
    let mut listed = servers(&loaded, &known);
    let mut header = vec!["id", "transport", "source", "enabled", "trust"];
    let mut exit = Exit::Ok;
    if arguments.check {
        let place = ErrandPlace::new(false);
        let health = errand::run(&CheckServers {}, place, surroundings, output)??;
        header.push("health");
        listed.iter_mut().for_each(|server| server.add_health(&health));
        exit = exit_of(&health);
    }
    let broken = loaded.problems.iter().filter(|p| p.severity == Severity::Error).count();
    let is_any_configured = listed.iter().any(|server| !server.is_brought);
    if output.json {
        let mut fields = Map::new();
        let documents: Vec<Value> = listed.into_iter().map(|server| server.document).collect();
        fields.insert("servers".into(), documents.into());
        fields.insert("problems".into(), broken.into());
        output.document(fields);
    } else {
        if !is_any_configured {
            output.line("no MCP servers configured");
        }
        if !listed.is_empty() {
            let rows: Vec<_> = listed.into_iter().map(|server| server.cells).collect();
            output.raw(&table(&header, &rows));
        }
    }
    tell_switches(&loaded.config.switched, output);
    if broken > 0 {
        let problems = counted(broken, "problem");
        output.warning(format!("{problems} in the configuration; see `toolgate config check`"));
    }
    // What is listed is not all: something that is written counts for nothing.
    let Some(failed) = loaded.failed.first() else { return Ok(exit) };
    output.warning_lines(&failed.problem.to_string());
    Ok(Exit::Error)
}

/// What the person switched away, and how it comes back.
fn tell_switches(switched: &SwitchedAway, output: &mut CommandOutput) {
    for (id, scope) in &switched.off {
        let scope = visible(&scope.to_string());
        output
            .note(format!("{id} is off by a switch ({scope}); `toolgate on {id}` brings it back"));
    }
    if let Some((role, scope)) = &switched.role {
        let scope = visible(&scope.to_string());
        output.note(format!("role {role} is in use ({scope}); `toolgate use --all` ends that"));
    }
}

/// Those that are configured, those that Toolgate brings itself, and those that make no sense.
fn servers(loaded: &McpConfigLoadResult, known: &Acceptances) -> Vec<ListedServer> {
    let mut listed = Vec::new();
    for (id, entry) in &loaded.config.servers {
        let standing = trust_standing::server_standing(id.as_str(), entry, known);
        let transport = entry.value.transport.as_str();
        let source = entry.origin.layer.as_str();
        let enabled = entry.value.enabled;
        let trust = standing.as_str();
        let off = loaded.config.switched.off.get(id).map(ToString::to_string);
        let word = if off.is_some() { "off" } else { bool_word(enabled) };
        let cells = [id.as_str(), transport, source, word, trust];
        let mut document = json!({
            "id": id.as_str(), "transport": transport, "source": source, "enabled": enabled,
            "trust": trust, "origin": origin(&entry.origin),
        });
        if let (EntryStanding::Pending(reason), Value::Object(fields)) = (&standing, &mut document)
        {
            fields.insert("pendingReason".into(), reason.to_string().into());
        }
        if let (Some(off), Value::Object(fields)) = (off, &mut document) {
            fields.insert("switchedOff".into(), off.into());
        }
        let is_brought = transport == "builtin" && entry.origin.layer == Layer::Runtime;
        listed.push(ListedServer {
            cells: cells.map(str::to_owned).to_vec(),
            document,
            is_brought,
        });
    }
    for rejected in loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server) {
        let (id, source) = (visible(&rejected.id), rejected.origin.layer.as_str());
        let document = json!({
            "id": id, "transport": null, "source": source, "enabled": false, "trust": "invalid",
            "error": visible(&rejected.reason), "origin": origin(&rejected.origin),
        });
        let cells = vec![id, "-".into(), source.into(), "false".into(), "invalid".into()];
        listed.push(ListedServer { cells, document, is_brought: false });
    }
    listed
}

#[derive(Serialize)]
struct HealthJson<'a> {
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ListedServer {
    fn add_health(&mut self, all: &[ServerHealth]) {
        let its = all.iter().find(|health| Some(&health.id) == self.cells.first());
        let (word, missing) = match its {
            Some(health) => (health.word.as_str(), health.missing.as_ref()),
            None => ("invalid", None),
        };
        let says = |one: &&MissingServer| one.error.is_some() && one.state != ServerState::Pending;
        let missing = missing.filter(says);
        let error = missing.and_then(|one| one.error.as_deref());
        self.cells.push(match error {
            Some(error) => format!("{word}: {}", one_line(error)),
            None => word.to_owned(),
        });
        if let Value::Object(fields) = &mut self.document {
            let health = HealthJson { state: word, error: error.map(str::to_owned) };
            fields.insert("health".into(), serde_json::to_value(health).unwrap_or_default());
        }
    }
}

/// That of the first which is not well, and is to be.
fn exit_of(all: &[ServerHealth]) -> Exit {
    let mut missing = all.iter().filter_map(|health| health.missing.as_ref());
    let first = missing.find(|one| one.state != ServerState::Disabled);
    first.map_or(Exit::Ok, MissingServer::exit)
}

pub(crate) fn origin(origin: &toolgate_types::Origin) -> Value {
    json!({ "source": origin.source.to_string(), "key": origin.key, "line": origin.line })
}

fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
