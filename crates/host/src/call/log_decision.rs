//! What the log is told of the decisions on one call: whether its name was seen, what was ruled, who
//! was asked. Nothing of what a call brings or what comes of it: names are masked, the rest is ours.
//!
//! A call that succeeds pays for the question whether anybody listens, and for nothing else.

use toolgate_audit::CallRecord;
use toolgate_guard::{Decision, MatterKind, MatterOwner, ToolExposure};
use toolgate_types::{ListKind, ServerId, SessionId};
use tracing::{Level, debug, enabled};

use super::call_trouble::CallTrouble;
use super::decide::session;
use super::{Call, CallOptions, CallTarget, LONGEST_LINE};
use crate::{Audience, Host};

impl Host {
    /// Why a caller was told that there is no such thing: the caller learns only that.
    pub(super) fn log_unseen(&self, call: &Call, record: &CallRecord, trouble: &CallTrouble) {
        if !enabled!(Level::DEBUG) || !matches!(trouble, CallTrouble::NotFound(_)) {
            return;
        }
        let id = record.correlation();
        let session = session(&call.options).map(SessionId::shown);
        let name = self.masked_name(call.target.name());
        let hidden = match &call.target {
            CallTarget::Named { audience, name } => self.hidden_like(audience, name),
            CallTarget::Exact { audience, server, tool } => {
                self.why_hidden(audience, server, tool).into_iter().collect()
            }
            CallTarget::Listed(_) => Vec::new(),
        };
        if hidden.is_empty() {
            debug!(call = %id, session, name, "no server has what was called");
        }
        for (server, why) in hidden {
            debug!(call = %id, session, server = server.as_str(), name, why, "what was called is hidden");
        }
    }

    pub(super) fn log_decision(
        &self,
        record: &CallRecord,
        options: &CallOptions,
        server: &ServerId,
        decision: &Decision,
    ) {
        if !enabled!(Level::DEBUG) {
            return;
        }
        let session = session(options).map(SessionId::shown);
        let rule = self.masked_name(&decision.rule());
        let ruling = decision.word();
        debug!(call = %record.correlation(), session, server = server.as_str(), ruling, rule, "call decided");
    }

    /// Tools that are known and hidden, and that a caller may have meant: their own name is the end
    /// of what was called, in whatever form.
    fn hidden_like(&self, audience: &Audience, name: &str) -> Vec<(ServerId, String)> {
        let mut hidden = Vec::new();
        for upstream in self.inner.servers.all() {
            let Some(listing) = upstream.known(ListKind::Tools) else { continue };
            let meant = listing.items.iter().filter(|tool| name.ends_with(&*tool.key));
            let why = |tool: &str| self.why_hidden(audience, upstream.id(), tool);
            hidden.extend(meant.filter_map(|tool| why(&tool.key)));
        }
        hidden
    }

    fn why_hidden(
        &self,
        audience: &Audience,
        server: &ServerId,
        tool: &str,
    ) -> Option<(ServerId, String)> {
        let view = self.view(audience);
        let visibility = view.rules()?.visibility();
        match visibility.exposes(MatterOwner::Server(server), MatterKind::Tool, tool) {
            ToolExposure::Hidden { why } => {
                Some((server.clone(), self.masked_name(&why.to_string())))
            }
            ToolExposure::Direct | ToolExposure::Meta => None,
        }
    }

    /// What a caller or a file calls something may hold a secret of this very host.
    fn masked_name(&self, name: &str) -> String {
        self.inner.journal.masker().mask_and_cut(name, LONGEST_LINE)
    }
}
