//! What a person is told of a call, and what is written down of their answer.

use std::sync::Arc;

use indexmap::IndexMap;

use toolgate_audit::{ApprovalQuestionRecord, ApprovalRecord, CallRecord};
use toolgate_guard::{
    ApprovalOutcome, ApprovalPrompt, ApprovalReference, ApprovalRequest, ApprovalVerdict, Approver,
    CommandFacts, OwnSecrets, SessionGrant, SettledNote, ShownCall, compare, effects_of,
    effects_of_command,
};
use toolgate_types::config::{CommandTool, Entry, Server, StdioServer, Transport};
use toolgate_types::{ConfigText, Digest, EnvName, LayerGrade, Trust};
use toolgate_upstream::{PreparedCommand, forwarded_meta, meant_account};

use super::Call;
use super::decide::session;
use super::prepare::PersonQuestion;
use crate::Host;

impl Host {
    pub(super) fn request(
        &self,
        question: &PersonQuestion,
        call: &Call,
        record: &CallRecord,
    ) -> ApprovalRequest {
        let PersonQuestion { upstream, live, unasked, command, .. } = question;
        let command = command.as_deref();
        let server = upstream.id().as_str();
        let asking = self.asking();
        let own_secrets = &asking.own_secrets;
        // From the bytes that will be sent, and from no other reading of them.
        let shown = ShownCall {
            arguments: call.arguments.clone(),
            // A command is given its arguments, and nothing else of a request.
            also_sent: match command {
                Some(_) => None,
                None => call.options.meta.as_deref().and_then(forwarded_meta),
            },
        };
        let doer = match command {
            Some(command) => CallPerformer::of_command(command, own_secrets),
            None => {
                let (world, entry) = (&self.inner.world, upstream.entry());
                let account = meant_account(entry, &world.workspace, &world.variables());
                CallPerformer::of(entry, account.as_deref(), own_secrets)
            }
        };
        let terms = match command {
            Some(command) => self.terms_of_command(&question.entry, upstream, live, command),
            None => self.terms(&question.entry, upstream, live),
        };
        let effects = match command {
            Some(command) => {
                effects_of_command(&CommandFacts::of(&command.tool().value, command.folder()))
            }
            None => effects_of(live.hints, upstream.trust()),
        };
        let caller = call.options.caller.clone();
        let why = unasked.reason.to_string();
        let accepted = question.accepted.as_ref();
        let changes = accepted.map(|old| compare(&old.raw, &live.raw).lines().join("\n"));
        let masker = self.inner.journal.masker();
        // Words, which run nothing. Before they are cut: of a secret that is cut, half would stay.
        let description = live.description.as_deref().map(|words| masker.mask_text(words));
        // What a project's own entry marks as secret is shown all the same.
        let is_trusted = match command {
            Some(command) => command.tool().origin.grade == LayerGrade::Person,
            None => upstream.trust() == Trust::Trusted,
        };
        let prompt = ApprovalPrompt {
            client: caller.as_ref().and_then(|caller| caller.client.as_deref()),
            server,
            tool: &live.key,
            description: description.as_deref(),
            arguments: shown.arguments.as_deref(),
            trusted_schema: live.input_schema.as_deref().filter(|_| is_trusted),
            also_sent: shown.also_sent.as_deref(),
            effects: &effects,
            done_by: &doer.words,
            cwd: terms.cwd.as_deref(),
            workspace: Some(&self.inner.world.workspace),
            sandbox: terms.sandbox.map(|profile| profile.as_str()),
            environment: &doer.environment,
            argv: &doer.argv,
            overrides: &doer.overrides,
            why: &why,
            changes: changes.as_deref(),
            own_secrets,
        };
        let grant =
            session(&call.options).filter(|_| unasked.may_be_kept).map(|session| SessionGrant {
                principal: self.principal(&call.options),
                session: session.clone(),
                owner: server.to_owned(),
                tool: live.key.to_string(),
                definition: question.identity,
            });
        let client = caller.as_ref().and_then(|caller| caller.client.as_deref());
        let rendering = prompt.render();
        let approved = shown.digest(question.subject);
        ApprovalRequest {
            subject: question.subject,
            title: prompt.title(),
            notice: masker.mask_text(rendering.text()).into_owned(),
            shown_in_full: prompt.render_in_full(),
            shown: rendering,
            call: Arc::new(shown),
            channels: asking.channels(client).to_vec(),
            caller,
            server: server.to_owned(),
            tool: live.key.to_string(),
            grant,
            lifetime: asking.lifetime,
            fastest_answer: asking.fastest_answer,
            note: Arc::new(AnswerRecord { question: record.question(), approved }),
        }
    }
}

/// What does a call, as a person is shown it.
#[derive(Default)]
struct CallPerformer {
    /// The words of a command, or an address.
    words: Vec<String>,
    environment: Vec<(String, String)>,
    /// Of a command tool, exactly what runs, and what a session changes about it.
    argv: Vec<String>,
    overrides: Vec<(String, String)>,
}

impl CallPerformer {
    fn of(entry: &Entry<Server>, account: Option<&str>, own: &OwnSecrets) -> Self {
        let show = |text: &ConfigText| match entry.origin.grade {
            LayerGrade::Person => own_text(text, own),
            // What a project wrote is never hidden, whatever it looks like.
            LayerGrade::Project => text.written().to_owned(),
        };
        match &entry.value.transport {
            Transport::Stdio(stdio) => {
                let words = std::iter::once(&stdio.command).chain(&stdio.args);
                let StdioServer { env, env_vars, .. } = stdio;
                let environment = environment(env, env_vars, show);
                Self { words: words.map(show).collect(), environment, ..Self::default() }
            }
            Transport::Remote(remote) => {
                let mut words = vec![show(remote.endpoint.original())];
                words.extend(account.map(|account| format!("(as {account})")));
                Self { words, ..Self::default() }
            }
            Transport::Builtin | Transport::Commands(_) => Self::default(),
        }
    }
}

impl CallPerformer {
    fn of_command(command: &PreparedCommand, own: &OwnSecrets) -> Self {
        let show = |text: &ConfigText| match command.tool().origin.grade {
            LayerGrade::Person => own_text(text, own),
            LayerGrade::Project => text.written().to_owned(),
        };
        let CommandTool { env, env_vars, .. } = &command.tool().value;
        let chosen = command
            .is_folder_chosen()
            .then(|| ("folder".to_owned(), command.folder().display().to_string()));
        let set = command.overridden().iter();
        let set = set.map(|(name, value)| (name.to_string(), value.clone()));
        Self {
            words: Vec::new(),
            environment: environment(env, env_vars, show),
            argv: command.words().map(show).collect(),
            overrides: chosen.into_iter().chain(set).collect(),
        }
    }
}

/// The variables that its entry names.
fn environment(
    env: &IndexMap<EnvName, ConfigText>,
    env_vars: &[EnvName],
    show: impl Fn(&ConfigText) -> String,
) -> Vec<(String, String)> {
    let given = env.iter().map(|(name, value)| (name.to_string(), show(value)));
    let passed = env_vars.iter().map(|name| (name.to_string(), "(passed on)".to_owned()));
    given.chain(passed).collect()
}

/// A text of the person's own file. A secret there that the prompt cannot cover by its name, since it
/// is too short for that, is not shown to the caller either, who reads along.
fn own_text(text: &ConfigText, own: &OwnSecrets) -> String {
    match text.is_literal_secret() && !own.covers(text.expose()) {
        true => text.shown().to_owned(),
        false => text.written().to_owned(),
    }
}

fn after_ms(approver: &Approver) -> Option<u64> {
    approver.after.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
}

/// Writes down how asking ended.
struct AnswerRecord {
    question: Option<ApprovalQuestionRecord>,
    /// [`ShownCall::digest`].
    approved: Digest,
}

impl SettledNote for AnswerRecord {
    fn settled(&self, reference: &ApprovalReference, how: &ApprovalOutcome) {
        let Some(question) = &self.question else { return };
        let verdict = match how {
            ApprovalOutcome::Answered(verdict) => Some(verdict),
            ApprovalOutcome::Expired | ApprovalOutcome::Withdrawn | ApprovalOutcome::Unheard => {
                None
            }
        };
        let approver = verdict.map(|ApprovalVerdict { approver, .. }| approver);
        question.answered(ApprovalRecord {
            reference: reference.to_string(),
            outcome: how.as_str(),
            choice: verdict.map(|verdict| verdict.choice.as_str()),
            channel: approver.map(|approver| approver.channel),
            processes: approver.and_then(|approver| approver.processes.clone()),
            said: match how {
                ApprovalOutcome::Unheard => Some("there was nobody to ask".to_owned()),
                _ => verdict.and_then(|verdict| verdict.reason.clone()),
            },
            subject: self.approved.to_hex(),
            after_ms: approver.and_then(after_ms),
        });
    }

    fn too_fast(&self, reference: &ApprovalReference, approver: &Approver) {
        let Some(question) = &self.question else { return };
        question.answered(ApprovalRecord {
            reference: reference.to_string(),
            outcome: "ignored",
            choice: None,
            channel: Some(approver.channel),
            processes: approver.processes.clone(),
            said: Some("answered faster than a person can read".to_owned()),
            subject: self.approved.to_hex(),
            after_ms: after_ms(approver),
        });
    }
}
