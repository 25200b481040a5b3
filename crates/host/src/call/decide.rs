//! What the guard is asked: the case of one call, or of one resource or prompt.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_guard::{
    AudienceRules, CommandFacts, Decision, DecisionReason, DefinitionMismatch, LadderRuling,
    MatterDetail, MatterKind, PolicyCase, PolicyMatter,
};
use toolgate_store::KeptFor;
use toolgate_types::{Definition, Digest, Operation, Principal, ServerId, SessionId};
use toolgate_upstream::{PreparedCommand, SessionDefaults, Upstream};

use super::call_trouble::CallTrouble;
use super::prepare::PersonWord;
use super::{Call, CallOptions};
use crate::entry::{ToolEntry, unchosen};
use crate::{Audience, Host};

impl Host {
    pub(super) fn decide(
        &self,
        entry: &ToolEntry,
        (upstream, definition, live): (&Upstream, &Definition, &Definition),
        call: &Call,
        (identity, unlike): (Digest, Option<DefinitionMismatch>),
        (word, command): (&PersonWord, Option<&PreparedCommand>),
    ) -> Result<Decision, CallTrouble> {
        let (server, name) = (upstream.id(), &*definition.key);
        let what = match command {
            Some(command) => {
                MatterDetail::CommandTool(CommandFacts::of(&command.tool().value, command.folder()))
            }
            None => MatterDetail::tool_of(server, &upstream.entry().value, name, definition.hints),
        };
        let case = PolicyCase {
            matter: PolicyMatter { name, what },
            principal: &self.principal(&call.options),
            session: session(&call.options),
            definition: identity,
            grants: &[],
            unlike,
            arguments: call.arguments.as_deref(),
            defined: Some(live.raw.get()),
        };
        let decision = self.ruled(&entry.audience, server, &case)?;
        let session = case.session.filter(|_| !matches!(word, PersonWord::Awaited));
        match (&decision, session) {
            (Decision::Ruled(ruling), Some(session)) if ruling.may_be_kept() => {
                let grants = self.inner.approvals.grants(case.principal, session);
                self.ruled(&entry.audience, server, &PolicyCase { grants: &grants, ..case })
            }
            _ => Ok(decision),
        }
    }

    /// What would come of a call, whoever holds the key to the guard.
    pub(crate) fn would_rule(
        &self,
        rules: &AudienceRules,
        upstream: &Upstream,
        (tool, known): (&str, Option<&Definition>),
        arguments: Option<&RawValue>,
    ) -> LadderRuling {
        let server = upstream.id().as_str();
        let live = upstream.drifted(tool);
        let unlike = known.and_then(|known| self.asking().unlike(server, known, live.is_some()));
        let unlike = unlike.or_else(|| unchosen(upstream, tool));
        let hints = known.map(|known| known.hints).unwrap_or_default();
        let command = upstream.commands().and_then(|commands| commands.get(tool));
        let folder = command.and_then(|command| {
            SessionDefaults::folder(&command.value, upstream.workspace(), None)
        });
        let folder = folder.map_or_else(|| upstream.workspace().to_owned(), |(folder, _)| folder);
        let what = match command {
            Some(command) => MatterDetail::CommandTool(CommandFacts::of(&command.value, &folder)),
            None => MatterDetail::tool_of(upstream.id(), &upstream.entry().value, tool, hints),
        };
        let case = PolicyCase {
            matter: PolicyMatter { name: tool, what },
            principal: &self.principal(&CallOptions::default()),
            session: None,
            definition: Digest([0; 32]),
            grants: &[],
            unlike,
            arguments,
            defined: live.as_deref().or(known).map(|known| known.raw.get()),
        };
        toolgate_guard::decide(rules, &case)
    }

    /// About the tool whose call a task goes on with: what it was called with was decided about then.
    pub(super) fn decide_task(
        &self,
        entry: &ToolEntry,
        (upstream, definition): (&Upstream, &Definition),
        options: &CallOptions,
    ) -> Result<Decision, CallTrouble> {
        let (server, name) = (upstream.id(), &*definition.key);
        let value = &upstream.entry().value;
        let case = PolicyCase {
            matter: PolicyMatter {
                name,
                what: MatterDetail::tool_of(server, value, name, definition.hints),
            },
            principal: &self.principal(options),
            session: session(options),
            definition: entry.digest(),
            grants: &[],
            unlike: None,
            arguments: None,
            defined: None,
        };
        self.ruled(&entry.audience, server, &case)
    }

    /// About anything but a tool.
    pub(super) fn decide_operation(
        &self,
        server: &ServerId,
        operation: &Operation,
        options: &CallOptions,
    ) -> Result<Decision, CallTrouble> {
        let (kind, name) = subject(operation);
        let what = match kind {
            MatterKind::Prompt => MatterDetail::Prompt { server },
            MatterKind::Resource | MatterKind::Tool => MatterDetail::Resource { server },
        };
        let case = PolicyCase {
            matter: PolicyMatter { name: &name, what },
            principal: &self.principal(options),
            session: session(options),
            // Nothing is granted for these.
            definition: Digest([0; 32]),
            grants: &[],
            unlike: None,
            arguments: None,
            defined: None,
        };
        self.ruled(&Audience::at(options.address.clone()), server, &case)
    }

    fn ruled(
        &self,
        audience: &Audience,
        server: &ServerId,
        case: &PolicyCase<'_>,
    ) -> Result<Decision, CallTrouble> {
        let unknown = || CallTrouble::NotFound(format!("{server}/{}", case.matter.name));
        let view = self.view(audience);
        let rules = view.rules().ok_or_else(unknown)?;
        match self.inner.guard.decide(rules, case) {
            // What the caller cannot see does not exist, whatever names it.
            Decision::Ruled(LadderRuling::Deny(DecisionReason::Hidden(_))) => Err(unknown()),
            decision => Ok(decision),
        }
    }

    /// Whose a result is that is kept.
    pub(crate) fn kept_for(&self, principal: &Principal) -> KeptFor {
        KeptFor::new(principal.as_str(), self.inner.world.workspace.clone())
    }

    /// Who calls; where nobody says, whoever the host is for.
    pub(crate) fn principal(&self, options: &CallOptions) -> Principal {
        let caller = options.caller.as_ref().map(|caller| caller.principal.clone());
        caller.unwrap_or_else(|| Principal::named(self.inner.world.principal.as_str()))
    }
}

pub(super) fn session(options: &CallOptions) -> Option<&SessionId> {
    options.caller.as_ref()?.session.as_ref()
}

/// What an operation is about. A completion is about the prompt or the resource it completes.
pub(super) fn subject(operation: &Operation) -> (MatterKind, String) {
    #[derive(Deserialize)]
    struct Reference {
        r#type: Option<String>,
        name: Option<String>,
        uri: Option<String>,
    }
    let target = || operation.target().unwrap_or_default().to_owned();
    match operation {
        Operation::CallTool { .. } => (MatterKind::Tool, target()),
        Operation::GetPrompt { .. } => (MatterKind::Prompt, target()),
        Operation::ReadResource { .. }
        | Operation::Subscribe { .. }
        | Operation::Unsubscribe { .. } => (MatterKind::Resource, target()),
        // It is decided about by its tool, which is not in it.
        Operation::Task { .. } => (MatterKind::Tool, target()),
        Operation::Complete { reference, .. } => {
            match serde_json::from_str::<Reference>(reference.get()) {
                Ok(Reference { r#type: Some(kind), name: Some(name), .. })
                    if kind == "ref/prompt" =>
                {
                    (MatterKind::Prompt, name)
                }
                Ok(Reference { uri: Some(uri), .. }) => (MatterKind::Resource, uri),
                _ => (MatterKind::Prompt, String::new()),
            }
        }
    }
}
