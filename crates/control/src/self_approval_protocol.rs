//! What a command asks a daemon about itself before it changes what is trusted: whether an agent may
//! have started it. The kernel tells the daemon who asks.

use serde::{Deserialize, Serialize};

pub const CHECK_LINEAGE: &str = "lineage.check";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LineageRequest {
    /// What the command is about to do, for the log.
    pub verb: String,
    /// Whether the system may have it done too, with nobody there.
    pub is_for_services: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineageAnswer {
    /// Whether an agent that is attached may have started the one who asks.
    pub is_an_agents: bool,
}
