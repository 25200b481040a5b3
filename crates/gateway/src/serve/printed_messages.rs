//! What a command prints while it runs, told to whoever called it: as progress where the client gave a
//! token, as log messages where it asked for those.
//!
//! Nothing of it is dropped: a message waits until its client has room, and while it waits nothing more
//! is taken, so that the command itself waits in the end.

use std::collections::VecDeque;
use std::future::pending;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;
use toolgate_types::{CommandEnding, CommandPiece, LogLevel, ServerId};
use toolgate_wire::MessageIdBuf;

use crate::respond;
use crate::work::ClientOutlet;

/// What is said at this level: what a command prints is no fault of its own.
const LEVEL: LogLevel = LogLevel::Info;

/// A piece as progress. The member of `_meta` says which stream it is of, or how it ended.
#[derive(Serialize)]
struct PrintedReport<'a> {
    progress: u64,
    message: &'a str,
    #[serde(rename = "_meta")]
    meta: PrintedMeta<'a>,
}

#[derive(Serialize)]
struct PrintedMeta<'a> {
    #[serde(rename = "toolgate/output")]
    output: PrintedMark<'a>,
}

#[derive(Serialize, Default)]
struct PrintedMark<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<&'a str>,
    /// The very bytes, where they are no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    /// `completed`, `deadline_exceeded` or `cancelled`: nothing comes after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
}

/// The same as a log message.
#[derive(Serialize)]
struct PrintedLog<'a> {
    level: &'a str,
    logger: &'a str,
    data: PrintedLogData<'a>,
}

#[derive(Serialize)]
struct PrintedLogData<'a> {
    text: &'a str,
    #[serde(flatten)]
    mark: PrintedMark<'a>,
}

/// The pieces of one call, as messages on their way.
pub(super) struct PrintedMessages {
    pieces: mpsc::Receiver<CommandPiece>,
    token: Option<MessageIdBuf>,
    logs: bool,
    unsent: VecDeque<Vec<u8>>,
    /// How much was printed so far; each report says more than the one before.
    progress: u64,
}

impl PrintedMessages {
    /// As progress under this token, and as log messages where they are wanted.
    pub(super) fn new(
        pieces: mpsc::Receiver<CommandPiece>,
        token: Option<MessageIdBuf>,
        logs: bool,
    ) -> Self {
        Self { pieces, token, logs, unsent: VecDeque::new(), progress: 0 }
    }

    /// Whether a client that wants to hear from this level on hears what is printed.
    pub(super) fn are_heard_from(least: LogLevel) -> bool {
        let place = |level| LogLevel::ALL.iter().position(|one| *one == level);
        place(LEVEL) >= place(least)
    }

    /// The next step: a message goes out, or a piece becomes messages.
    async fn step(&mut self, outlet: &ClientOutlet) {
        if let Some(message) = self.unsent.front_mut() {
            match outlet.room().await {
                Some(room) => {
                    room.send(std::mem::take(message));
                    self.unsent.pop_front();
                }
                // Nobody hears it any more; the command goes on all the same.
                None => self.unsent.clear(),
            }
            return;
        }
        match self.pieces.recv().await {
            Some(piece) => self.take(&piece),
            None => pending().await,
        }
    }

    /// What is left once the outcome is there.
    pub(super) async fn pass_on_rest(&mut self, outlet: &ClientOutlet) {
        loop {
            while let Some(message) = self.unsent.pop_front() {
                if !outlet.say(message).await {
                    return;
                }
            }
            match self.pieces.try_recv() {
                Ok(piece) => self.take(&piece),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, piece: &CommandPiece) {
        let (text, mark) = match piece {
            CommandPiece::Printed { stream, bytes } => {
                self.progress += bytes.len() as u64;
                let text = String::from_utf8_lossy(bytes);
                let is_text = std::str::from_utf8(bytes).is_ok();
                let base64 = (!is_text).then(|| STANDARD.encode(bytes));
                let stream = Some(stream.as_str());
                (text.into_owned(), PrintedMark { stream, base64, ..PrintedMark::default() })
            }
            CommandPiece::Ended(ending) => {
                self.progress += 1;
                let exit_code = match ending {
                    CommandEnding::Exited { code, .. } => *code,
                    CommandEnding::TimedOut | CommandEnding::Cancelled => None,
                };
                let ended = Some(ending.as_str());
                let mark = PrintedMark { ended, exit_code, ..PrintedMark::default() };
                (format!("[the command {ending}]"), mark)
            }
        };
        let log = self.logs.then(|| log(&text, &mark)).flatten();
        let report = self.token.as_ref().and_then(|token| {
            let meta = PrintedMeta { output: mark };
            let report = PrintedReport { progress: self.progress, message: &text, meta };
            respond::progress(&to_raw_value(&report).ok()?, token)
        });
        self.unsent.extend(report);
        self.unsent.extend(log);
    }
}

fn log(text: &str, mark: &PrintedMark<'_>) -> Option<Vec<u8>> {
    let PrintedMark { stream, base64, ended, exit_code } = mark;
    let (base64, stream, ended, exit_code) = (base64.clone(), *stream, *ended, *exit_code);
    let mark = PrintedMark { stream, base64, ended, exit_code };
    let data = PrintedLogData { text, mark };
    let message = PrintedLog { level: LEVEL.as_str(), logger: ServerId::LOCAL, data };
    let raw: Box<RawValue> = to_raw_value(&message).ok()?;
    Some(respond::log(&raw))
}

/// Never, where nothing is printed.
pub(super) async fn pass_on_printed(printed: &mut Option<PrintedMessages>, outlet: &ClientOutlet) {
    match printed {
        Some(printed) => printed.step(outlet).await,
        None => pending().await,
    }
}
