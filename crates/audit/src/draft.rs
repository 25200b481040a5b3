//! A record while it is being filled, and the row it becomes.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_mask::Masker;
use toolgate_store::{AuditKind, WrittenEntry};
use toolgate_types::config::SandboxProfile;
use toolgate_types::{
    CallEnding, CallRef, Caller, CorrelationId, Definition, Digest, Era, HexDigest,
};

use crate::approval_answer::ApprovalRecord;
use crate::definition_digest::definition_digest;
use crate::json_members::JsonMembers;
use crate::network_record::NetworkRecord;
use crate::spare_text::SpareText;
use crate::steps::TimedSteps;

/// What is known of a call so far.
#[derive(Debug, Clone)]
pub(crate) struct RecordDraft {
    pub(crate) at: u64,
    pub(crate) call: Arc<CallRef>,
    pub(crate) caller: Option<Arc<Caller>>,
    /// Which round of a call that takes several.
    pub(crate) round: u32,
    /// What all rounds of a call have in common that its caller makes one by one.
    pub(crate) chain: Option<CorrelationId>,
    pub(crate) terms: CallTerms,
    pub(crate) decision: Option<(&'static str, Cow<'static, str>)>,
    pub(crate) arguments: Option<Arc<RawValue>>,
    /// Of the called tool; its schema may say which arguments are secret.
    pub(crate) definition: Option<Arc<Definition>>,
    pub(crate) bytes_out: u64,
    pub(crate) command: Option<CommandRecord>,
    /// What is odd about what came of it.
    pub(crate) warning: Option<String>,
    pub(crate) steps: TimedSteps,
    pub(crate) error: Option<String>,
    pub(crate) detail: Option<String>,
    /// What does not change between beginning and end, once it was written down.
    pub(crate) told: OnceLock<ToldParts>,
}

/// Parts of a row that are dear to make: masked, or hashed.
#[derive(Debug, Clone)]
pub(crate) struct ToldParts {
    /// A keyed hash, so that equal arguments can be found and others not guessed.
    pub(crate) arguments_hash: Option<HexDigest>,
    arguments: Option<Box<RawValue>>,
    client: Option<ToldText>,
    tool: ToldText,
    cwd: Option<String>,
}

/// A text of a draft as it is told.
#[derive(Debug, Clone)]
enum ToldText {
    /// Nothing in it must not be read.
    AsItIs,
    Masked(String),
}

impl ToldText {
    fn of(masker: &Masker, text: &str) -> Self {
        match masker.mask_text(text) {
            Cow::Borrowed(_) => Self::AsItIs,
            Cow::Owned(masked) => Self::Masked(masked),
        }
    }

    fn told<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::AsItIs => text,
            Self::Masked(masked) => masked,
        }
    }
}

/// What a call is made under, apart from who makes it.
#[derive(Debug, Clone, Default)]
pub struct CallTerms {
    pub role: Option<String>,
    /// Which state of the policy decides.
    pub policy: Option<Digest>,
    pub timeout: Option<Duration>,
    /// The wall around the process that does it, and where that process runs.
    pub sandbox: Option<SandboxProfile>,
    pub cwd: Option<PathBuf>,
}

/// How the command ended that a call ran, and how much it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRecord {
    /// None where a signal ended it, or where nobody knows.
    pub exit_status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    /// What it wanted of a network of names, each host once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkRecord>,
}

/// Everything that is no column.
struct RecordBody<'a> {
    /// `call`, `read`, `prompt`, …
    word: &'a str,
    /// The first of the calls that this one goes on with.
    chain: Option<&'a str>,
    /// How the caller speaks.
    era: Option<&'a str>,
    decision: Option<&'a str>,
    /// The rule that made it.
    rule: Option<&'a str>,
    policy: Option<&'a str>,
    sandbox: Option<&'a str>,
    cwd: Option<&'a str>,
    /// A keyed hash, so that equal arguments can be found and others not guessed.
    arguments_hash: Option<&'a str>,
    arguments: Option<&'a RawValue>,
    /// The hash of the tool's definition, where a person answered about it.
    definition: Option<&'a str>,
    timeout_ms: Option<u64>,
    bytes_in: usize,
    /// Of a command tool.
    command: Option<&'a CommandRecord>,
    /// What came back, and how long it took; nothing where it only begins. Whoever waits for that to be written
    /// waits for every byte of it.
    taken: Option<(u64, &'a TimedSteps)>,
    /// How a person was asked about it, and answered.
    approval: Option<&'a ApprovalRecord>,
    /// What is odd about what came of it, though it counts.
    warning: Option<&'a str>,
    /// What the caller was told.
    error: Option<&'a str>,
    /// What only the record has.
    detail: Option<&'a str>,
}

impl RecordBody<'_> {
    fn to_json(&self) -> SpareText {
        SpareText::written(|out| self.write(out))
    }

    fn write(&self, out: &mut Vec<u8>) {
        // About what the end of a call has.
        out.reserve(640);
        let mut members = JsonMembers::begin(out);
        members.plain_text("word", self.word);
        members.some_text("chain", self.chain);
        members.some_plain_text("era", self.era);
        members.some_text("decision", self.decision);
        members.some_text("rule", self.rule);
        members.some_plain_text("policy", self.policy);
        members.some_plain_text("sandbox", self.sandbox);
        members.some_text("cwd", self.cwd);
        members.some_plain_text("arguments_hash", self.arguments_hash);
        if let Some(arguments) = self.arguments {
            members.json("arguments", arguments);
        }
        members.some_plain_text("definition", self.definition);
        if let Some(timeout) = self.timeout_ms {
            members.number("timeout_ms", timeout);
        }
        members.number("bytes_in", self.bytes_in as u64);
        if let Some((bytes_out, _)) = self.taken {
            members.number("bytes_out", bytes_out);
        }
        if let Some(command) = self.command {
            members.json("command", command);
        }
        if let Some((_, steps)) = self.taken {
            members.object("steps_us", |members| steps.write(members));
        }
        if let Some(approval) = self.approval {
            members.json("approval", approval);
        }
        members.some_text("warning", self.warning);
        members.some_text("error", self.error);
        members.some_text("detail", self.detail);
        members.end();
    }
}

/// How a record is told to others than the one who called.
pub(crate) struct RecordTelling<'a> {
    pub(crate) masker: &'a Masker,
    /// Where the row is about the answer of a person.
    pub(crate) approval: Option<&'a ApprovalRecord>,
}

impl ToldParts {
    /// With `keeps_arguments`, the arguments themselves too.
    pub(crate) fn of(
        draft: &RecordDraft,
        arguments_hash: Option<HexDigest>,
        keeps_arguments: bool,
        masker: &Masker,
    ) -> Self {
        let mask = |text: &'_ str| masker.mask_text(text).into_owned();
        let schema = draft.definition.as_ref().and_then(|tool| tool.input_schema.as_deref());
        // Only of a tool that is known: its schema may say which of them are secret.
        let is_known = draft.definition.is_some();
        let kept = draft.arguments.as_deref().filter(|_| keeps_arguments && is_known);
        let masked = kept.map(|raw| masker.mask_arguments(raw, schema));
        let cwd = draft.terms.cwd.as_ref();
        let client = draft.caller.as_ref().and_then(|caller| caller.client.as_deref());
        Self {
            arguments_hash,
            arguments: masked.and_then(|text| RawValue::from_string(text).ok()),
            client: client.map(|client| ToldText::of(masker, client)),
            tool: ToldText::of(masker, &draft.call.target),
            cwd: cwd.map(|cwd| mask(&cwd.display().to_string())),
        }
    }
}

/// A row as it is written: of its draft, and with what is said in it alone.
pub(crate) struct RecordRow<'a> {
    draft: &'a RecordDraft,
    told: &'a ToldParts,
    kind: AuditKind,
    ending: Option<(CallEnding, u64)>,
    answered: Option<&'static str>,
    workspace: Option<Cow<'a, str>>,
    body: SpareText,
}

impl RecordDraft {
    pub(crate) fn row<'a>(
        &'a self,
        kind: AuditKind,
        ending: Option<(CallEnding, u64)>,
        told: &'a ToldParts,
        telling: &RecordTelling<'a>,
    ) -> RecordRow<'a> {
        let &RecordTelling { masker, approval } = telling;
        let caller = self.caller.as_ref();
        let mask = |text: &'_ str| masker.mask_text(text).into_owned();
        let (error, detail) = (self.error.as_deref().map(mask), self.detail.as_deref().map(mask));
        let warning = self.warning.as_deref().map(mask);
        let CallTerms { role: _, policy, timeout, sandbox, cwd: _ } = &self.terms;
        let policy = policy.map(Digest::hex);
        // Which definition a person was asked about, and which one served.
        let has_served = ending.is_some_and(|(ending, _)| ending == CallEnding::Done);
        let definition = self.definition.as_ref().filter(|_| approval.is_some() || has_served);
        let definition = definition.map(|tool| tool.digest(definition_digest).hex());
        let body = RecordBody {
            word: self.call.word,
            chain: self.chain.as_ref().map(CorrelationId::as_str),
            era: caller.and_then(|caller| caller.era).map(Era::as_str),
            decision: self.decision.as_ref().map(|(word, _)| *word),
            rule: self.decision.as_ref().map(|(_, rule)| &**rule),
            // Enough to tell one from another.
            policy: policy.as_ref().and_then(|hex| hex.as_str().get(..16)),
            sandbox: sandbox.map(SandboxProfile::as_str),
            cwd: told.cwd.as_deref(),
            arguments_hash: told.arguments_hash.as_ref().map(HexDigest::as_str),
            arguments: told.arguments.as_deref(),
            definition: definition.as_ref().map(HexDigest::as_str),
            timeout_ms: timeout.and_then(|limit| u64::try_from(limit.as_millis()).ok()),
            bytes_in: self.arguments.as_ref().map_or(0, |raw| raw.get().len()),
            command: self.command.as_ref(),
            taken: (kind != AuditKind::Open).then_some((self.bytes_out, &self.steps)),
            approval,
            warning: warning.as_deref(),
            error: error.as_deref(),
            detail: detail.as_deref(),
        };
        let (body, answered) = (body.to_json(), approval.map(|answered| answered.outcome));
        let workspace = caller.map(|caller| caller.workspace.to_string_lossy());
        RecordRow { draft: self, told, kind, ending, answered, workspace, body }
    }
}

impl RecordRow<'_> {
    pub(crate) fn written(&self) -> WrittenEntry<'_> {
        let Self { draft, told, kind, ending, answered, workspace, body } = self;
        let caller = draft.caller.as_ref();
        let client = caller.and_then(|caller| caller.client.as_deref());
        let (outcome, code) = match ending.map(|(ending, _)| ending) {
            None => (*answered, None),
            Some(CallEnding::Done) => (Some("done"), None),
            Some(CallEnding::ToolError) => (Some("tool_error"), None),
            Some(CallEnding::InputRequired) => (Some("input_required"), None),
            Some(CallEnding::Task) => (Some("task"), None),
            Some(CallEnding::Aborted) => (Some("aborted"), None),
            Some(CallEnding::Failed(code)) => (Some("failed"), Some(code.as_str())),
        };
        WrittenEntry {
            at: draft.at,
            kind: *kind,
            correlation: draft.call.correlation.as_str(),
            round: draft.round,
            principal: caller.map_or("local", |caller| caller.principal.as_str()),
            client: client.zip(told.client.as_ref()).map(|(client, told)| told.told(client)),
            role: draft.terms.role.as_deref(),
            session: caller.and_then(|caller| caller.session.as_ref()).map(|id| &*id.0),
            workspace: workspace.as_deref(),
            server: draft.call.server.as_ref().map(|server| server.as_str()),
            tool: Some(told.tool.told(&draft.call.target)).filter(|tool| !tool.is_empty()),
            outcome,
            code,
            duration_us: ending.map(|(_, micros)| micros),
            body: body.as_str().unwrap_or("{}"),
        }
    }
}
