//! What a command says to the daemon about the running of one server, wherever it is hosted.

use serde::{Deserialize, Serialize};

/// Which server.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerRunRequest {
    pub server: String,
}

/// What became of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRuns {
    /// One for each folder that has such a server.
    pub runs: Vec<ServerRun>,
    /// The ids that the daemon knows.
    pub known: Vec<String>,
}

/// One server of one folder, afterwards.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRun {
    pub folder: String,
    pub state: String,
    /// Whether it is as it was wanted.
    #[serde(rename = "done")]
    pub is_done: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

pub const STOP_SERVER: &str = "server.stop";
pub const RESTART_SERVER: &str = "server.restart";
