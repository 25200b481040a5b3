//! Everything before a call runs, up to the proof that it may; done again after a person was asked.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use toolgate_audit::{CallRecord, CallStep};
use toolgate_guard::{
    ApprovalConsent, ApprovalSubject, PermissionWithheld, Permitted, Refusal, UnaskedDecision,
};
use toolgate_types::{Definition, Digest, Operation};
use toolgate_upstream::{ConnectionLease, PreparedCommand, Upstream};

use super::Call;
use super::call_trouble::CallTrouble;
use super::returned_answers::ApprovedCall;
use crate::Host;
use crate::entry::{ToolEntry, ToolSource, identity, unchosen};

/// How far a call came.
pub(super) enum PreparedCall {
    Ready(ReadyCall),
    /// A person has to be asked first.
    Unasked(Box<PersonQuestion>),
    /// It is a tool of the host itself.
    Own(Arc<ToolEntry>),
}

impl PreparedCall {
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

/// What a person said of a call so far.
pub(super) enum PersonWord {
    Unasked,
    /// They were asked about exactly this: that answer counts, and nothing that they granted since.
    Awaited,
    Given(ApprovalConsent),
}

/// A call that may run.
pub(super) struct ReadyCall {
    pub(super) upstream: Arc<Upstream>,
    /// The tool as it is listed.
    pub(super) entry: Arc<ToolEntry>,
    pub(super) definition: Arc<Definition>,
    /// What the caller knows of it: the same, unless the server has changed it since.
    pub(super) listed: Arc<Definition>,
    pub(super) held: ConnectionLease,
    pub(super) permitted: Permitted<Operation>,
    /// What exactly a person approved, where one did.
    pub(super) approved: Option<ApprovedCall>,
    /// Of a command tool, what runs.
    pub(super) command: Option<Arc<PreparedCommand>>,
}

/// What a person is to be asked.
pub(super) struct PersonQuestion {
    pub(super) entry: Arc<ToolEntry>,
    pub(super) upstream: Arc<Upstream>,
    /// The definition that would be called.
    pub(super) live: Arc<Definition>,
    /// What it was accepted as, where that is something else.
    pub(super) accepted: Option<Arc<Definition>>,
    pub(super) identity: Digest,
    pub(super) subject: Digest,
    pub(super) unasked: UnaskedDecision,
    /// Of a command tool, what would run.
    pub(super) command: Option<Arc<PreparedCommand>>,
}

/// A tool in the place that it runs in: what is granted for it is granted for there.
fn within(tool: Digest, place: Digest) -> Digest {
    let hash = Sha256::new().chain_update(tool.0).chain_update(place.0);
    Digest(hash.finalize().into())
}

impl Host {
    pub(super) async fn prepare(
        &self,
        call: &mut Call,
        word: PersonWord,
        record: &mut CallRecord,
    ) -> Result<PreparedCall, CallTrouble> {
        let resolved = self.resolve(call, record).await;
        let (entry, held) =
            resolved.inspect_err(|trouble| self.log_unseen(call, record, trouble))?;
        record.took(CallStep::Resolve);
        // Before anything looks at them: what is decided, shown and recorded is what is sent. What a
        // person was shown already is that.
        if !matches!(word, PersonWord::Given(_)) {
            let arguments = call.arguments.as_deref();
            let meant = entry.meant_arguments(arguments).map_err(CallTrouble::Arguments)?;
            if let Some(meant) = meant {
                call.arguments = Some(meant.into());
                record.with_arguments(call.arguments.clone());
            }
        }
        let call = &*call;
        let (ToolSource::Server { upstream, definition }, Some(held)) = (entry.source(), held)
        else {
            return Ok(PreparedCall::Own(entry));
        };
        record.of_tool(definition);
        record.under(self.terms(&entry, upstream, definition));
        if held.runs_as_older_task_only(definition) {
            return Err(CallTrouble::OlderTaskOnly(upstream.id().clone()));
        }
        entry.check(call.arguments.as_deref()).map_err(CallTrouble::Arguments)?;
        let command = self.prepare_command(&entry, upstream, definition, call)?;
        if let Some(command) = &command {
            record.under(self.terms_of_command(&entry, upstream, definition, command));
        }
        record.took(CallStep::Check);
        let drifted = held.drifted(&definition.key);
        let identity = match (&drifted, &command) {
            (_, Some(command)) => within(entry.digest(), command.ground_digest()),
            (Some(live), None) => identity(upstream, live),
            (None, None) => entry.digest(),
        };
        let live = drifted.as_ref().unwrap_or(definition);
        let server = upstream.id().as_str();
        let unlike = self.asking().unlike(server, definition, drifted.is_some());
        let unlike = unlike.or_else(|| unchosen(upstream, &definition.key));
        let decision = self
            .decide(
                &entry,
                (upstream, definition, live),
                call,
                (identity, unlike),
                (&word, command.as_deref()),
            )
            .inspect_err(|trouble| self.log_unseen(call, record, trouble))?;
        self.log_decision(record, &call.options, upstream.id(), &decision);
        record.decided(decision.word(), decision.rule());
        record.took(CallStep::Decide);
        let consent = match word {
            PersonWord::Given(consent) => Some(consent),
            PersonWord::Unasked | PersonWord::Awaited => None,
        };
        let shown = consent.as_ref().map(|consent| Arc::clone(consent.call()));
        let operation = || Operation::CallTool {
            name: definition.key.clone(),
            arguments: call.arguments.clone(),
        };
        let subject = || ApprovalSubject {
            server: upstream.id().as_str(),
            definition: identity,
            caller: call.options.caller.as_deref(),
            address: entry.audience.address.parts(),
            policy: self.view(&entry.audience).revision(),
            command: command.as_ref().map(|command| command.digest()),
        };
        match self.inner.guard.permit(decision, operation(), subject, consent) {
            Ok(permitted) => {
                record.took(CallStep::Approve);
                let approved = shown.and_then(|call| {
                    let subject = subject().digest(permitted.get()).ok()?;
                    Some(ApprovedCall { subject, call })
                });
                // What is called is what the server has now.
                let listed = Arc::clone(definition);
                let definition = drifted.unwrap_or_else(|| Arc::clone(definition));
                let upstream = Arc::clone(upstream);
                let entry = Arc::clone(&entry);
                Ok(PreparedCall::Ready(ReadyCall {
                    upstream,
                    entry,
                    definition,
                    listed,
                    held,
                    permitted,
                    approved,
                    command,
                }))
            }
            Err(PermissionWithheld::Refused(refusal)) => Err(refusal.into()),
            Err(PermissionWithheld::Unasked(unasked)) => {
                let unclear = |why| CallTrouble::Arguments(format!("{why}"));
                let subject = subject().digest(&operation()).map_err(unclear)?;
                let (live, accepted) = match drifted {
                    Some(live) => (live, Some(Arc::clone(definition))),
                    None => (Arc::clone(definition), None),
                };
                let upstream = Arc::clone(upstream);
                let question = PersonQuestion {
                    upstream,
                    live,
                    accepted,
                    identity,
                    subject,
                    unasked,
                    entry,
                    command,
                };
                Ok(PreparedCall::Unasked(Box::new(question)))
            }
        }
    }

    /// The same once a person consented: what is not the same any more is not done.
    pub(super) async fn prepare_with(
        &self,
        consent: ApprovalConsent,
        call: &mut Call,
        record: &mut CallRecord,
    ) -> Result<ReadyCall, CallTrouble> {
        match self.prepare(call, PersonWord::Given(consent), record).await? {
            PreparedCall::Ready(ready) => Ok(ready),
            PreparedCall::Unasked(_) | PreparedCall::Own(_) => Err(Refusal::Changed.into()),
        }
    }
}
