//! What the guard is asked: the case of one call, or of one resource or prompt.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_guard::{Case, Decision, Kind, Matter, Reason, Rules, Ruling, Unlike, What};
use toolgate_types::{Definition, Digest, Operation, Principal, ServerId, SessionId};
use toolgate_upstream::Upstream;

use super::failing::Trouble;
use super::preparing::Word;
use super::{Call, Options};
use crate::entry::ToolEntry;
use crate::{Audience, Host};

impl Host {
    pub(super) fn decide(
        &self,
        entry: &ToolEntry,
        (upstream, definition): (&Upstream, &Definition),
        call: &Call,
        (identity, unlike): (Digest, Option<Unlike>),
        word: &Word,
    ) -> Result<Decision, Trouble> {
        let (server, name) = (upstream.id(), definition.key.as_str());
        let what = What::tool_of(server, &upstream.entry().value, name, definition.hints);
        let case = Case {
            matter: Matter { name, what },
            principal: &self.principal(&call.options),
            session: session(&call.options),
            definition: identity,
            grants: &[],
            unlike,
            arguments: call.arguments.as_deref(),
        };
        let decision = self.ruled(&entry.audience, server, &case)?;
        let session = case.session.filter(|_| !matches!(word, Word::Awaited));
        match (&decision, session) {
            (Decision::Ruled(ruling), Some(session)) if ruling.may_be_kept() => {
                let grants = self.inner.desk.grants(case.principal, session);
                self.ruled(&entry.audience, server, &Case { grants: &grants, ..case })
            }
            _ => Ok(decision),
        }
    }

    /// What would come of a call, whoever holds the key to the guard.
    pub(crate) fn would_rule(
        &self,
        rules: &Rules,
        upstream: &Upstream,
        (tool, definition): (&str, Option<&Definition>),
        arguments: Option<&RawValue>,
    ) -> Ruling {
        let server = upstream.id().as_str();
        let is_drifted = || upstream.drifted(tool).is_some();
        let unlike = definition.and_then(|known| self.asking().unlike(server, known, is_drifted()));
        let hints = definition.map(|known| known.hints).unwrap_or_default();
        let what = What::tool_of(upstream.id(), &upstream.entry().value, tool, hints);
        let case = Case {
            matter: Matter { name: tool, what },
            principal: &self.principal(&Options::default()),
            session: None,
            definition: Digest([0; 32]),
            grants: &[],
            unlike,
            arguments,
        };
        toolgate_guard::decide(rules, &case)
    }

    /// About anything but a tool.
    pub(super) fn decide_operation(
        &self,
        server: &ServerId,
        operation: &Operation,
        options: &Options,
    ) -> Result<Decision, Trouble> {
        let (kind, name) = subject(operation);
        let what = match kind {
            Kind::Prompt => What::Prompt { server },
            Kind::Resource | Kind::Tool => What::Resource { server },
        };
        let case = Case {
            matter: Matter { name: &name, what },
            principal: &self.principal(options),
            session: session(options),
            // Nothing is granted for these.
            definition: Digest([0; 32]),
            grants: &[],
            unlike: None,
            arguments: None,
        };
        self.ruled(&Audience::at(options.address.clone()), server, &case)
    }

    fn ruled(
        &self,
        audience: &Audience,
        server: &ServerId,
        case: &Case<'_>,
    ) -> Result<Decision, Trouble> {
        let unknown = || Trouble::NotFound(format!("{server}/{}", case.matter.name));
        let view = self.view(audience);
        let rules = view.rules().ok_or_else(unknown)?;
        match self.inner.guard.decide(rules, case) {
            // What the caller cannot see does not exist, whatever names it.
            Decision::Ruled(Ruling::Deny(Reason::Hidden(_))) => Err(unknown()),
            decision => Ok(decision),
        }
    }

    /// Who calls; where nobody says, whoever the host is for.
    pub(crate) fn principal(&self, options: &Options) -> Principal {
        let caller = options.caller.as_ref().map(|caller| caller.principal.clone());
        caller.unwrap_or_else(|| Principal::named(self.inner.world.principal.as_str()))
    }
}

pub(super) fn session(options: &Options) -> Option<&SessionId> {
    options.caller.as_ref()?.session.as_ref()
}

/// What an operation is about. A completion is about the prompt or the resource it completes.
pub(super) fn subject(operation: &Operation) -> (Kind, String) {
    #[derive(Deserialize)]
    struct Reference {
        r#type: Option<String>,
        name: Option<String>,
        uri: Option<String>,
    }
    let target = || operation.target().unwrap_or_default().to_owned();
    match operation {
        Operation::CallTool { .. } => (Kind::Tool, target()),
        Operation::GetPrompt { .. } => (Kind::Prompt, target()),
        Operation::ReadResource { .. }
        | Operation::Subscribe { .. }
        | Operation::Unsubscribe { .. } => (Kind::Resource, target()),
        Operation::Complete { reference, .. } => {
            match serde_json::from_str::<Reference>(reference.get()) {
                Ok(Reference { r#type: Some(kind), name: Some(name), .. })
                    if kind == "ref/prompt" =>
                {
                    (Kind::Prompt, name)
                }
                Ok(Reference { uri: Some(uri), .. }) => (Kind::Resource, uri),
                _ => (Kind::Prompt, String::new()),
            }
        }
    }
}
