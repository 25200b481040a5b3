//! The person who brought an errand, at the other end: sees what is told of it, answers what servers
//! ask, and approves at that terminal what needs it, unless it may be an agent's.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_control::{
    APPROVAL_QUESTION, DOING_NOTICE, DoingNotice, ErrandAnswer, ErrandApproval,
    ErrandApprovalAnswer, ErrandQuestion, LOG_NOTICE, LogNotice, PRINTED_QUESTION, PrintedPiece,
    REMARK_NOTICE, REPORT_NOTICE, RemarkNotice, ReportNotice, SERVER_QUESTION, Verbatim,
};
use toolgate_gateway::socket::control::{ControlPeer, PeerReply};
use toolgate_host::Attendant;
use toolgate_types::{
    ApprovalChoice, ApprovalQuestion, ApprovalReply, Asker, CorrelationId, HostEvent, HostListener,
    PrintedStream, QuestionAnswer, QuestionKind, ServerId, ServerQuestion,
};

use super::super::approval_answers::{look, warn_of};
use crate::visitors::AttachedVisitors;
use crate::{LogWitness, Onlooker, TERMINAL_CHANNEL, lock};

/// What servers are told of a person who can be asked, and of nobody.
const ASKABLE: &str = r#"{"elicitation":{"form":{},"url":{}}}"#;
const UNASKABLE: &str = "{}";

/// What ends because the person gave it up has ended by then.
const GIVEN_UP_WITHIN: Duration = Duration::from_secs(10);

/// The person at the other end.
pub(super) struct ErrandPerson {
    pub(super) peer: Arc<ControlPeer>,
    pub(super) is_watched: bool,
    pub(super) answers: bool,
    /// Whether it waits for an approval.
    pub(super) waits: bool,
    pub(super) visitors: Arc<AttachedVisitors>,
    pub(super) witness: Arc<LogWitness>,
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
        Attendant { asker: Arc::clone(self) as _, capabilities, party: None, takes_logs: false }
    }

    /// What is answered at the other end. Dropped, it is not asked there any more.
    async fn answered<T: DeserializeOwned>(
        &self,
        method: &str,
        words: &impl Serialize,
    ) -> Option<T> {
        let answered = self.peer.ask(method, &to_raw_value(words).ok()?).await;
        if self.peer.given_up().is_cancelled() {
            // That ends what it was asked for, and this with it. A server that was told of a refusal first
            // might come to an end of its own, which nobody waits for.
            tokio::time::sleep(GIVEN_UP_WITHIN).await;
        }
        match answered {
            PeerReply::Result(answered) => serde_json::from_str(answered.get()).ok(),
            PeerReply::Refused => None,
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

#[async_trait]
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

    async fn printed(&self, stream: PrintedStream, bytes: Vec<u8>) {
        let is_complaint = stream == PrintedStream::Stderr;
        let _: Option<()> = self
            .answered(PRINTED_QUESTION, &PrintedPiece { is_complaint, printed: bytes.into() })
            .await;
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

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        if !self.answers(question.kind) {
            return QuestionAnswer::NoChannel;
        }
        let asked = ErrandQuestion {
            server: question.server.to_string(),
            params: question.params.map(Verbatim),
        };
        let answered: Option<ErrandAnswer> = self.answered(SERVER_QUESTION, &asked).await;
        answered.map_or(QuestionAnswer::NoChannel, |answered| {
            QuestionAnswer::Answered(answered.answer.0)
        })
    }

    fn approves(&self) -> Option<&'static str> {
        (self.answers || !self.waits).then_some(TERMINAL_CHANNEL)
    }

    /// It was typed, or put into a script, by somebody who can say `--no-wait`.
    fn waits_unattended(&self) -> bool {
        self.waits
    }

    /// The terminal at the other end shows it page by page.
    fn longest_shown(&self) -> usize {
        usize::MAX
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        if !self.waits {
            return ApprovalReply::Deferred;
        }
        if self.is_an_agents().await {
            return ApprovalReply::NoChannel;
        }
        let choices = question.choices.iter().map(|choice| choice.as_str().to_owned()).collect();
        let asked = ErrandApproval { text: question.text, choices };
        let Some(ErrandApprovalAnswer { choice }) = self.answered(APPROVAL_QUESTION, &asked).await
        else {
            return ApprovalReply::NoChannel;
        };
        let said = choice.as_deref().and_then(ApprovalChoice::parse);
        said.map_or(ApprovalReply::Nothing, ApprovalReply::Said)
    }
}
