//! Answers what is asked in the middle of a call from the person at the terminal: what a server wants
//! to know, and whether the call may be made at all.
//!
//! Only what a person is asked for: models and folders are not ours to give. Where there is no
//! terminal servers are told that nobody answers.

use std::sync::Arc;

use async_trait::async_trait;
use toolgate_config::Variables;
use toolgate_control::LineageRequest;
use toolgate_daemon::{TERMINAL_CHANNEL, refuse_to_agents};
use toolgate_terminal::{
    AskerTerminal, CommandOutput, ask_approval, ask_server_form, is_terminal_there, talk,
};
use toolgate_types::{
    ApprovalQuestion, ApprovalReply, Asker, QuestionAnswer, QuestionKind, ServerQuestion,
};

use crate::progress::ProgressSink;

/// The person who waits for the call.
pub(crate) struct TerminalAsker {
    /// Its spinner makes way for the question.
    progress: Arc<ProgressSink>,
    /// Where to find out whether an agent sits here; nothing where somebody else found out.
    variables: Option<Variables>,
    /// Whether the person wants to wait for an approval, also their own.
    waits: bool,
}

impl TerminalAsker {
    /// Nobody where there is no terminal, or where nothing but data is wanted.
    pub(crate) fn new(
        progress: &Arc<ProgressSink>,
        waits: bool,
        output: &CommandOutput,
    ) -> Option<Self> {
        let is_there = !output.json && !output.is_quiet() && is_terminal_there();
        let progress = Arc::clone(progress);
        is_there.then_some(Self { progress, variables: None, waits })
    }

    /// Approves nothing where whoever sits here may be an agent that has a terminal.
    pub(crate) fn unless_an_agents(self, variables: &Variables) -> Self {
        Self { variables: Some(variables.clone()), ..self }
    }

    /// Has the terminal to itself meanwhile. Dropped, the question is taken back.
    async fn talk<T: Send + 'static>(
        &self,
        conversation: impl FnOnce(&mut AskerTerminal) -> std::io::Result<T> + Send + 'static,
    ) -> std::io::Result<T> {
        let _paused = self.progress.display.paused();
        talk(conversation).await
    }

    async fn may_approve(&self) -> bool {
        let Some(variables) = self.variables.clone() else { return true };
        let wish = LineageRequest { verb: "approve".to_owned(), is_for_services: false };
        let looked =
            tokio::task::spawn_blocking(move || refuse_to_agents(&variables, &wish).is_ok());
        looked.await.unwrap_or(false)
    }
}

#[async_trait]
impl Asker for TerminalAsker {
    fn answers(&self, kind: QuestionKind) -> bool {
        kind == QuestionKind::Elicit
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        if !self.answers(question.kind) {
            return QuestionAnswer::NoChannel;
        }
        let answered = self.talk(move |at| ask_server_form(&question, at)).await;
        answered.map_or(QuestionAnswer::NoChannel, QuestionAnswer::Answered)
    }

    fn approves(&self) -> Option<&'static str> {
        Some(TERMINAL_CHANNEL)
    }

    /// A terminal shows it page by page.
    fn longest_shown(&self) -> usize {
        usize::MAX
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        if !self.waits {
            return ApprovalReply::Deferred;
        }
        if !self.may_approve().await {
            return ApprovalReply::NoChannel;
        }
        let said = self.talk(move |at| ask_approval(&question, at)).await;
        said.map_or(ApprovalReply::NoChannel, |said| {
            said.map_or(ApprovalReply::Nothing, ApprovalReply::Said)
        })
    }
}
