//! Opens a connection: starts or dials what an accepted entry names, and finds out which era the
//! server speaks.

mod probe;
mod remote;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use toolgate_sandbox::{Description, How, Spawner};
use toolgate_types::config::{Server, Stdio as StdioEntry, Transport};
use toolgate_types::{Accepted, Asker, EventSink, ServerId};
use toolgate_wire::{Era, Limits, Revision};

use self::probe::Silence;
use crate::channel::{Channel, Outgoing};
use crate::connection::{Connection, Wiring};
use crate::credential::Providers;
use crate::failure::ConnectError;
use crate::handshake::Introduction;
use crate::inbox::Inbox;
use crate::router::Router;
use crate::transport::in_process::InProcess;
use crate::transport::stdio::Stdio;
use crate::transport::stdio::complaints::Hear;

/// How many answers to a server's own questions may wait to be written.
const UNSENT_REPLIES: usize = 64;

/// Everything that opening one server needs.
#[derive(Clone)]
pub struct Opening<'a> {
    pub id: &'a ServerId,
    pub server: Accepted<'a, Server>,
    /// The folder that a local process runs in unless its entry names one.
    pub workspace: &'a Path,
    /// The environment that entries may take from.
    pub variables: &'a BTreeMap<String, String>,
    pub spawner: &'a Spawner,
    /// Who gives the credentials that entries name.
    pub providers: &'a Providers,
    pub asker: Arc<dyn Asker>,
    pub events: Arc<dyn EventSink>,
    /// What this entry spoke the last time.
    pub known: Option<Revision>,
    pub limits: Limits,
}

impl std::fmt::Debug for Opening<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opening").field("id", &self.id.as_str()).finish_non_exhaustive()
    }
}

impl Opening<'_> {
    /// Opens the connection, each attempt within the entry's start-up time. What the entry spoke
    /// the last time is only a hint: where it turns out to be wrong, the server is asked anew.
    pub async fn open(&self) -> Result<Connection, ConnectError> {
        self.open_heard(None).await
    }

    /// The same with somebody who hears what a local process writes to its standard error.
    pub(crate) async fn open_heard(&self, hear: Option<Hear>) -> Result<Connection, ConnectError> {
        match self.attempt(hear.clone()).await {
            Err(ConnectError::Refused(_) | ConnectError::UnsupportedVersion(_))
                if self.known.is_some() =>
            {
                Self { known: None, ..self.clone() }.attempt(hear).await
            }
            opened => opened,
        }
    }

    async fn attempt(&self, hear: Option<Hear>) -> Result<Connection, ConnectError> {
        let entry = self.server.value();
        let limit = entry.timeouts.startup.duration();
        let opening = async {
            match &entry.transport {
                Transport::Stdio(stdio) => self.process(stdio, hear).await,
                Transport::Remote(remote) => self.remote(remote).await,
                Transport::Builtin => Err(ConnectError::Setup {
                    message: "a built-in server is opened over its pipe".to_owned(),
                    hint: None,
                }),
            }
        };
        match tokio::time::timeout(limit, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectError::TimedOut(limit)),
        }
    }

    /// Opens a server in our own process, whose other end of the pipe somebody serves.
    pub async fn over_pipe(&self, pipe: DuplexStream) -> Result<Connection, ConnectError> {
        let (router, replies) = self.router();
        let wiring = self.wiring(InProcess::new(pipe, Arc::clone(&router)), router, replies)?;
        let silence = Silence::at_once();
        let limit = self.server.value().timeouts.startup.duration();
        let probing = probe::duplex(wiring, self.known, silence, limit);
        match tokio::time::timeout(limit, probing).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectError::TimedOut(limit)),
        }
    }

    async fn process(
        &self,
        entry: &StdioEntry,
        hear: Option<Hear>,
    ) -> Result<Connection, ConnectError> {
        let first = self.start(entry, self.known, hear.clone()).await;
        // Some servers end at a first message they do not expect. They get what they expect.
        let probed = self.known.is_none_or(|revision| revision.era() == Era::Modern);
        match first {
            Err(ConnectError::Ended { .. }) if probed => {
                self.start(entry, Some(Revision::NEWEST_LEGACY), hear).await
            }
            other => other,
        }
    }

    async fn start(
        &self,
        entry: &StdioEntry,
        known: Option<Revision>,
        hear: Option<Hear>,
    ) -> Result<Connection, ConnectError> {
        let description = described(entry, self.workspace, self.variables);
        let how = How { confinement: entry.confinement.clone(), stderr: entry.stderr };
        let (router, replies) = self.router();
        let process =
            Stdio::start(self.spawner, &description, &how, Arc::clone(&router), hear).await?;
        let limit = self.server.value().timeouts.startup.duration();
        let silence = Silence::after(Arc::clone(&process.spoke), limit / 2);
        let wiring = self.wiring(process, router, replies)?;
        probe::duplex(wiring, known, silence, limit).await
    }

    fn router(&self) -> (Arc<Router>, mpsc::Receiver<Vec<u8>>) {
        let (replies, unsent) = mpsc::channel(UNSENT_REPLIES);
        let inbox = Inbox {
            server: self.id.clone(),
            asker: Arc::clone(&self.asker),
            may_sample: self.server.value().sampling,
            events: Arc::clone(&self.events),
            replies,
            open: Arc::default(),
        };
        (Arc::new(Router::new(inbox, self.limits)), unsent)
    }

    fn wiring(
        &self,
        channel: Arc<dyn Channel>,
        router: Arc<Router>,
        mut unsent: mpsc::Receiver<Vec<u8>>,
    ) -> Result<Wiring, ConnectError> {
        // The task must not keep alive what it serves.
        let weak = (Arc::downgrade(&channel), Arc::downgrade(&router));
        tokio::spawn(async move {
            while let Some(bytes) = unsent.recv().await {
                let (Some(channel), Some(router)) = (weak.0.upgrade(), weak.1.upgrade()) else {
                    return;
                };
                // Only `initialize` itself travels without a revision.
                let revision = router.revision().unwrap_or(Revision::NEWEST_LEGACY);
                let _ = channel.send(Outgoing::plain(bytes, Some(revision))).await;
            }
        });
        let introduction = Introduction::new(&*self.asker, self.server.value().sampling)
            .map_err(|error| ConnectError::Protocol(error.to_string()))?;
        Ok(Wiring {
            channel,
            router,
            introduction,
            next_id: Arc::new(AtomicU64::new(1)),
            timeouts: self.server.value().timeouts,
        })
    }
}

/// What an entry starts, in a workspace and out of these variables.
pub(crate) fn described(
    entry: &StdioEntry,
    workspace: &Path,
    variables: &BTreeMap<String, String>,
) -> Description {
    let folder = match &entry.cwd {
        Some(cwd) => workspace.join(cwd.expose()),
        None => workspace.to_owned(),
    };
    Description {
        program: entry.command.clone(),
        args: entry.args.clone(),
        folder,
        env: entry.env.clone(),
        pass: entry.env_vars.clone(),
        inherit: entry.inherit_env,
        source: variables.iter().collect(),
    }
}

/// How long closing may take when a connection is given up.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
