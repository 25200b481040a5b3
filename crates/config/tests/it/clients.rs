//! Other clients' files: what comes of each sample, what never comes of any, what is written back.
//!
//! The samples stand in `tests/clients/<client>/` at the top of the repository. This file holds
//! what the modules share; it tests nothing itself.

mod claude;
mod client_edit;
mod codex;
mod connect;
mod continue_dev;
mod cursor;
mod gemini;
mod import_search;
mod never;
mod opencode;
mod places;
mod random;
mod vscode;
mod windsurf;
mod zed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_config::Problem;
use toolgate_config::clients::{
    ImportNote, ImportOutcome, ImportRequest, ImportedFile, ImportedServer, KnownClient, import,
};
use toolgate_types::ConfigSource;

/// Every sample, with the client it is of.
const SAMPLES: [(KnownClient, &str); 11] = [
    (KnownClient::ClaudeCode, "claude-code/.mcp.json"),
    (KnownClient::ClaudeCode, "claude-code/.claude.json"),
    (KnownClient::ClaudeDesktop, "claude-desktop/claude_desktop_config.json"),
    (KnownClient::Cursor, "cursor/mcp.json"),
    (KnownClient::VsCode, "vscode/mcp.json"),
    (KnownClient::Codex, "codex/config.toml"),
    (KnownClient::Opencode, "opencode/opencode.jsonc"),
    (KnownClient::Opencode, "opencode/opencode.v2.json"),
    (KnownClient::Gemini, "gemini/settings.json"),
    (KnownClient::Windsurf, "windsurf/mcp_config.json"),
    (KnownClient::Zed, "zed/settings.json"),
];

/// The variables that are set; each holds its own name in small letters.
const SET: [&str; 15] = [
    "API_KEY",
    "CRM_CLIENT_ID",
    "CRM_CLIENT_SECRET",
    "DATABASE_URL",
    "DATA_DIR",
    "DB_CONNECTION_STRING",
    "DOCS_TOKEN",
    "FILES_ROOT",
    "FILES_TOKEN",
    "GITHUB_TOKEN",
    "HTTPS_PROXY",
    "LINEAR_TOKEN",
    "LINEAR_WORKSPACE",
    "SENTRY_ORG",
    "SENTRY_TOKEN",
];

fn variables() -> BTreeMap<String, String> {
    let more = ["FIGMA_TOKEN", "TRACE_ID"];
    let value = |name: &&str| ((*name).to_owned(), format!("value-of-{}", name.to_lowercase()));
    SET.iter().chain(&more).map(value).collect()
}

fn sample(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

/// Imports a text for the workspace `/home/dev/shop`.
fn try_import(client: KnownClient, text: &str) -> Result<ImportedFile, Vec<Problem>> {
    import(&ImportRequest {
        client,
        source: Arc::new(ConfigSource::File(PathBuf::from("sample"))),
        text,
        workspace: Path::new("/home/dev/shop"),
        home: Path::new("/home/dev"),
        variables: &variables(),
        project_keys: &["/home/dev/shop".to_owned()],
        switched_off: &[],
    })
}

fn import_text(client: KnownClient, text: &str) -> ImportedFile {
    try_import(client, text).unwrap()
}

fn import_sample(client: KnownClient, file: &str) -> ImportedFile {
    import_text(client, &sample(file))
}

/// One server of a JSON text, by the name it has there.
fn import_one(client: KnownClient, server: &Value) -> ImportedServer {
    let servers = json!({ "it": server });
    let text = match client {
        KnownClient::VsCode => json!({ "servers": servers }),
        KnownClient::Opencode => json!({ "mcp": servers }),
        KnownClient::Zed => json!({ "context_servers": servers }),
        _ => json!({ "mcpServers": servers }),
    };
    import_text(client, &text.to_string()).servers.remove(0)
}

fn server<'i>(imported: &'i ImportedFile, name: &str) -> &'i ImportedServer {
    imported.servers.iter().find(|server| server.original_name == name).unwrap()
}

/// Everything an import says, for a snapshot. Samples hold no real secret.
fn shown(imported: &ImportedFile) -> Value {
    let servers: Vec<Value> = imported.servers.iter().map(shown_server).collect();
    json!({ "servers": servers, "notes": shown_notes(&imported.notes) })
}

fn shown_server(server: &ImportedServer) -> Value {
    let outcome = match &server.outcome {
        ImportOutcome::Ready => "ready".to_owned(),
        ImportOutcome::Refused(reason) => format!("refused: {reason}"),
    };
    let mapped = server.mapped.iter().filter(|(from, to)| from != to);
    let mapped: Vec<String> = mapped.map(|(from, to)| format!("{from} -> {to}")).collect();
    json!({
        "id": server.id,
        "name": server.original_name,
        "outcome": outcome,
        "entry": server.entry,
        "renamed keys": mapped,
        "notes": shown_notes(&server.notes),
    })
}

fn shown_notes(notes: &[ImportNote]) -> Vec<String> {
    let shown = |note: &ImportNote| {
        let (severity, kind) = (note.severity.as_str(), note.kind.as_str());
        format!("{}: {severity}[{kind}]: {}: {}", note.line, note.key, note.message)
    };
    notes.iter().map(shown).collect()
}
