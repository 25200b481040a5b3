//! Questions of servers, relayed to the client whose request they are about.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::{
    ApprovalQuestion, ApprovalReply, Asker, Caller, InputRequest, QuestionAnswer, QuestionKind,
    QuestionMoment, ServerQuestion, elicitation_of,
};
use toolgate_wire::{MessageIdBuf, RawObject, method, write_request};

use crate::client_abilities::ElicitationSupport;
use crate::elicitation_form::{ElicitationForm, form_answer};
use crate::place::CallerPlace;
use crate::respond;
use crate::session::ClientSession;
use crate::work::ClientOutlet;

/// The channel through an agent, as records name it.
const AGENT: &str = "agent";

/// A client with a session: it is asked on the stream of its request and answers with a POST.
pub(crate) struct AskInSession {
    pub(crate) session: Arc<ClientSession>,
    pub(crate) outlet: ClientOutlet,
}

#[async_trait]
impl Asker for AskInSession {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.session.askable.includes(kind)
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        if !self.session.askable.takes(&question) {
            return QuestionAnswer::NoChannel;
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
        let params = named(&question);
        self.send(method, params.as_deref().or(question.params.as_deref()), None).await
    }

    fn approves(&self) -> Option<&'static str> {
        let session = &self.session;
        (session.askable.form && session.place.shows_forms()).then_some(AGENT)
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        let form = ElicitationForm::of(&question).to_raw();
        let Some(form) = form else { return ApprovalReply::NoChannel };
        if !self.session.place.may_be_asked(&self.session.caller).await {
            return ApprovalReply::NoChannel;
        }
        let written = Some(&*question.moment);
        match self.send(method::ELICITATION_CREATE, Some(&form), written).await {
            QuestionAnswer::Answered(filled_in) => form_answer(&filled_in).into(),
            QuestionAnswer::Refused(_) | QuestionAnswer::Defer(_) | QuestionAnswer::NoChannel => {
                ApprovalReply::NoChannel
            }
        }
    }
}

/// What a person is asked, with whose question it is before it. What a model is asked stays as it
/// is: any word of ours would be a word of the prompt, and only servers whose entry says `sampling`
/// may ask one. Folders are nobody's words.
fn named(question: &ServerQuestion) -> Option<Box<RawValue>> {
    match question.kind {
        QuestionKind::Elicit => Some(elicitation_of(&question.server, question.params.as_deref())),
        QuestionKind::Sample | QuestionKind::Roots => None,
    }
}

impl AskInSession {
    async fn send(
        &self,
        method: &str,
        params: Option<&RawValue>,
        written: Option<&QuestionMoment>,
    ) -> QuestionAnswer {
        let asked = self.session.ask();
        let mut bytes = Vec::with_capacity(256);
        let id = MessageIdBuf::from_text(&asked.id);
        write_request(&mut bytes, id.as_id(), method, params);
        if !self.outlet.say(bytes).await {
            return QuestionAnswer::NoChannel;
        }
        if let Some(written) = written {
            written.written_now();
        }
        let mut open =
            OpenQuestion { id, outlet: &self.outlet, moment: written, is_answered: false };
        let answer = asked.answered().await;
        open.is_answered = answer.is_some();
        answer.unwrap_or(QuestionAnswer::NoChannel)
    }
}

/// A question at a client. Dropped unanswered, the client hears that nobody wants to know any more.
struct OpenQuestion<'a> {
    id: MessageIdBuf,
    outlet: &'a ClientOutlet,
    /// Where it is about an approval, why it is over.
    moment: Option<&'a QuestionMoment>,
    is_answered: bool,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            let why = self.moment.and_then(QuestionMoment::over);
            self.outlet.mention(respond::taken_back(&self.id, why));
        }
    }
}

/// A client without one: it is told what is wanted and comes back with the answers.
pub(crate) struct AskByRetry {
    pub(crate) askable: ElicitationSupport,
    pub(crate) place: Arc<CallerPlace>,
    pub(crate) caller: Arc<Caller>,
}

#[async_trait]
impl Asker for AskByRetry {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.askable.includes(kind)
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        if !self.askable.takes(&question) {
            return QuestionAnswer::NoChannel;
        }
        let params = named(&question).or(question.params);
        QuestionAnswer::Defer(InputRequest { kind: question.kind, params })
    }

    fn defers(&self) -> bool {
        true
    }

    fn approves(&self) -> Option<&'static str> {
        (self.askable.form && self.place.shows_forms()).then_some(AGENT)
    }

    async fn approve(&self, _: ApprovalQuestion) -> ApprovalReply {
        match self.place.may_be_asked(&self.caller).await {
            true => ApprovalReply::Deferred,
            false => ApprovalReply::NoChannel,
        }
    }
}
