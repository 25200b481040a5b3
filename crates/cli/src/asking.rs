//! Answers what a server asks in the middle of a call from the person at the terminal.
//!
//! Only what a person is asked for: models and folders are not ours to give. Where there is no
//! terminal servers are told that nobody answers.

mod form;

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Result, Write as _};
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_types::{Answer, Asker, Question, QuestionKind};

use crate::output::Output;
use crate::progress::Progress;

/// The person who waits for the call.
pub(crate) struct AtTerminal {
    /// Its spinner makes way for the question.
    progress: Arc<Progress>,
}

impl AtTerminal {
    /// Nobody where there is no terminal, or where nothing but data is wanted.
    pub(crate) fn new(progress: &Arc<Progress>, output: &Output) -> Option<Self> {
        let is_there = !output.json && !output.is_quiet() && Terminal::open().is_ok();
        is_there.then(|| Self { progress: Arc::clone(progress) })
    }
}

#[async_trait]
impl Asker for AtTerminal {
    fn answers(&self, kind: QuestionKind) -> bool {
        kind == QuestionKind::Elicit
    }

    async fn ask(&self, question: Question) -> Answer {
        if !self.answers(question.kind) {
            return Answer::NoChannel;
        }
        let progress = Arc::clone(&self.progress);
        // On a thread of its own: an interrupt ends the call while the person is still asked.
        let asked = tokio::task::spawn_blocking(move || {
            progress.pause();
            let answer = Terminal::open().and_then(|mut at| form::ask(&question, &mut at));
            progress.resume();
            answer
        });
        match asked.await {
            Ok(Ok(answer)) => Answer::Answered(answer),
            _ => Answer::NoChannel,
        }
    }
}

/// The terminal itself, wherever standard input and output go.
pub(super) struct Terminal(BufReader<File>);

impl Terminal {
    fn open() -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        Ok(Self(BufReader::new(file)))
    }

    fn say(&mut self, text: &str) -> Result<()> {
        writeln!(self.0.get_mut(), "{text}")
    }

    /// What the person types; `None` at the end of input.
    fn ask(&mut self, question: &str) -> Result<Option<String>> {
        write!(self.0.get_mut(), "{question} ")?;
        let mut line = String::new();
        let read = self.0.read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Anything but a clear yes is a no.
    fn agrees(&mut self, question: &str) -> Result<bool> {
        let answer = self.ask(&format!("{question} [y/N]"))?.unwrap_or_default();
        Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
    }
}
