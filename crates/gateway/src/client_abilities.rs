//! What a client says that it can be asked.

use std::sync::{Arc, LazyLock};

use serde_json::value::RawValue;
use toolgate_types::{Era, InputQuestion, QuestionKind, ServerQuestion, TASKS_EXTENSION, visible};
use toolgate_wire::{ObjectSplice, RawObject, SpliceValue};

/// What a client says that it can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ElicitationSupport {
    /// Elicitation by form, and by sending a person to a page.
    pub(crate) form: bool,
    url: bool,
    sample: bool,
    roots: bool,
}

impl ElicitationSupport {
    pub(crate) fn of(capabilities: Option<&RawObject<'_>>) -> Self {
        let Some(object) = capabilities else { return Self::default() };
        let declares = |key| object.get_some(key).is_some();
        let elicits = object.get_some("elicitation").and_then(|raw| RawObject::parse(raw).ok());
        let manner = |key| elicits.as_ref().is_some_and(|modes| modes.get_some(key).is_some());
        let url = manner("url");
        Self {
            // One that names no manner means forms: once there was nothing else.
            form: manner("form") || (elicits.is_some() && !url),
            url,
            sample: declares("sampling"),
            roots: declares("roots"),
        }
    }

    pub(crate) fn includes(self, kind: QuestionKind) -> bool {
        match kind {
            QuestionKind::Elicit => self.form || self.url,
            QuestionKind::Sample => self.sample,
            QuestionKind::Roots => self.roots,
        }
    }

    /// Whether exactly this can be asked.
    pub(crate) fn takes(self, question: &ServerQuestion) -> bool {
        self.lacks(question.kind, question.params.as_deref()).is_none()
    }

    /// What the client would have to be able to do besides, for all that a server wants to know.
    pub(crate) fn lacking(self, questions: &[InputQuestion]) -> Option<CannotAsk> {
        let lacks = |question: &InputQuestion| match question.kind {
            Some(kind) => self.lacks(kind, question.params.as_deref()).map(CannotAsk::Capability),
            None => Some(CannotAsk::Unknown),
        };
        questions.iter().find_map(lacks)
    }

    /// The capability, as JSON, that this would need and that is not there.
    fn lacks(self, kind: QuestionKind, params: Option<&RawValue>) -> Option<&'static str> {
        let params = params.and_then(|raw| RawObject::parse(raw).ok());
        let mode = params.as_ref().and_then(|params| params.text("mode"));
        let (is_there, capability) = match (kind, mode.as_deref()) {
            (QuestionKind::Elicit, Some("url")) => (self.url, r#"{"elicitation":{"url":{}}}"#),
            (QuestionKind::Elicit, _) => (self.form, r#"{"elicitation":{"form":{}}}"#),
            (QuestionKind::Sample, _) => (self.sample, r#"{"sampling":{}}"#),
            (QuestionKind::Roots, _) => (self.roots, r#"{"roots":{}}"#),
        };
        (!is_there).then_some(capability)
    }
}

/// The capabilities that servers are told of: questions are relayed, and what is tried out between a
/// client and a server is theirs.
const RELAYED: [&str; 4] = ["elicitation", "experimental", "roots", "sampling"];

/// Extensions are told too, but for tasks where the client speaks the older era: no result of that says
/// that it is a task.
const EXTENSIONS: &str = "extensions";
const OF_MODERN_CLIENTS: [&str; 1] = [TASKS_EXTENSION];

/// What a client lacks that asks for tasks and did not say that it knows them.
pub(crate) const TASKS_LACKING: CannotAsk =
    CannotAsk::Capability(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#);

/// Whether a client says that a call may be answered with a task.
pub(crate) fn takes_tasks(capabilities: Option<&RawObject<'_>>) -> bool {
    let extensions = capabilities.and_then(|own| own.get_some(EXTENSIONS));
    let extensions = extensions.and_then(|raw| RawObject::parse(raw).ok());
    extensions.is_some_and(|extensions| extensions.get_some(TASKS_EXTENSION).is_some())
}

/// Of nearly every client.
static NOTHING_RELAYED: LazyLock<Option<Arc<RawValue>>> =
    LazyLock::new(|| ObjectSplice::new().to_raw().ok().map(Arc::from));

/// What servers are told that this client can do, and nothing that only another one can.
pub(crate) fn relayed(capabilities: Option<&RawObject<'_>>, era: Era) -> Option<Arc<RawValue>> {
    let is_relayed = |key: &&str| capabilities.is_some_and(|own| own.get_some(key).is_some());
    if !RELAYED.iter().chain(&[EXTENSIONS]).any(is_relayed) {
        return NOTHING_RELAYED.clone();
    }
    let extensions = capabilities.and_then(|own| own.get_some(EXTENSIONS));
    let extensions = extensions.and_then(|raw| RawObject::parse(raw).ok());
    let mut relayed = ObjectSplice::new();
    for key in RELAYED {
        if let Some(raw) = capabilities.and_then(|own| own.get_some(key)) {
            relayed.set(key, SpliceValue::Raw(raw));
        }
    }
    if let Some(extensions) = &extensions {
        let mut told = ObjectSplice::of(extensions);
        if era == Era::Legacy {
            for key in OF_MODERN_CLIENTS {
                told.remove(key);
            }
        }
        relayed.set(EXTENSIONS, SpliceValue::Object(Box::new(told)));
    }
    relayed.to_raw().ok().map(Arc::from)
}

/// What a client calls itself, as people are shown it.
pub(crate) fn shown_client(name: &str) -> String {
    const MOST_LETTERS: usize = 64;
    let end = name.char_indices().nth(MOST_LETTERS).map_or(name.len(), |(end, _)| end);
    visible(&name[..end])
}

/// Why a client cannot be asked something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CannotAsk {
    /// It did not say that it can do this: a capability, as JSON.
    Capability(&'static str),
    /// Nobody knows what it is.
    Unknown,
}

impl CannotAsk {
    /// What the error about it carries, where it is a capability.
    pub(crate) fn required(self) -> Option<Box<RawValue>> {
        let Self::Capability(capability) = self else { return None };
        RawValue::from_string(format!(r#"{{"requiredCapabilities":{capability}}}"#)).ok()
    }
}
