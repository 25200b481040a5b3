//! How servers are doing, as `mcp.list` tells it and `toolgate status` shows it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toolgate_types::{Layer, ListCost};

use crate::Standpoint;

/// What `mcp.list` is asked.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusRequest {
    #[serde(default)]
    pub scope: StatusScope,
    /// Only of this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Only what counts for a command that is typed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standpoint: Option<Standpoint>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatusScope {
    /// Of the hosts there are.
    #[default]
    Loaded,
    /// Also of a folder that nobody works in now.
    Configured,
}

/// Everything that a daemon hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    pub schema_version: u32,
    pub workspaces: Vec<WorkspaceStatus>,
}

/// What is hosted for one folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceStatus {
    pub folder: String,
    /// Who it is hosted for, where that is not the person who uses this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    pub servers: Vec<ServerRow>,
    /// The role that the person uses there, for whoever comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_in_use: Option<SwitchedRole>,
    /// What the lists of tools cost whoever comes, as far as the servers are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListCost>,
    /// The windows of agents that work there.
    pub attached: Vec<AttachedWindow>,
    /// What is wrong with the configuration that counts.
    pub problems: Vec<String>,
    /// Why a changed configuration does not count: the last good one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A role that is in use by a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SwitchedRole {
    pub role: String,
    /// Where that holds.
    pub scope: String,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerRow {
    pub id: String,
    pub transport: String,
    pub source: String,
    pub origin: String,
    pub enabled: bool,
    /// Where the person switched it off, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<String>,
    pub state: String,
    /// How many tools it has; unknown before it was ever asked.
    pub tools: Option<usize>,
    pub era: Option<String>,
    pub pid: Option<u32>,
    pub processes: usize,
    pub memory_bytes: Option<u64>,
    pub calls: u64,
    pub in_flight: usize,
    pub isolation: String,
    pub failures: u32,
    pub retry_in_ms: Option<u64>,
    pub last_error: Option<String>,
    /// In milliseconds since 1970.
    pub last_connected_at: Option<u64>,
}

/// A window of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedWindow {
    pub client: Option<String>,
    pub role: Option<String>,
    /// The process that uses it.
    pub pid: Option<u32>,
    pub since: u64,
    /// The servers that are off for this window alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
}

impl WorkspaceStatus {
    /// What somebody configured; what Toolgate brings itself does not count.
    pub fn configured(&self) -> impl Iterator<Item = &ServerRow> {
        self.servers.iter().filter(|row| !row.is_brought())
    }

    pub fn has_servers(&self) -> bool {
        self.configured().next().is_some()
    }
}

impl ServerRow {
    /// Whether nobody wrote it down anywhere.
    fn is_brought(&self) -> bool {
        self.transport == "builtin" && self.source == Layer::Runtime.as_str()
    }
}
