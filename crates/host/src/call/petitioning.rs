//! What a person is told of a call, and what is written down of their answer.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_audit::{Answered, Record};
use toolgate_guard::{
    Grant, Petition, Prompt, Reference, Settled, SettledNote, Verdict, compare, effects_of,
};
use toolgate_types::config::{Server, Stdio, Transport};
use toolgate_types::{Digest, is_sensitive_name};

use super::Call;
use super::deciding::session;
use super::preparing::Question;
use crate::Host;

impl Host {
    pub(super) fn petition(&self, question: &Question, call: &Call, record: &Record) -> Petition {
        let Question { upstream, live, unasked, .. } = question;
        let server = upstream.id().as_str();
        let masker = self.inner.journal.masker();
        // From the bytes that will be sent, and from no other reading of them.
        let schema = live.input_schema.as_deref();
        let masked = call.arguments.as_deref().map(|raw| masker.mask_arguments(raw, schema));
        // Masked JSON is JSON; if it ever were not, that there is something must still be seen.
        let arguments = masked.and_then(|masked| {
            let unshown = |_| to_raw_value("what cannot be shown");
            RawValue::from_string(masked).or_else(unshown).ok()
        });
        // Before anything of it is left out: of a secret that is cut, half would stay.
        let masked = |words: &str| masker.mask_text(words).into_owned();
        let description = live.description.as_deref().map(masked);
        let entry = &upstream.entry().value;
        let mut place = Place::of(entry);
        place.done_by = place.done_by.as_deref().map(masked);
        let terms = self.terms(&question.entry, upstream, live);
        let effects = effects_of(live.hints, upstream.trust());
        let caller = call.options.caller.clone();
        let why = unasked.reason.to_string();
        let accepted = question.accepted.as_ref();
        let changes = accepted.map(|old| masked(&compare(&old.raw, &live.raw).lines().join("\n")));
        let prompt = Prompt {
            client: caller.as_ref().and_then(|caller| caller.client.as_deref()),
            server,
            tool: &live.key,
            description: description.as_deref(),
            arguments: arguments.as_deref(),
            effects: &effects,
            done_by: place.done_by.as_deref(),
            cwd: terms.cwd.as_deref(),
            workspace: Some(&self.inner.world.workspace),
            sandbox: terms.sandbox.map(|profile| profile.as_str()),
            environment: &place.environment,
            why: &why,
            changes: changes.as_deref(),
        };
        let grant = session(&call.options).filter(|_| unasked.may_be_kept).map(|session| Grant {
            principal: self.principal(&call.options),
            session: session.clone(),
            owner: server.to_owned(),
            tool: live.key.clone(),
            definition: question.identity,
        });
        let asking = self.asking();
        let client = caller.as_ref().and_then(|caller| caller.client.as_deref());
        Petition {
            subject: question.subject,
            title: masked(&prompt.title()),
            text: masked(&prompt.text()),
            channels: asking.channels(client).to_vec(),
            caller,
            server: server.to_owned(),
            tool: live.key.clone(),
            grant,
            lifetime: asking.lifetime,
            note: Arc::new(Written { question: record.question(), subject: question.subject }),
        }
    }
}

/// What does it, and what that is given.
#[derive(Default)]
struct Place {
    done_by: Option<String>,
    environment: Vec<(String, String)>,
}

impl Place {
    fn of(server: &Server) -> Self {
        match &server.transport {
            Transport::Stdio(stdio) => {
                let words = std::iter::once(&stdio.command).chain(&stdio.args);
                let words: Vec<_> = words.map(|word| word.shown()).collect();
                Self { done_by: Some(words.join(" ")), environment: environment(stdio) }
            }
            Transport::Remote(remote) => {
                Self { done_by: Some(remote.endpoint.to_string()), ..Self::default() }
            }
            Transport::Builtin => Self::default(),
        }
    }
}

/// The variables that its entry names. A value is shown where neither it nor its name is a secret.
fn environment(stdio: &Stdio) -> Vec<(String, String)> {
    let shown = |name: &str, value: &str| match is_sensitive_name(name) {
        true => "***".to_owned(),
        false => value.to_owned(),
    };
    let given = stdio.env.iter();
    let given = given.map(|(name, value)| {
        let name = name.to_string();
        let value = shown(&name, value.shown());
        (name, value)
    });
    let passed = stdio.env_vars.iter().map(|name| (name.to_string(), "(passed on)".to_owned()));
    given.chain(passed).collect()
}

/// Writes down how asking ended.
struct Written {
    question: Option<toolgate_audit::Question>,
    subject: Digest,
}

impl SettledNote for Written {
    fn settled(&self, reference: &Reference, how: &Settled) {
        let Some(question) = &self.question else { return };
        let verdict = match how {
            Settled::Answered(verdict) => Some(verdict),
            Settled::Expired | Settled::Withdrawn | Settled::Unheard => None,
        };
        let approver = verdict.map(|Verdict { approver, .. }| approver);
        question.answered(Answered {
            reference: reference.to_string(),
            outcome: how.as_str(),
            choice: verdict.map(|verdict| verdict.choice.as_str()),
            channel: approver.map(|approver| approver.channel),
            processes: approver.and_then(|approver| approver.processes.clone()),
            said: match how {
                Settled::Unheard => Some("there was nobody to ask".to_owned()),
                _ => verdict.and_then(|verdict| verdict.reason.clone()),
            },
            subject: self.subject.to_hex(),
        });
    }
}
