//! `agent.sock`, where shims attach: who they are, what they bring, and then the protocol itself.
//!
//! Where the socket is and what a window of an agent sees is settled by whoever runs the gateway.

pub mod control;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolgate_control::hello::{FromDaemon, FromShim, LONGEST, PROTOCOL, ShimHello, line};

use crate::connection::{ConnectionBounds, ConnectionPlace, ConnectionRoom};
use crate::{AttachedClient, Gateway, LineNotice, connection};

/// A shim that takes longer to say what it should say is none.
const HELLO_WITHIN: Duration = Duration::from_secs(10);

/// How many may be about to say hello. A hundred windows can well start at the same moment.
const GREETING: usize = 512;

/// How often a shim may ask us to make room for another daemon.
const ASKED_TO_RETIRE: usize = 8;

/// Who knows what windows of agents may have.
#[async_trait]
pub trait WindowAdmission: Send + Sync {
    /// The variables that the configuration of a window takes from its environment.
    async fn wanted(&self, hello: &ShimHello) -> Vec<String>;

    /// Lets a window in, with what it brought of the variables that were wanted. The process at the other
    /// end is the kernel's word, not the shim's.
    async fn open(
        &self,
        hello: &ShimHello,
        peer: Option<u32>,
        wanted: &[String],
        brought: BTreeMap<String, String>,
    ) -> Result<AdmittedWindow, String>;

    /// Whether all of it ends now, so that a newer one can take its place.
    fn retire(&self) -> bool;
}

/// A window that was let in.
pub struct AdmittedWindow {
    pub attached: AttachedClient,
    /// What is said beside the protocol.
    pub aside: Option<LineNotice>,
    /// Held for as long as the window is there.
    pub presence: Box<dyn Send + Sync>,
}

impl std::fmt::Debug for AdmittedWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AdmittedWindow").field("attached", &self.attached).finish_non_exhaustive()
    }
}

/// How this program names itself to shims.
#[derive(Debug, Clone)]
pub struct GateIdentity {
    pub version: String,
    pub pid: u32,
    /// Whose shims are let in.
    pub uid: u32,
}

impl Gateway {
    /// Lets shims attach until it is stopped. Those that are attached then have a while to leave.
    pub async fn attend(
        &self,
        listener: UnixListener,
        windows: Arc<dyn WindowAdmission>,
        itself: GateIdentity,
        stop: CancellationToken,
    ) {
        let mut open = JoinSet::new();
        let room = ConnectionRoom::new(ConnectionBounds::about_to_speak(GREETING));
        while let Some((stream, _)) = connection::next(&stop, &room, || listener.accept()).await {
            while open.try_join_next().is_some() {}
            let Ok(place) = room.enter(None, Instant::now()) else { continue };
            let (gateway, windows) = (self.clone(), Arc::clone(&windows));
            let itself = itself.clone();
            // Made anew where it is served.
            let Ok(stream) = stream.into_std() else { continue };
            self.shared.threads.serve(&mut open, async move {
                if let Ok(stream) = UnixStream::from_std(stream) {
                    attached(&gateway, &*windows, &itself, stream, place).await;
                }
            });
        }
        drop(listener);
        self.drain();
        connection::finish(open).await;
    }
}

async fn attached(
    gateway: &Gateway,
    windows: &dyn WindowAdmission,
    itself: &GateIdentity,
    stream: UnixStream,
    place: ConnectionPlace,
) {
    // Nobody but this user has anything to say here, not even hello.
    let Some(peer) = stream.peer_cred().ok().filter(|peer| peer.uid() == itself.uid) else {
        return;
    };
    // One that cannot be seen from here is told as zero.
    let pid = peer.pid().and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0);
    let (reader, writer) = stream.into_split();
    let mut shim = AttachingShim { pid, reader: BufReader::new(reader), writer };
    let greeted = tokio::select! {
        greeted = shim.greet(gateway, windows, itself, &place) => greeted,
        () = place.told_to_leave() => None,
    };
    let Some((conversation, presence)) = greeted else { return };
    // From here on it counts as one who said who it is, and that has no bound.
    drop(place);
    conversation.run(shim.reader, shim.writer).await;
    drop(presence);
}

struct AttachingShim {
    pid: Option<u32>,
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl AttachingShim {
    /// All that comes before the protocol. A shim that is not let in is told why.
    async fn greet(
        &mut self,
        gateway: &Gateway,
        windows: &dyn WindowAdmission,
        itself: &GateIdentity,
        place: &ConnectionPlace,
    ) -> Option<(crate::Conversation, Box<dyn Send + Sync>)> {
        let FromShim::Hello(hello) = self.hear().await? else { return None };
        let looking = place.asks();
        let wanted = windows.wanted(&hello).await;
        drop(looking);
        let GateIdentity { version, pid, .. } = itself.clone();
        let variables = wanted.clone();
        self.say(&FromDaemon::Wants { version, pid, variables }).await?;
        let mut asked_to_retire = 0;
        let values = loop {
            match self.hear().await? {
                FromShim::Variables { values } => break values,
                FromShim::Retire if asked_to_retire >= ASKED_TO_RETIRE => return None,
                FromShim::Retire if windows.retire() => {
                    self.say(&FromDaemon::Retiring).await?;
                    return None;
                }
                FromShim::Retire => {
                    asked_to_retire += 1;
                    self.say(&FromDaemon::Busy).await?;
                }
                FromShim::Hello(_) => return None,
            }
        };
        // Only now: one that speaks otherwise can still take our place.
        if hello.protocol != PROTOCOL {
            let why = format!("version {} of toolgate runs, another than this one", itself.version);
            let hint = Some("end it with `toolgate stop`".to_owned());
            return self.refuse(why, hint).await;
        }
        let _opening = place.asks();
        let window = match windows.open(&hello, self.pid, &wanted, values).await {
            Ok(window) => window,
            Err(why) => return self.refuse(why, None).await,
        };
        let AdmittedWindow { attached, aside, presence } = window;
        match gateway.attach(attached).await {
            Ok(conversation) => {
                self.say(&FromDaemon::Attached).await?;
                Some((conversation.with(aside), presence))
            }
            // It is about to end; the shim finds the next one.
            Err(_) if gateway.shared.is_draining() => None,
            Err(none) => self.refuse(none.to_string(), None).await,
        }
    }

    async fn refuse<T>(&mut self, why: String, hint: Option<String>) -> Option<T> {
        self.say(&FromDaemon::Refused { why, hint }).await?;
        None
    }

    async fn say(&mut self, word: &FromDaemon) -> Option<()> {
        self.writer.write_all(&line(word)).await.ok()
    }

    async fn hear(&mut self) -> Option<FromShim> {
        let mut said = Vec::new();
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        let mut reader = (&mut self.reader).take(most);
        timeout(HELLO_WITHIN, reader.read_until(b'\n', &mut said)).await.ok()?.ok()?;
        serde_json::from_slice(&said).ok()
    }
}
