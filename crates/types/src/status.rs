//! How a server is doing, as data for a screen.

use std::time::{Duration, SystemTime};

use crate::ServerId;

words! {
    /// The states a server can be in.
    ServerState {
        /// Configured, never or not any more connected; it is started when it is used.
        Idle = "idle",
        Disabled = "disabled",
        /// Not accepted by a person yet.
        Pending = "pending",
        Connecting = "connecting",
        /// It answers only after a login.
        AuthRequired = "auth_required",
        Ready = "ready",
        Error = "error",
    }
}

/// One server, now.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    pub id: ServerId,
    pub state: ServerState,
    pub transport: &'static str,
    /// The last thing that went wrong, also when it has recovered since.
    pub last_error: Option<String>,
    pub last_connected_at: Option<SystemTime>,
    /// How long nothing is tried, after failures.
    pub retry_in: Option<Duration>,
    /// Failures in a row.
    pub failures: u32,
    pub connection: Option<Spoken>,
    /// How many tools it is known to have; `None` before it was ever asked.
    pub tools: Option<usize>,
}

/// What a connected server said of itself.
#[derive(Debug, Clone)]
pub struct Spoken {
    /// `legacy` or `modern`.
    pub era: &'static str,
    /// The revision of the protocol.
    pub revision: &'static str,
    pub name: Option<String>,
    pub version: Option<String>,
    pub instructions: Option<String>,
}
