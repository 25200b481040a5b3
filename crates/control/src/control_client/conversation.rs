//! A request whose answer may take long: what the daemon tells and asks before it, and the person who
//! does not want to wait any more.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use toolgate_wire::line::end_line;
use toolgate_wire::{
    ErrorCode, Message, MessageIdBuf, MessageLimits, ResponseOutcome, write_error,
    write_notification, write_request, write_result,
};

use super::{CANCEL_REQUEST, ControlClient, ControlReply, QUESTION_TAKEN_BACK};
use crate::{CommandExit, CommandFailure, interrupted};

/// How long what was cancelled may take to end.
const GRACE: Duration = Duration::from_secs(10);

/// The longest answer; a result can be long, and it is in a text.
const LONGEST: usize = 1 << 30;

/// How many lines of the daemon are read ahead.
const AHEAD: usize = 64;

/// Whoever is here while an answer is waited for.
pub trait ConversationPartner {
    fn told(&self, method: &str, params: &RawValue);

    /// `None` where nobody answers that.
    fn asked(
        &self,
        method: &str,
        params: &RawValue,
    ) -> impl Future<Output = Option<Box<RawValue>>> + 'static;
}

impl ControlClient {
    /// Asks, and waits for as long as it takes. Once it is cancelled the daemon is told so, and the
    /// answer says what came of that.
    pub async fn converse(
        self,
        method: &str,
        params: &RawValue,
        company: &impl ConversationPartner,
        cancelled: &CancellationToken,
    ) -> Result<ControlReply, CommandFailure> {
        let stream = self.stream.set_nonblocking(true).and_then(|()| {
            // It needs the runtime that it is read in.
            UnixStream::from_std(self.stream)
        });
        let (reader, writer) = stream.map_err(|error| lost(&error))?.into_split();
        let mut saying = RequestWriter(writer);
        let (heard, mut lines) = mpsc::channel(AHEAD);
        let hearing = tokio::spawn(hear(reader, heard));
        let _hearing = AbortOnDrop(hearing.abort_handle());
        saying
            .say(|out| write_request(out, MessageIdBuf::from(1).as_id(), method, Some(params)))
            .await?;
        let mut asked = OpenErrandQuestions::default();
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let mut patience = None;
                loop {
                    let out_of_patience = async {
                        match patience {
                            Some(until) => tokio::time::sleep_until(until).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        line = lines.recv() => {
                            let Some(line) = line else { return Err(lost(&"it ended")) };
                            match read(&line)? {
                                DaemonLine::Answer(reply) => return Ok(reply),
                                DaemonLine::Told { method, params } if method == QUESTION_TAKEN_BACK => {
                                    asked.take_back(&params).await;
                                }
                                DaemonLine::Told { method, params } => company.told(&method, &params),
                                DaemonLine::Asked { id, method, params } => {
                                    asked.begin(id, company.asked(&method, &params));
                                }
                            }
                        }
                        Some((id, answer)) = asked.next() => {
                            saying.reply(&id, answer.as_deref()).await?;
                        }
                        () = cancelled.cancelled(), if patience.is_none() => {
                            patience = Some(tokio::time::Instant::now() + GRACE);
                            saying.say(|out| write_notification::<RawValue>(out, CANCEL_REQUEST, None)).await?;
                        }
                        () = out_of_patience => return Err(interrupted()),
                    }
                }
            })
            .await
    }
}

/// What the daemon asked and has no answer to yet. Each is answered by a task of its own.
#[derive(Default)]
struct OpenErrandQuestions {
    answering: JoinSet<(MessageIdBuf, Option<Box<RawValue>>)>,
    open: Vec<(MessageIdBuf, AbortHandle)>,
}

#[derive(Deserialize)]
struct QuestionTakenBack {
    id: u64,
}

impl OpenErrandQuestions {
    fn begin(
        &mut self,
        id: MessageIdBuf,
        answer: impl Future<Output = Option<Box<RawValue>>> + 'static,
    ) {
        let named = id.clone();
        let task = self.answering.spawn_local(async move { (named, answer.await) });
        self.open.push((id, task));
    }

    /// The next answer; nothing where one was taken back.
    async fn next(&mut self) -> Option<(MessageIdBuf, Option<Box<RawValue>>)> {
        let answered = self.answering.join_next().await?.ok()?;
        self.open.retain(|(id, _)| *id != answered.0);
        Some(answered)
    }

    /// Nobody wants to know any more. Whoever was asked is told before anything else is.
    async fn take_back(&mut self, params: &RawValue) {
        let Ok(QuestionTakenBack { id }) = serde_json::from_str(params.get()) else { return };
        let is_it = |(open, _): &(MessageIdBuf, AbortHandle)| *open == MessageIdBuf::from(id);
        if let Some(place) = self.open.iter().position(is_it) {
            self.open.swap_remove(place).1.abort();
            tokio::task::yield_now().await;
        }
    }
}

enum DaemonLine {
    Answer(ControlReply),
    Told { method: String, params: Box<RawValue> },
    Asked { id: MessageIdBuf, method: String, params: Box<RawValue> },
}

fn read(line: &[u8]) -> Result<DaemonLine, CommandFailure> {
    let limits = MessageLimits { bytes: LONGEST, ..MessageLimits::DEFAULT };
    let message = Message::parse(line, &limits).map_err(|rejected| lost(&rejected))?;
    Ok(match message {
        Message::Request(request) => DaemonLine::Asked {
            id: request.id.into(),
            method: request.method.into_owned(),
            params: request.params.map_or_else(nothing, |params| params.raw().to_owned()),
        },
        Message::Notification(note) => DaemonLine::Told {
            method: note.method.into_owned(),
            params: note.params.map_or_else(nothing, |params| params.raw().to_owned()),
        },
        Message::Response(response) => DaemonLine::Answer(match response.outcome {
            ResponseOutcome::Result(result) => ControlReply::Result(result.raw().to_owned()),
            ResponseOutcome::Flawed { raw, .. } => ControlReply::Result(raw.to_owned()),
            ResponseOutcome::Error(error) => {
                ControlReply::of_error(error.code, error.message.into_owned())
            }
        }),
    })
}

fn nothing() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

/// The way to the daemon.
struct RequestWriter(OwnedWriteHalf);

impl RequestWriter {
    async fn say(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), CommandFailure> {
        let mut message = Vec::new();
        write(&mut message);
        end_line(&mut message, 0);
        self.0.write_all(&message).await.map_err(|error| lost(&error))
    }

    async fn reply(
        &mut self,
        id: &MessageIdBuf,
        answer: Option<&RawValue>,
    ) -> Result<(), CommandFailure> {
        self.say(|out| match answer {
            Some(answer) => write_result(out, id.as_id(), answer),
            None => {
                let (id, code) = (Some(id.as_id()), ErrorCode::INTERNAL_ERROR);
                write_error::<RawValue>(out, id, code, "nobody answers", None);
            }
        })
        .await
    }
}

/// Reads line by line until there is no more, or nobody wants them.
async fn hear(reader: OwnedReadHalf, heard: mpsc::Sender<Vec<u8>>) {
    let mut reader = BufReader::new(reader);
    loop {
        let mut line = Vec::new();
        match reader.read_until(b'\n', &mut line).await {
            Ok(1..) if heard.send(line).await.is_ok() => {}
            _ => return,
        }
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn lost(why: &dyn std::fmt::Display) -> CommandFailure {
    CommandFailure::new(format!("the daemon does not answer: {why}"))
        .hint("what was done until then is in `toolgate audit` and `toolgate logs`")
        .exits(CommandExit::Unreachable)
}
