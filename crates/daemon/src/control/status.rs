//! How servers are doing, as a command is told.

use std::path::Path;
use std::time::SystemTime;

use toolgate_assembly::AssembledConfig;
use toolgate_config::RejectedEntry;
use toolgate_control::{ServerRow, SwitchedRole, WorkspaceStatus};
use toolgate_types::{EntryKind, ServerState, ServerStatus, SwitchedAway, since_1970};

use crate::login_hint;

/// What is hosted for a folder.
pub(super) fn workspace_status(
    folder: &Path,
    servers: Vec<ServerStatus>,
    prepared: &AssembledConfig,
    refused: Option<String>,
) -> WorkspaceStatus {
    let found = &prepared.loaded;
    let broken = found.rejected.iter().filter(|rejected| rejected.kind == EntryKind::Server);
    let broken = broken.map(broken_row);
    let switched = &prepared.config.switched;
    WorkspaceStatus {
        folder: folder.display().to_string(),
        principal: None,
        servers: servers.into_iter().map(|one| row(one, switched)).chain(broken).collect(),
        role_in_use: switched.role.as_ref().map(|(role, scope)| SwitchedRole {
            role: role.as_str().to_owned(),
            scope: scope.to_string(),
        }),
        lists: Vec::new(),
        attached: Vec::new(),
        problems: found.problems.clone(),
        refused,
    }
}

/// Of a folder that nobody works in now: nothing of it runs.
pub(super) fn idle_workspace(folder: &Path, prepared: &AssembledConfig) -> WorkspaceStatus {
    let host = toolgate_host::Host::builder()
        .config(prepared.config.clone())
        .acceptances(prepared.acceptances.clone())
        .build();
    workspace_status(folder, host.status(), prepared, None)
}

fn row(status: ServerStatus, switched: &SwitchedAway) -> ServerRow {
    let milliseconds = |time: SystemTime| since_1970(time);
    let id = status.id.to_string();
    ServerRow {
        id: id.clone(),
        transport: status.transport.to_owned(),
        source: status.source.to_owned(),
        origin: status.origin,
        enabled: status.enabled,
        switched_off: switched.off.get(&status.id).map(ToString::to_string),
        state: status.state.as_str().to_owned(),
        tools: status.tools,
        era: status.connection.map(|spoken| spoken.era.to_owned()),
        pid: status.pid,
        processes: status.processes,
        memory_bytes: status.memory_bytes,
        calls: status.calls,
        in_flight: status.in_flight,
        isolation: status.isolation.as_str().to_owned(),
        failures: status.failures,
        retry_in_ms: status.retry_in.and_then(|time| u64::try_from(time.as_millis()).ok()),
        last_error: status.last_error.map(|error| with_command(status.state, &id, error)),
        last_connected_at: status.last_connected_at.map(milliseconds),
    }
}

/// A server that wants a login is told with what to do about it.
fn with_command(state: ServerState, id: &str, error: String) -> String {
    match state {
        ServerState::AuthRequired | ServerState::RegistrationRequired => {
            let hint = login_hint(id, &error);
            // First: a table has room for the beginning alone.
            format!("{hint}; {error}")
        }
        _ => error,
    }
}

/// An entry that cannot be understood is there all the same: somebody wrote it.
fn broken_row(rejected: &RejectedEntry) -> ServerRow {
    ServerRow {
        id: rejected.id.clone(),
        transport: "-".to_owned(),
        source: rejected.origin.layer.as_str().to_owned(),
        origin: rejected.origin.to_string(),
        enabled: true,
        switched_off: None,
        state: "error".to_owned(),
        tools: None,
        era: None,
        pid: None,
        processes: 0,
        memory_bytes: None,
        calls: 0,
        in_flight: 0,
        isolation: "-".to_owned(),
        failures: 0,
        retry_in_ms: None,
        last_error: Some(rejected.reason.clone()),
        last_connected_at: None,
    }
}
