//! What a confined process wanted of the network, as it is kept: in the record of the command that wanted
//! it, or in a row of its own for a server, which serves many calls at once.

use serde::Serialize;
use toolgate_types::{NetworkDecision, NetworkVerdict};

/// One host, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetworkRecord {
    pub host: String,
    /// None of a name that was only looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The address that it was reached at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<String>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl From<&NetworkDecision> for NetworkRecord {
    fn from(NetworkDecision { host, port, verdict }: &NetworkDecision) -> Self {
        let (reached, refused) = match verdict {
            NetworkVerdict::Connected(address) => (Some(address.to_string()), None),
            NetworkVerdict::Refused(refusal) => (None, Some(refusal.to_string())),
        };
        Self { host: host.clone(), port: *port, reached, refused }
    }
}
