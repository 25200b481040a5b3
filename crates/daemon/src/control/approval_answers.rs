//! What waits for the person, for the person's commands: shown and answered.
//!
//! **An agent must not approve itself**, nor for its neighbour. Who answers is looked at before
//! anything else is: by what the kernel says of the socket's other end, and not by what that says.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;
use toolgate_control::procfs::ProcessIdentity;
use toolgate_control::{AnswerHeard, ApprovalAnswer, ChoiceWord, PendingApprovals};
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_guard::{
    ApprovalReference, ApprovalRequest, ApprovalVerdict, Approver, WaitingApproval,
};
use toolgate_types::config::Channel;
use toolgate_types::{Digest, Requester, since_1970};

use super::pending_approval::pending_approval;
use super::{PersonCommands, written};
use crate::lineage::{self, AgentClients, HttpCallers, ProcessChain};
use crate::visitors::AttachedVisitors;

impl PersonCommands {
    pub(super) fn approvals(&self) -> PendingApprovals {
        PendingApprovals { approvals: self.queued().iter().map(pending_approval).collect() }
    }

    /// What waits and may be answered here, the oldest first.
    pub(super) fn queued(&self) -> Vec<WaitingApproval> {
        let waiting = self.contexts.approvals.waiting().into_iter();
        waiting.filter(|one| one.request.is_for(Channel::Queue)).collect()
    }

    pub(super) async fn answer(
        &self,
        params: Option<&RawValue>,
        peer: &ControlPeer,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        let params = params.map_or("null", RawValue::get);
        let ApprovalAnswer { reference, choice: ChoiceWord(choice), reason, seen } =
            serde_json::from_str(params)
                .map_err(|error| CommandDeclined::Params(error.to_string()))?;
        let reference = ApprovalReference::from(&*reference);
        // Also one whose yes was not used yet: a no still wins.
        let found = self.contexts.approvals.find(&reference);
        let since = found.as_ref().map_or(0, |waiting| waiting.since);
        let request = found.map(|waiting| waiting.request);
        let request = request.filter(|request| request.is_for(Channel::Queue));
        let (chain, is_an_agents) = self.who_is(peer, request.clone()).await?;
        if is_an_agents {
            warn_of(&chain, reference.as_str());
            return written(&AnswerHeard::Refused);
        }
        let Some(request) = request else {
            let why = self.contexts.approvals.why_not(&reference);
            return written(&AnswerHeard::NotTaken { why: why.to_string() });
        };
        let after = Duration::from_millis(since_1970(SystemTime::now()).saturating_sub(since));
        let processes = Some(chain.to_string());
        let approver = Approver { channel: "queue", processes, after: Some(after) };
        let seen = seen.as_deref().and_then(Digest::from_hex);
        let verdict = ApprovalVerdict { choice, approver, reason, seen };
        let answered = self.contexts.approvals.answer(&reference, verdict);
        written(&match answered {
            Ok(()) => {
                AnswerHeard::Taken { server: request.server.clone(), tool: request.tool.clone() }
            }
            Err(why) => AnswerHeard::NotTaken { why: why.to_string() },
        })
    }

    /// The process at the other end with everybody above it, and whether it may be an agent's: of an
    /// agent that is attached, or of whoever this request came from.
    async fn who_is(
        &self,
        peer: &ControlPeer,
        request: Option<Arc<ApprovalRequest>>,
    ) -> Result<(ProcessChain, bool), CommandDeclined> {
        let (pid, visitors) = (peer.pid, Arc::clone(&self.visitors));
        let looked = tokio::task::spawn_blocking(move || {
            let (chain, is_an_agents) = look(pid, &visitors);
            let is_its_own = |it: Arc<ApprovalRequest>| {
                requesting(&it, &visitors.callers).may_have_started(&chain)
            };
            let is_its_own = request.is_some_and(is_its_own);
            (chain, is_an_agents || is_its_own)
        });
        looked.await.map_err(|error| CommandDeclined::Failed(error.to_string()))
    }
}

/// A process with everybody above it, and whether an agent that is attached, here or to another gate,
/// may have started it.
pub(super) fn look(pid: Option<u32>, visitors: &AttachedVisitors) -> (ProcessChain, bool) {
    // Nobody has the number zero: one that cannot be seen from here.
    let chain = lineage::chain_of(pid.unwrap_or(0));
    let is_an_agents = chain.is_nobodys()
        || visitors.may_have_started(&chain)
        || lineage::a_gate_may_have_started(&chain);
    (chain, is_an_agents)
}

/// Puts into the log that somebody who must not would have answered this.
pub(super) fn warn_of(chain: &ProcessChain, about: &str) {
    let why = "an agent's program would answer what waits for the user";
    tracing::warn!(target: "toolgate", %chain, about, "{why}");
}

/// Whoever an approval request came from. Who cannot be found may be anybody, so that answering needs a
/// terminal.
fn requesting(request: &ApprovalRequest, callers: &HttpCallers) -> AgentClients {
    match request.caller.as_ref().map(|caller| &caller.requester) {
        Some(Requester::Processes { processes, is_hidden }) => AgentClients {
            processes: processes
                .iter()
                .map(|&(pid, start)| ProcessIdentity { pid, start })
                .collect(),
            heads: Vec::new(),
            is_hidden: *is_hidden,
        },
        Some(Requester::Peer(link)) => callers.behind(link),
        Some(Requester::Unknown) | None => AgentClients::only(None),
    }
}
