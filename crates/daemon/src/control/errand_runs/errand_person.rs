//! The person who brought an errand, at the other end: sees what is told of it, answers what servers
//! ask, and approves at that terminal what needs it, unless it may be an agent's.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_control::{
    APPROVAL_QUESTION, ApprovalQuestion, DOING_NOTICE, DoingNotice, LOG_NOTICE, LogNotice,
    QuestionAnswer, REMARK_NOTICE, REPORT_NOTICE, RemarkNotice, ReportNotice, SERVER_QUESTION,
    ServerQuestion, Verbatim,
};
use toolgate_gateway::socket::control::{Peer, Reply};
use toolgate_host::Attendant;
use toolgate_types::{
    Answer, Asker, CorrelationId, HostEvent, HostListener, InputRequest, Question, QuestionKind,
    ServerId,
};

use super::super::approval_answers::{look, warn_of};
use crate::visitors::Visitors;
use crate::{Onlooker, TERMINAL_CHANNEL, Witness, lock};

/// What servers are told of a person who can be asked, and of nobody.
const ASKABLE: &str = r#"{"elicitation":{"form":{},"url":{}}}"#;
const UNASKABLE: &str = "{}";

/// The person at the other end.
pub(super) struct ErrandPerson {
    pub(super) peer: Arc<Peer>,
    pub(super) is_watched: bool,
    pub(super) answers: bool,
    /// Whether it waits for an approval.
    pub(super) waits: bool,
    pub(super) visitors: Arc<Visitors>,
    pub(super) witness: Arc<Witness>,
    /// Whether another host hears of the same local servers, and writes that down.
    pub(super) is_kept: bool,
    /// The last call that began.
    pub(super) call: Mutex<Option<CorrelationId>>,
}

impl ErrandPerson {
    fn tell(&self, method: &str, words: &impl Serialize) {
        if let Ok(words) = to_raw_value(words) {
            self.peer.tell(method, &words);
        }
    }

    pub(super) fn attendant(self: &Arc<Self>) -> Attendant {
        let capabilities = if self.answers { ASKABLE } else { UNASKABLE };
        let capabilities = RawValue::from_string(capabilities.to_owned());
        let capabilities = capabilities.ok().map(Arc::from);
        Attendant { asker: Arc::clone(self) as _, capabilities, log: None }
    }

    /// What is answered at the other end. Dropped, it is not asked there any more.
    async fn answered(&self, method: &str, words: &impl Serialize) -> Answer {
        let Ok(words) = to_raw_value(words) else { return Answer::NoChannel };
        match self.peer.ask(method, &words).await {
            Reply::Result(answered) => match serde_json::from_str(answered.get()) {
                Ok(QuestionAnswer { answer }) => Answer::Answered(answer.0),
                Err(_) => Answer::NoChannel,
            },
            Reply::Refused => Answer::NoChannel,
        }
    }

    /// Whether who sits at that terminal may be an agent.
    async fn is_an_agents(&self) -> bool {
        let (pid, visitors) = (self.peer.pid, Arc::clone(&self.visitors));
        let looked = tokio::task::spawn_blocking(move || look(pid, &visitors)).await;
        let Ok((chain, is_an_agents)) = looked else { return true };
        if is_an_agents {
            warn_of(&chain, "its own call");
        }
        is_an_agents
    }
}

impl Onlooker for ErrandPerson {
    fn doing(&self, what: &str) {
        self.tell(DOING_NOTICE, &DoingNotice { what: what.to_owned() });
    }

    fn report(&self, report: &RawValue) {
        self.tell(REPORT_NOTICE, &ReportNotice { report: Verbatim::from(report) });
    }

    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn remark(&self, words: &str) {
        self.tell(REMARK_NOTICE, &RemarkNotice { words: words.to_owned() });
    }

    fn correlation(&self) -> Option<String> {
        lock(&self.call).as_ref().map(ToString::to_string)
    }
}

impl HostListener for ErrandPerson {
    fn happened(&self, event: HostEvent) {
        match &event {
            HostEvent::CallBegan { call } => {
                *lock(&self.call) = Some(call.correlation.clone());
            }
            HostEvent::Log { server, message } if self.is_watched => {
                let (server, message) = (server.to_string(), Verbatim::from(&**message));
                self.tell(LOG_NOTICE, &LogNotice { server, message });
            }
            _ => {}
        }
        let is_own = matches!(event, HostEvent::CallBegan { .. } | HostEvent::CallEnded { .. });
        if is_own || !self.is_kept {
            self.witness.happened(event);
        }
    }

    fn complained(&self, server: &ServerId, line: &str) {
        if !self.is_kept {
            self.witness.complained(server, line);
        }
    }
}

#[async_trait]
impl Asker for ErrandPerson {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.answers && kind == QuestionKind::Elicit
    }

    async fn ask(&self, question: Question) -> Answer {
        if !self.answers(question.kind) {
            return Answer::NoChannel;
        }
        let asked = ServerQuestion {
            server: question.server.to_string(),
            params: question.params.map(Verbatim),
        };
        self.answered(SERVER_QUESTION, &asked).await
    }

    fn approves(&self) -> Option<&'static str> {
        (self.answers || !self.waits).then_some(TERMINAL_CHANNEL)
    }

    /// The terminal at the other end shows it page by page.
    fn longest_shown(&self) -> usize {
        usize::MAX
    }

    async fn approve(&self, form: Box<RawValue>) -> Answer {
        if !self.waits {
            return Answer::Defer(InputRequest { kind: QuestionKind::Elicit, params: Some(form) });
        }
        match self.is_an_agents().await {
            true => Answer::NoChannel,
            false => {
                self.answered(APPROVAL_QUESTION, &ApprovalQuestion { form: Verbatim(form) }).await
            }
        }
    }
}
