//! Answers what is asked in the middle of a call from the person at the terminal: what a server wants
//! to know, and whether the call may be made at all.
//!
//! Only what a person is asked for: models and folders are not ours to give. Where there is no
//! terminal servers are told that nobody answers.

mod approval;
mod form;
mod terminal;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_config::Variables;
use toolgate_control::LineageRequest;
use toolgate_daemon::{TERMINAL_CHANNEL, refuse_to_agents};
use toolgate_types::{Answer, Asker, InputRequest, Question, QuestionKind};

use crate::output::Output;
use crate::progress::Progress;
pub(crate) use terminal::{Terminal, talk};

/// The person who waits for the call.
pub(crate) struct TerminalAsker {
    /// Its spinner makes way for the question.
    progress: Arc<Progress>,
    /// Where to find out whether an agent sits here; nothing where somebody else found out.
    variables: Option<Variables>,
    /// Whether the person wants to wait for an approval, also their own.
    waits: bool,
}

impl TerminalAsker {
    /// Nobody where there is no terminal, or where nothing but data is wanted.
    pub(crate) fn new(progress: &Arc<Progress>, waits: bool, output: &Output) -> Option<Self> {
        let is_there = !output.json && !output.is_quiet() && terminal::is_there();
        let progress = Arc::clone(progress);
        is_there.then_some(Self { progress, variables: None, waits })
    }

    /// Approves nothing where whoever sits here may be an agent that has a terminal.
    pub(crate) fn unless_an_agents(self, variables: &Variables) -> Self {
        Self { variables: Some(variables.clone()), ..self }
    }

    /// Has the terminal to itself meanwhile. Dropped, the question is taken back.
    async fn talk(
        &self,
        conversation: impl FnOnce(&mut Terminal) -> std::io::Result<Box<RawValue>> + Send + 'static,
    ) -> Answer {
        self.progress.pause();
        let _resumes = Resumes(&self.progress);
        talk(conversation).await.map_or(Answer::NoChannel, Answer::Answered)
    }

    async fn may_approve(&self) -> bool {
        let Some(variables) = self.variables.clone() else { return true };
        let wish = LineageRequest { verb: "approve".to_owned(), is_for_services: false };
        let looked =
            tokio::task::spawn_blocking(move || refuse_to_agents(&variables, &wish).is_ok());
        looked.await.unwrap_or(false)
    }
}

/// The spinner comes back, however the question ended.
struct Resumes<'a>(&'a Progress);

impl Drop for Resumes<'_> {
    fn drop(&mut self) {
        self.0.resume();
    }
}

#[async_trait]
impl Asker for TerminalAsker {
    fn answers(&self, kind: QuestionKind) -> bool {
        kind == QuestionKind::Elicit
    }

    async fn ask(&self, question: Question) -> Answer {
        if !self.answers(question.kind) {
            return Answer::NoChannel;
        }
        self.talk(move |at| form::ask(&question, at)).await
    }

    fn approves(&self) -> Option<&'static str> {
        Some(TERMINAL_CHANNEL)
    }

    /// A terminal shows it page by page.
    fn longest_shown(&self) -> usize {
        usize::MAX
    }

    async fn approve(&self, form: Box<RawValue>) -> Answer {
        if !self.waits {
            return Answer::Defer(InputRequest { kind: QuestionKind::Elicit, params: Some(form) });
        }
        match self.may_approve().await {
            true => self.talk(move |at| approval::ask(&form, at)).await,
            false => Answer::NoChannel,
        }
    }
}
