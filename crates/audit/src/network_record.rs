//! What a confined process wanted of the network, as it is kept: in the record of the command that wanted
//! it, or in a row of its own for a server, which serves many calls at once.

use serde::Serialize;
use toolgate_store::{AuditEntry, AuditKind};
use toolgate_types::{CorrelationId, NetworkDecision, NetworkVerdict, ServerId};

use crate::journal::{CallJournal, now};

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

#[derive(Serialize)]
struct NetworkBody<'a> {
    word: &'a str,
    network: NetworkRecord,
}

impl CallJournal {
    /// What a server wanted to reach, soon in the store.
    pub fn keep_network(&self, server: &ServerId, decision: &NetworkDecision) {
        let NetworkDecision { host, port, verdict } = decision;
        let target = match port {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        };
        let outcome = match verdict {
            NetworkVerdict::Connected(_) => "connected",
            NetworkVerdict::Refused(_) => "refused",
        };
        let body = NetworkBody { word: AuditKind::Network.as_str(), network: decision.into() };
        self.keep_row(AuditEntry {
            at: now(),
            kind: AuditKind::Network,
            correlation: CorrelationId::next().to_string(),
            round: 0,
            principal: "local".to_owned(),
            client: None,
            role: None,
            session: None,
            workspace: None,
            server: Some(server.to_string()),
            tool: Some(self.masker().mask_text(&target).into_owned()),
            outcome: Some(outcome.to_owned()),
            code: None,
            duration_us: None,
            // Texts and a number: nothing here can fail to be written.
            body: serde_json::to_string(&body).unwrap_or_else(|_| "{}".to_owned()),
        });
    }
}
