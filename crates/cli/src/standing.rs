//! How servers are doing, as `mcp.list` tells it and `toolgate status` shows it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use toolgate_config::Rejected;
use toolgate_types::{EntryKind, Layer, ServerStatus, since_1970};

use crate::contexts::Prepared;
use crate::errand::words::Standpoint;

/// What `mcp.list` is asked.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    #[serde(default)]
    pub(crate) scope: Scope,
    /// Only of this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<PathBuf>,
    /// Only what counts for a command that is typed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) standpoint: Option<Standpoint>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// Of the hosts there are.
    #[default]
    Loaded,
    /// Also of a folder that nobody works in now.
    Configured,
}

/// Everything that a daemon hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed {
    pub(crate) schema_version: u32,
    pub(crate) workspaces: Vec<Workspace>,
}

/// What is hosted for one folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Workspace {
    pub(crate) folder: String,
    /// Who it is hosted for, where that is not the person who uses this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) principal: Option<String>,
    pub(crate) servers: Vec<Row>,
    /// The windows of agents that work there.
    pub(crate) attached: Vec<Attached>,
    /// What is wrong with the configuration that counts.
    pub(crate) problems: Vec<String>,
    /// Why a changed configuration does not count: the last good one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) transport: String,
    pub(crate) source: String,
    pub(crate) origin: String,
    pub(crate) enabled: bool,
    pub(crate) state: String,
    /// How many tools it has; unknown before it was ever asked.
    pub(crate) tools: Option<usize>,
    pub(crate) era: Option<String>,
    pub(crate) pid: Option<u32>,
    pub(crate) processes: usize,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) calls: u64,
    pub(crate) in_flight: usize,
    pub(crate) isolation: String,
    pub(crate) failures: u32,
    pub(crate) retry_in_ms: Option<u64>,
    pub(crate) last_error: Option<String>,
    /// In milliseconds since 1970.
    pub(crate) last_connected_at: Option<u64>,
}

/// A window of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attached {
    pub(crate) client: Option<String>,
    pub(crate) role: Option<String>,
    /// The process that uses it.
    pub(crate) pid: Option<u32>,
    pub(crate) since: u64,
}

impl Workspace {
    pub(crate) fn of(
        folder: &Path,
        servers: Vec<ServerStatus>,
        prepared: &Prepared,
        refused: Option<String>,
    ) -> Self {
        let found = &prepared.loaded;
        let broken = found.rejected.iter().filter(|rejected| rejected.kind == EntryKind::Server);
        let broken = broken.map(Row::broken);
        Self {
            folder: folder.display().to_string(),
            principal: None,
            servers: servers.into_iter().map(Row::of).chain(broken).collect(),
            attached: Vec::new(),
            problems: found.problems.clone(),
            refused,
        }
    }

    /// What somebody configured; what Toolgate brings itself does not count.
    pub(crate) fn configured(&self) -> impl Iterator<Item = &Row> {
        self.servers.iter().filter(|row| !row.is_brought())
    }

    pub(crate) fn has_servers(&self) -> bool {
        self.configured().next().is_some()
    }

    /// Of a folder that nobody works in now: nothing of it runs.
    pub(crate) fn idle(folder: &Path, prepared: &Prepared) -> Self {
        let host = toolgate_host::Host::builder()
            .config(prepared.config.clone())
            .acceptances(prepared.acceptances.clone())
            .build();
        Self::of(folder, host.status(), prepared, None)
    }
}

impl Row {
    fn of(status: ServerStatus) -> Self {
        let milliseconds = |time: SystemTime| since_1970(time);
        Self {
            id: status.id.to_string(),
            transport: status.transport.to_owned(),
            source: status.source.to_owned(),
            origin: status.origin,
            enabled: status.enabled,
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
            last_error: status.last_error,
            last_connected_at: status.last_connected_at.map(milliseconds),
        }
    }

    /// Whether nobody wrote it down anywhere.
    fn is_brought(&self) -> bool {
        self.transport == "builtin" && self.source == Layer::Runtime.as_str()
    }

    /// An entry that cannot be understood is there all the same: somebody wrote it.
    fn broken(rejected: &Rejected) -> Self {
        Self {
            id: rejected.id.clone(),
            transport: "-".to_owned(),
            source: rejected.origin.layer.as_str().to_owned(),
            origin: rejected.origin.to_string(),
            enabled: true,
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
}
