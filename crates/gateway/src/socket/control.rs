//! `control.sock`, for the person's own commands: JSON-RPC, a message a line, one answer for each.
//!
//! What can be asked for is settled by whoever runs the gateway. Before its answer a command can be
//! told things and asked some; one that leaves, or says `cancel`, wants no answer any more. Agents
//! have no business here.

mod peer;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolgate_control::CANCEL_REQUEST;
use toolgate_wire::line::{DecodedLine, LineDecoder, end_line};
use toolgate_wire::{ErrorCode, Message, MessageIdBuf, MessageLimits, write_error, write_result};

pub use peer::{ControlPeer, PeerReply};

use crate::connection::{self, ConnectionBounds, ConnectionPlace, ConnectionRoom};

/// The longest message of a peer.
const LONGEST: usize = 16 << 20;

/// How many requests of one command may wait for their turn.
const WAITING: usize = 16;

/// How many may be connected that asked for nothing yet.
const SILENT: usize = 256;

/// A command knows what it wants when it connects.
const ASKS_WITHIN: Duration = Duration::from_secs(10);

/// How many messages to a command may lie unsent.
const UNSENT: usize = 256;

/// How long something may take to end that nobody waits for any more.
const GRACE: Duration = Duration::from_secs(5);

/// Who answers commands.
#[async_trait]
pub trait ControlService: Send + Sync {
    async fn asked(
        &self,
        method: &str,
        params: Option<&RawValue>,
        peer: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined>;
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub enum CommandDeclined {
    UnknownMethod,
    /// What was asked for makes no sense.
    Params(String),
    /// It was not done.
    Failed(String),
}

/// Answers commands of this user until it is stopped. What is under way then has a while to end.
pub async fn answer_commands(
    listener: UnixListener,
    control: Arc<dyn ControlService>,
    uid: u32,
    stop: CancellationToken,
) {
    let mut open = JoinSet::new();
    let room = ConnectionRoom::new(ConnectionBounds::about_to_speak(SILENT));
    while let Some((stream, _)) = connection::next(&stop, &room, || listener.accept()).await {
        while open.try_join_next().is_some() {}
        let Ok(place) = room.enter(None, Instant::now()) else { continue };
        let (control, stop) = (Arc::clone(&control), stop.clone());
        open.spawn(async move { converse(stream, &*control, uid, place, &stop).await });
    }
    drop(listener);
    connection::finish(open).await;
}

async fn converse(
    stream: UnixStream,
    control: &dyn ControlService,
    uid: u32,
    place: ConnectionPlace,
    stop: &CancellationToken,
) {
    let Ok(credentials) = stream.peer_cred() else { return };
    if credentials.uid() != uid {
        return;
    }
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok());
    let (reader, writer) = stream.into_split();
    let (say, unsent) = mpsc::channel(UNSENT);
    let writing = tokio::spawn(write(unsent, writer));
    let mut hearing = CommandReader::new(reader);
    // Until it asked for something.
    let mut silent = Some(place);
    loop {
        let request = tokio::select! {
            request = hearing.request() => request,
            // Nobody who only might ask something is waited for.
            () = stop.cancelled() => None,
            () = silent_for_too_long(silent.as_ref()) => None,
        };
        let Some(request) = request else { break };
        silent = None;
        let peer = Arc::new(ControlPeer::new(pid, &say));
        if request.is_cancelled {
            peer.give_up();
        }
        let answered = {
            let mut answering = std::pin::pin!(answer(&request, control, &peer));
            tokio::select! {
                answered = &mut answering => Some(answered),
                () = hearing.listen(&peer) => {
                    // It left. What is done for it is told, and may say goodbye to a server.
                    peer.give_up();
                    let _ = timeout(GRACE, answering).await;
                    None
                }
            }
        };
        let Some(answered) = answered else { break };
        if say.send(answered).await.is_err() {
            break;
        }
    }
    drop(say);
    let _ = writing.await;
}

/// Ends when one that asked for nothing yet has to leave; never for others.
async fn silent_for_too_long(place: Option<&ConnectionPlace>) {
    match place {
        Some(place) => _ = timeout(ASKS_WITHIN, place.told_to_leave()).await,
        None => std::future::pending().await,
    }
}

/// A request that was read.
struct ControlRequest {
    id: MessageIdBuf,
    method: String,
    params: Option<Box<RawValue>>,
    /// It was given up before its turn.
    is_cancelled: bool,
}

async fn answer(
    asked: &ControlRequest,
    control: &dyn ControlService,
    peer: &Arc<ControlPeer>,
) -> Vec<u8> {
    let mut out = Vec::new();
    match control.asked(&asked.method, asked.params.as_deref(), peer).await {
        Ok(result) => write_result(&mut out, asked.id.as_id(), &*result),
        Err(declined) => {
            let (code, why) = match declined {
                CommandDeclined::UnknownMethod => {
                    (ErrorCode::METHOD_NOT_FOUND, "unknown".to_owned())
                }
                CommandDeclined::Params(why) => (ErrorCode::INVALID_PARAMS, why),
                CommandDeclined::Failed(why) => (ErrorCode::INTERNAL_ERROR, why),
            };
            write_error::<RawValue>(&mut out, Some(asked.id.as_id()), code, &why, None);
        }
    }
    out
}

/// What a command says, line by line.
struct CommandReader {
    reader: OwnedReadHalf,
    lines: LineDecoder,
    /// Requests that came while another was answered.
    waiting: VecDeque<ControlRequest>,
    has_left: bool,
}

/// One thing that was said.
enum ControlMessage {
    Request(ControlRequest),
    Reply { id: MessageIdBuf, reply: PeerReply },
    Cancel,
    Nothing,
    Nonsense,
}

impl CommandReader {
    fn new(reader: OwnedReadHalf) -> Self {
        let lines = LineDecoder::new(LONGEST);
        Self { reader, lines, waiting: VecDeque::new(), has_left: false }
    }

    /// The next request; `None` when it says nothing more.
    async fn request(&mut self) -> Option<ControlRequest> {
        while self.waiting.is_empty() && !self.has_left {
            self.hear(None).await;
        }
        self.waiting.pop_front()
    }

    /// Hands on what is said about a request that is being answered, until it left.
    async fn listen(&mut self, peer: &ControlPeer) {
        while !self.has_left {
            self.hear(Some(peer)).await;
        }
    }

    /// Reads once. Whoever drops this loses nothing: what was read is taken in without waiting.
    async fn hear(&mut self, peer: Option<&ControlPeer>) {
        let mut buffer = Vec::with_capacity(4096);
        let Ok(1..) = self.reader.read_buf(&mut buffer).await else {
            self.has_left = true;
            return;
        };
        let mut input = buffer.as_slice();
        while let Some(line) = self.lines.next(&mut input) {
            let said = match line {
                DecodedLine::Whole(line) => read(line),
                DecodedLine::TooLong { .. } | DecodedLine::Part(_) | DecodedLine::PartsEnd => {
                    self.has_left = true;
                    return;
                }
            };
            match (said, peer) {
                (ControlMessage::Request(asked), _) => self.waiting.push_back(asked),
                (ControlMessage::Reply { id, reply }, Some(peer)) => peer.take_reply(&id, reply),
                (ControlMessage::Cancel, peer) => {
                    self.waiting.iter_mut().for_each(|asked| asked.is_cancelled = true);
                    peer.into_iter().for_each(ControlPeer::give_up);
                }
                (ControlMessage::Reply { .. } | ControlMessage::Nothing, _) => {}
                // It is this program that asks; who says anything else is not listened to.
                (ControlMessage::Nonsense, _) => self.has_left = true,
            }
        }
        self.has_left |= self.waiting.len() > WAITING;
    }
}

fn read(line: &[u8]) -> ControlMessage {
    let limits = MessageLimits { bytes: LONGEST, ..MessageLimits::DEFAULT };
    match Message::parse(line, &limits) {
        Ok(Message::Request(request)) => ControlMessage::Request(ControlRequest {
            id: request.id.into(),
            method: request.method.into_owned(),
            params: request.params.map(|params| params.raw().to_owned()),
            is_cancelled: false,
        }),
        Ok(Message::Notification(notification)) if notification.method == CANCEL_REQUEST => {
            ControlMessage::Cancel
        }
        Ok(Message::Response(response)) => match response.id {
            Some(id) => {
                ControlMessage::Reply { id: id.into(), reply: PeerReply::of(&response.outcome) }
            }
            None => ControlMessage::Nothing,
        },
        Ok(Message::Notification(_)) => ControlMessage::Nothing,
        Err(_) => ControlMessage::Nonsense,
    }
}

async fn write(mut unsent: mpsc::Receiver<Vec<u8>>, mut writer: OwnedWriteHalf) {
    while let Some(mut message) = unsent.recv().await {
        end_line(&mut message, 0);
        if writer.write_all(&message).await.is_err() {
            return;
        }
    }
}
