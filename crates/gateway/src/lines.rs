//! One client over a pair of byte streams, a message a line: the stdio transport, in both eras.
//!
//! What a message means is the eras' business, and where the streams come from is for whoever brings
//! them: a daemon with its sockets, or a process with its standard streams.

mod client;
mod modern;
mod older;
mod read_lines;
mod write_lines;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolgate_host::ActingAs;
use toolgate_types::{Requester, SessionId, WindowMark};
use tracing::debug;

use self::client::LineClient;
use crate::Gateway;
use crate::connection::DRAIN;
use crate::known_caller::KnownCaller;
use crate::place::{CallerPlace, NoPlace, PlaceAddress};
use crate::reply_message::LineMessage;
use crate::session::SessionTable;
use crate::state::GatewayState;
use crate::window_switches::WindowSwitches;

/// How many messages may lie unsent; who has to say something then waits.
const UNSENT: usize = 256;

/// How long what is left may take once a conversation is over.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A client that is about to speak, and where it works.
#[derive(Debug, Clone)]
pub struct AttachedClient {
    pub known: KnownCaller,
    /// As [`crate::Wanted`] names it.
    pub workspace: Option<String>,
    /// The role that it acts as, perhaps at one step of a workflow.
    pub role: Option<ActingAs>,
    /// Whose process it is.
    pub requester: Requester,
    /// What a person switches off for this client alone.
    pub switches: Arc<WindowSwitches>,
    /// The window as the next daemon will know it too, where it is one.
    pub window: Option<WindowMark>,
}

/// A client that was let in and has said nothing yet.
pub struct Conversation {
    shared: Arc<GatewayState>,
    place: Arc<CallerPlace>,
    requester: Requester,
    id: Box<str>,
    aside: Option<LineNotice>,
}

/// Hears such a line.
type LineListener = Box<dyn FnMut(&[u8]) + Send>;

/// What is said beside the protocol, in lines that no message looks like.
pub struct LineNotice {
    /// Is given what the client says so.
    pub hear: LineListener,
    /// What the client is told so, without the ends of lines.
    pub tell: mpsc::UnboundedReceiver<Vec<u8>>,
}

impl fmt::Debug for LineNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Aside")
    }
}

/// Why a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationEnd {
    /// The client says nothing more, or hears nothing more.
    Left,
    /// The gateway is about to end; what was under way had its time.
    Drained,
    /// The client's workspace was forgotten. It may come back.
    Forgotten,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Gateway {
    /// Finds the place of a client, so that it can be told if there is none before it speaks.
    pub async fn attach(&self, attached: AttachedClient) -> Result<Conversation, NoPlace> {
        let AttachedClient { known, workspace, role, requester, switches, window } = attached;
        if self.shared.is_draining() {
            return Err(NoPlace::Unavailable("this gateway is about to end".to_owned()));
        }
        let address = PlaceAddress { acting: role, ..PlaceAddress::default() };
        let place = self.shared.place(&known, workspace.as_deref(), address).await?;
        let place = Arc::new(place.for_window(switches));
        let id = SessionTable::new_id();
        let id = id.ok_or_else(|| NoPlace::Unavailable("no randomness".to_owned()))?;
        if let Some(window) = window {
            let session = SessionId(id.to_string());
            self.shared.settings.approvals.recall_window(&session, window).await;
        }
        let shared = Arc::clone(&self.shared);
        Ok(Conversation { shared, place, requester, id, aside: None })
    }

    /// Serves one client until its stream ends, its workspace is forgotten or the gateway drains.
    pub async fn converse<R, W>(
        &self,
        attached: AttachedClient,
        reader: R,
        writer: W,
    ) -> Result<ConversationEnd, NoPlace>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Ok(self.attach(attached).await?.run(reader, writer).await)
    }
}

impl Conversation {
    /// Something is said beside it.
    pub fn with(self, aside: Option<LineNotice>) -> Self {
        Self { aside, ..self }
    }

    /// From the first line to the last. Dropping it is as if the client had left.
    pub async fn run<R, W>(self, reader: R, writer: W) -> ConversationEnd
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let Self { shared, place, requester, id, aside } = self;
        let _counted = shared.metrics.attached();
        let session = SessionId(id.to_string());
        debug!(session = session.shown(), "conversation began");
        let (queue, unsent) = mpsc::channel(UNSENT);
        let gone = place.served.forgotten.child_token();
        // Requests and subscriptions end with it, also where this is dropped.
        let leaving = gone.clone().drop_guard();
        let (mut writing, heard) = (JoinSet::new(), gone.clone());
        writing.spawn(async move {
            // One that does not hear has left, whatever it still says.
            let _ = write_lines::write(unsent, writer).await;
            heard.cancel();
        });
        let (hear, tell) = aside.map(|LineNotice { hear, tell }| (hear, tell)).unzip();
        if let Some(tell) = tell {
            tokio::spawn(gone.clone().run_until_cancelled_owned(pass_on(tell, queue.clone())));
        }
        let whose = (Arc::clone(&place), requester);
        let mut client = LineClient::new(Arc::clone(&shared), whose, id, queue, &gone);
        let room = client.room();
        let drained = async {
            shared.draining().cancelled().await;
            let _ = timeout(DRAIN, room.all_free()).await;
        };
        tokio::select! {
            biased;
            () = client.read(reader, hear) => {}
            () = gone.cancelled() => {}
            () = drained => {}
        }
        let ended = match (place.served.forgotten.is_cancelled(), shared.is_draining()) {
            (true, _) => ConversationEnd::Forgotten,
            (false, true) => ConversationEnd::Drained,
            (false, false) => ConversationEnd::Left,
        };
        debug!(session = session.shown(), why = ?ended, "conversation ended");
        drop(leaving);
        let finished = client.leave();
        drop(client);
        let last_words = async {
            if let Some(finished) = finished {
                let _ = finished.await;
            }
            room.all_free().await;
            writing.join_next().await;
        };
        let _ = timeout(LAST_WORDS, last_words).await;
        ended
    }
}

async fn pass_on(mut from: mpsc::UnboundedReceiver<Vec<u8>>, to: mpsc::Sender<LineMessage>) {
    while let Some(line) = from.recv().await {
        let _ = to.send(line.into()).await;
    }
}
