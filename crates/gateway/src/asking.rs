//! Questions of servers, relayed to the client whose request they are about.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::{
    Answer, Asker, Caller, InputQuestion, InputRequest, InputRequired, Question, QuestionKind,
    elicitation_of,
};
use toolgate_wire::{IdBuf, RawObject, Splice, Value, method, write_request};

use crate::place::Place;
use crate::respond;
use crate::session::Session;
use crate::work::Outlet;

/// The channel through an agent, as records name it.
const AGENT: &str = "agent";

/// For the host as a whole: servers are told that questions can be asked, and each one goes to the
/// client whose request it is about. One that is about no request has nobody to answer it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relay;

#[async_trait]
impl Asker for Relay {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, _: Question) -> Answer {
        Answer::NoChannel
    }
}

/// What a client says that it can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Askable {
    /// Elicitation by form, and by sending a person to a page.
    form: bool,
    url: bool,
    sample: bool,
    roots: bool,
}

impl Askable {
    pub(crate) fn of(capabilities: Option<&RawValue>) -> Self {
        let Some(object) = capabilities.and_then(|raw| RawObject::parse(raw).ok()) else {
            return Self::default();
        };
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

    fn includes(self, kind: QuestionKind) -> bool {
        match kind {
            QuestionKind::Elicit => self.form || self.url,
            QuestionKind::Sample => self.sample,
            QuestionKind::Roots => self.roots,
        }
    }

    /// Whether exactly this can be asked.
    fn takes(self, question: &Question) -> bool {
        self.lacks(question.kind, question.params.as_deref()).is_none()
    }

    /// What the client would have to be able to do besides, for all that a server wants to know.
    pub(crate) fn lacking(self, required: &InputRequired) -> Option<Lacking> {
        let lacks = |question: &InputQuestion| match question.kind {
            Some(kind) => self.lacks(kind, question.params.as_deref()).map(Lacking::Capability),
            None => Some(Lacking::Unknown),
        };
        required.questions.iter().find_map(lacks)
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

/// The capabilities that servers are told of, because questions are relayed.
const RELAYED: [&str; 3] = ["elicitation", "roots", "sampling"];

/// What servers are told that this client can do, and nothing that only another one can.
pub(crate) fn relayed(capabilities: Option<&RawValue>) -> Option<Arc<RawValue>> {
    let own = capabilities.and_then(|raw| RawObject::parse(raw).ok());
    let mut relayed = Splice::new();
    for key in RELAYED {
        if let Some(raw) = own.as_ref().and_then(|own| own.get_some(key)) {
            relayed.set(key, Value::Raw(raw));
        }
    }
    relayed.to_raw().ok().map(Arc::from)
}

/// Why a client cannot be asked something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lacking {
    /// It did not say that it can do this: a capability, as JSON.
    Capability(&'static str),
    /// Nobody knows what it is.
    Unknown,
}

/// A client with a session: it is asked on the stream of its request and answers with a POST.
pub(crate) struct InSession {
    pub(crate) session: Arc<Session>,
    pub(crate) outlet: Outlet,
}

#[async_trait]
impl Asker for InSession {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.session.askable.includes(kind)
    }

    async fn ask(&self, question: Question) -> Answer {
        if !self.session.askable.takes(&question) {
            return Answer::NoChannel;
        }
        let page = question.params.as_deref().and_then(|raw| RawObject::parse(raw).ok());
        if let Some(page) = page.and_then(|params| params.text("elicitationId")) {
            self.session.sent_to(question.server.clone(), page.into_owned());
        }
        let method = match question.kind {
            QuestionKind::Elicit => method::ELICITATION_CREATE,
            QuestionKind::Sample => method::SAMPLING_CREATE_MESSAGE,
            QuestionKind::Roots => method::ROOTS_LIST,
        };
        self.send(method, named(&question).as_deref().or(question.params.as_deref())).await
    }

    fn approves(&self) -> Option<&'static str> {
        let session = &self.session;
        (session.askable.form && session.place.shows_forms()).then_some(AGENT)
    }

    async fn approve(&self, form: Box<RawValue>) -> Answer {
        if !self.session.place.may_be_asked(&self.session.caller).await {
            return Answer::NoChannel;
        }
        self.send(method::ELICITATION_CREATE, Some(&form)).await
    }
}

/// What a person is asked, with whose question it is before it. What a model is asked stays as it
/// is: any word of ours would be a word of the prompt, and only servers whose entry says `sampling`
/// may ask one. Folders are nobody's words.
fn named(question: &Question) -> Option<Box<RawValue>> {
    match question.kind {
        QuestionKind::Elicit => Some(elicitation_of(&question.server, question.params.as_deref())),
        QuestionKind::Sample | QuestionKind::Roots => None,
    }
}

impl InSession {
    async fn send(&self, method: &str, params: Option<&RawValue>) -> Answer {
        let asked = self.session.ask();
        let mut bytes = Vec::with_capacity(256);
        let id = IdBuf::from_text(&asked.id);
        write_request(&mut bytes, id.as_id(), method, params);
        if !self.outlet.say(bytes).await {
            return Answer::NoChannel;
        }
        let mut open = Open { id, outlet: &self.outlet, is_answered: false };
        let answer = asked.answered().await;
        open.is_answered = answer.is_some();
        answer.unwrap_or(Answer::NoChannel)
    }
}

/// A question at a client. Dropped unanswered, the client hears that nobody wants to know any more.
struct Open<'a> {
    id: IdBuf,
    outlet: &'a Outlet,
    is_answered: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.outlet.mention(respond::taken_back(&self.id));
        }
    }
}

/// A client without one: it is told what is wanted and comes back with the answers.
pub(crate) struct ByRetry {
    pub(crate) askable: Askable,
    pub(crate) place: Arc<Place>,
    pub(crate) caller: Arc<Caller>,
}

#[async_trait]
impl Asker for ByRetry {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.askable.includes(kind)
    }

    async fn ask(&self, question: Question) -> Answer {
        if !self.askable.takes(&question) {
            return Answer::NoChannel;
        }
        let params = named(&question).or(question.params);
        Answer::Defer(InputRequest { kind: question.kind, params })
    }

    fn approves(&self) -> Option<&'static str> {
        (self.askable.form && self.place.shows_forms()).then_some(AGENT)
    }

    async fn approve(&self, form: Box<RawValue>) -> Answer {
        if !self.place.may_be_asked(&self.caller).await {
            return Answer::NoChannel;
        }
        Answer::Defer(InputRequest { kind: QuestionKind::Elicit, params: Some(form) })
    }
}
