//! Everything before a call runs, up to the proof that it may; done again after a person was asked.

use std::sync::Arc;

use toolgate_audit::{Record, Step};
use toolgate_guard::{Consent, Permitted, Refusal, Subject, Unasked, Withheld};
use toolgate_types::{Definition, Digest, Operation};
use toolgate_upstream::{Held, Upstream};

use super::Call;
use super::failing::Trouble;
use super::returning::ApprovedCall;
use crate::Host;
use crate::entry::{Source, ToolEntry, identity};

/// How far a call came.
pub(super) enum Prepared {
    Ready(Ready),
    /// A person has to be asked first.
    Unasked(Box<Question>),
    /// It is a tool of the host itself.
    Own(Arc<ToolEntry>),
}

/// What a person said of a call so far.
pub(super) enum Word {
    Unasked,
    /// They were asked about exactly this: that answer counts, and nothing that they granted since.
    Awaited,
    Given(Consent),
}

/// A call that may run.
pub(super) struct Ready {
    pub(super) upstream: Arc<Upstream>,
    pub(super) definition: Arc<Definition>,
    pub(super) held: Held,
    pub(super) permitted: Permitted<Operation>,
    /// What exactly a person approved, where one did.
    pub(super) approved: Option<ApprovedCall>,
}

/// What a person is to be asked.
pub(super) struct Question {
    pub(super) entry: Arc<ToolEntry>,
    pub(super) upstream: Arc<Upstream>,
    /// The definition that would be called.
    pub(super) live: Arc<Definition>,
    /// What it was accepted as, where that is something else.
    pub(super) accepted: Option<Arc<Definition>>,
    pub(super) identity: Digest,
    pub(super) subject: Digest,
    pub(super) unasked: Unasked,
}

impl Host {
    pub(super) async fn prepare(
        &self,
        call: &Call,
        word: Word,
        record: &mut Record,
    ) -> Result<Prepared, Trouble> {
        let (entry, held) = self.resolve(call, record).await?;
        record.took(Step::Resolve);
        let (Source::Server { upstream, definition }, Some(held)) = (&entry.source, held) else {
            return Ok(Prepared::Own(entry));
        };
        record.of_tool(definition);
        record.under(self.terms(&entry, upstream, definition));
        entry.check(call.arguments.as_deref()).map_err(Trouble::Arguments)?;
        record.took(Step::Check);
        let drifted = held.drifted(&definition.key);
        let identity = match &drifted {
            Some(live) => identity(upstream, live),
            None => entry.digest(),
        };
        let server = upstream.id().as_str();
        let unlike = self.asking().unlike(server, definition, drifted.is_some());
        let decision =
            self.decide(&entry, (upstream, definition), call, (identity, unlike), &word)?;
        record.decided(decision.word(), decision.rule());
        record.took(Step::Decide);
        let consent = match word {
            Word::Given(consent) => Some(consent),
            Word::Unasked | Word::Awaited => None,
        };
        let shown = consent.as_ref().map(|consent| Arc::clone(consent.call()));
        let operation = || Operation::CallTool {
            name: definition.key.clone(),
            arguments: call.arguments.clone(),
        };
        let subject = || Subject {
            server: upstream.id().as_str(),
            definition: identity,
            caller: call.options.caller.as_deref(),
            address: entry.audience.address.parts(),
            policy: self.view(&entry.audience).revision(),
        };
        match self.inner.guard.permit(decision, operation(), subject, consent) {
            Ok(permitted) => {
                record.took(Step::Approve);
                let approved = shown.and_then(|call| {
                    let subject = subject().digest(permitted.get()).ok()?;
                    Some(ApprovedCall { subject, call })
                });
                // What is called is what the server has now.
                let definition = drifted.unwrap_or_else(|| Arc::clone(definition));
                let upstream = Arc::clone(upstream);
                Ok(Prepared::Ready(Ready { upstream, definition, held, permitted, approved }))
            }
            Err(Withheld::Refused(refusal)) => Err(refusal.into()),
            Err(Withheld::Unasked(unasked)) => {
                let unclear = |why| Trouble::Arguments(format!("{why}"));
                let subject = subject().digest(&operation()).map_err(unclear)?;
                let (live, accepted) = match drifted {
                    Some(live) => (live, Some(Arc::clone(definition))),
                    None => (Arc::clone(definition), None),
                };
                let upstream = Arc::clone(upstream);
                let question =
                    Question { upstream, live, accepted, identity, subject, unasked, entry };
                Ok(Prepared::Unasked(Box::new(question)))
            }
        }
    }

    /// The same once a person consented: what is not the same any more is not done.
    pub(super) async fn prepare_with(
        &self,
        consent: Consent,
        call: &Call,
        record: &mut Record,
    ) -> Result<Ready, Trouble> {
        match self.prepare(call, Word::Given(consent), record).await? {
            Prepared::Ready(ready) => Ok(ready),
            Prepared::Unasked(_) | Prepared::Own(_) => Err(Refusal::Changed.into()),
        }
    }
}
