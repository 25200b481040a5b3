//! What waits, as it comes and goes; and at a terminal a question about the oldest of it.

use std::collections::HashSet;
use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::pin::Pin;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_control::{
    APPROVAL_EVENT, AnswerHeard, ApprovalAnswer, ApprovalEnd, ApprovalEvent, ChoiceWord,
    ControlClient, ControlReply, ConversationPartner, NoResult, PendingApproval, WATCH_APPROVALS,
};
use toolgate_guard::ApprovalRendering;
use toolgate_terminal::{AskerTerminal, CommandOutput, TerminalSize, can_ask, talk};
use toolgate_types::{ApprovalChoice, visible};

use super::super::approve::taken;
use super::shown;
use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// How often another daemon is looked for.
const EVERY: Duration = Duration::from_secs(1);

/// Said instead of a choice: the next one, and this one stays.
const IGNORE: &str = "ignore";

/// Said before a choice, of what does not fit on the terminal.
const VIEW: &str = "view";

pub(super) fn watch(
    daemon: ControlClient,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let runtime = command_runtime()?;
    let watched = runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        let asks = can_ask() && io::stdout().is_terminal() && !output.json && !output.is_quiet();
        let (waiting, passed) = (Vec::new(), HashSet::new());
        let mut watch = ApprovalWatch { waiting, passed, asks, surroundings, output };
        let mut daemon = Some(daemon);
        loop {
            if let Some(daemon) = daemon.take()
                && watch.follow(daemon, &interrupted).await? == WatchEnd::Enough
            {
                return Ok(Exit::Ok);
            }
            if interrupted.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
                return Ok(Exit::Ok);
            }
            // It ends when nobody uses it, and comes back when somebody does.
            daemon = ControlClient::find(&surroundings.variables).ok().flatten();
        }
    });
    // Somebody who is asked and never answers holds nobody up.
    runtime.shutdown_background();
    watched
}

/// Why watching a daemon ended.
#[derive(Debug, PartialEq, Eq)]
enum WatchEnd {
    /// It ended.
    Gone,
    /// Nobody wants to see more.
    Enough,
}

struct ApprovalWatch<'a> {
    /// The oldest first.
    waiting: Vec<PendingApproval>,
    /// Those that the person is not asked about again.
    passed: HashSet<String>,
    /// Whether the person is asked, and not only told.
    asks: bool,
    surroundings: &'a Surroundings,
    output: &'a mut CommandOutput,
}

/// A question at the terminal: about which one, and what will be said. Dropped, it is taken back.
type WatchQuestion = (String, Pin<Box<dyn Future<Output = io::Result<Option<&'static str>>>>>);

impl ApprovalWatch<'_> {
    async fn follow(
        &mut self,
        daemon: ControlClient,
        interrupted: &CancellationToken,
    ) -> Result<WatchEnd, CliFailure> {
        let (tell, mut events) = mpsc::unbounded_channel();
        let params = to_raw_value(&NoResult {}).map_err(CliFailure::new)?;
        let listening = WatchListener(tell);
        let mut conversing =
            std::pin::pin!(daemon.converse(WATCH_APPROVALS, &params, &listening, interrupted));
        let mut question: Option<WatchQuestion> = None;
        loop {
            if question.is_none() {
                question = self.question();
            }
            let answer = async {
                match &mut question {
                    Some((reference, answer)) => (reference.clone(), answer.await),
                    None => pending().await,
                }
            };
            tokio::select! {
                // All that a daemon told counts, also where it ended since.
                biased;
                Some(event) = events.recv() => {
                    // The question makes way for it, and is asked again below it.
                    question = None;
                    self.hear(event);
                    if !self.output.is_read() {
                        return Ok(WatchEnd::Enough);
                    }
                }
                (reference, said) = answer => {
                    question = None;
                    match said {
                        Ok(Some(word)) => self.answer(reference, word)?,
                        Ok(None) => return Ok(WatchEnd::Enough),
                        // The terminal is gone; what happens is still shown.
                        Err(_) => self.asks = false,
                    }
                }
                reply = &mut conversing => {
                    if interrupted.is_cancelled() {
                        return Ok(WatchEnd::Enough);
                    }
                    return match reply {
                        Ok(ControlReply::NotUnderstood(why) | ControlReply::Failed(why)) => Err(CliFailure::new(why)),
                        Ok(ControlReply::Result(_)) | Err(_) => {
                            drop(question.take());
                            self.lose();
                            Ok(WatchEnd::Gone)
                        }
                    };
                }
            }
        }
    }

    /// About the oldest that was not passed over.
    fn question(&self) -> Option<WatchQuestion> {
        let is_open = |one: &&PendingApproval| !self.passed.contains(&one.reference);
        let oldest = self.waiting.iter().find(is_open).filter(|_| self.asks)?;
        let (reference, oldest) = (oldest.reference.clone(), oldest.clone());
        Some((reference, Box::pin(talk(move |at| ask_about(&oldest, at)))))
    }

    fn hear(&mut self, event: ApprovalEvent) {
        match &event {
            // What is longer than the terminal is shown when it is asked about, page by page.
            ApprovalEvent::Asked(one) if !self.output.json => {
                let shown = match self.asks && pages_of(one) > 1 {
                    true => shown::heading_of(one) + "\n\n",
                    false => shown::text(one, false),
                };
                self.output.raw(&shown);
            }
            ApprovalEvent::Settled(end) if !self.output.json => {
                let known = self.waiting.iter().find(|one| one.reference == end.reference);
                if let Some(one) = known {
                    self.output.line(shown::ended(one, end));
                }
            }
            _ => self.output.document_line(&event),
        }
        match event {
            ApprovalEvent::Asked(one) => self.waiting.push(*one),
            ApprovalEvent::Settled(end) => {
                self.waiting.retain(|one| one.reference != end.reference);
                self.passed.remove(&end.reference);
            }
        }
    }

    /// What waited there does not wait any more.
    fn lose(&mut self) {
        let gone: Vec<_> = self.waiting.iter().map(|one| one.reference.clone()).collect();
        for reference in gone {
            let outcome = "withdrawn".to_owned();
            self.hear(ApprovalEvent::Settled(ApprovalEnd {
                outcome,
                ..ApprovalEnd::unseen(reference)
            }));
        }
        self.output.flush();
        if !self.output.json {
            self.output.note("the daemon ended; watching for the next");
        }
    }

    /// What comes of it is told to everybody who watches, and so to us.
    fn answer(&mut self, reference: String, word: &str) -> Result<(), CliFailure> {
        self.passed.insert(reference.clone());
        let Some(choice) = ApprovalChoice::parse(word).map(ChoiceWord) else { return Ok(()) };
        let daemon = ControlClient::reach(&self.surroundings.variables)?;
        // It was shown as it came.
        let shown = self.waiting.iter().find(|one| one.reference == reference);
        let seen = shown.map(|one| ApprovalRendering::digest_of(&one.text).to_hex());
        let heard =
            daemon.answer_approval(&ApprovalAnswer { reference, choice, reason: None, seen })?;
        match heard {
            AnswerHeard::NotTaken { why } => self.output.note(why),
            AnswerHeard::Taken { .. } | AnswerHeard::Refused => _ = taken(heard)?,
        }
        Ok(())
    }
}

/// Which word the person says to it. What does not fit on the terminal is looked through first.
fn ask_about(one: &PendingApproval, at: &mut AskerTerminal) -> io::Result<Option<&'static str>> {
    let PendingApproval { reference, server, tool, choices, text, .. } = one;
    let mut words: Vec<_> = choices.iter().map(|ChoiceWord(choice)| choice.as_str()).collect();
    words.push(IGNORE);
    let what = format!("{}/{} (ref {})", visible(server), visible(tool), visible(reference));
    let question = format!("allow {what}?");
    let pages = pages_of(one);
    if pages > 1 {
        let unseen = [VIEW, ApprovalChoice::Deny.as_str(), IGNORE];
        match at.choose(&format!("{what} takes {pages} pages; look at it?"), &unseen)? {
            Some(VIEW) => {}
            said => return Ok(said),
        }
        if !at.leaf(text, &one.title, &question)? {
            return Ok(Some(IGNORE));
        }
    }
    at.choose(&question, &words)
}

/// How much of the terminal it takes.
fn pages_of(one: &PendingApproval) -> usize {
    TerminalSize::of_remarks(&one.title).cut(&one.text, &one.title).len()
}

/// Hands on what the daemon tells.
struct WatchListener(mpsc::UnboundedSender<ApprovalEvent>);

impl ConversationPartner for WatchListener {
    fn told(&self, method: &str, params: &RawValue) {
        if let (APPROVAL_EVENT, Ok(event)) = (method, serde_json::from_str(params.get())) {
            let _ = self.0.send(event);
        }
    }

    fn asked(
        &self,
        _: &str,
        _: &RawValue,
    ) -> impl Future<Output = Option<Box<RawValue>>> + 'static {
        std::future::ready(None)
    }
}
