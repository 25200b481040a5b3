//! The row of what a confined server wanted to reach: it serves many calls at once, so it is in no call's.

use serde::Serialize;
use toolgate_store::{AuditEntry, AuditKind};
use toolgate_types::{CorrelationId, NetworkDecision, NetworkVerdict, ServerId};

use crate::journal::{CallJournal, now};
use crate::network_record::NetworkRecord;

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
