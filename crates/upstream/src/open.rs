//! Opens a connection: starts or dials what an accepted entry names, and finds out which era the
//! server speaks.

mod probe;
mod remote;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use toolgate_sandbox::{Description, ProcessSpawner, SandboxRoom, SpawnConditions};
use toolgate_store::PinKey;
use toolgate_types::config::{
    Isolation, PackageServer, Server, StdioServer as StdioEntry, Transport,
};
use toolgate_types::{Accepted, Asker, EventSink, ServerId};
use toolgate_wire::{Era, MessageLimits, ProtocolRevision};
use tracing::debug;

use self::probe::ProbeSilence;
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::connection::{ConnectionWiring, UpstreamConnection};
use crate::credential::CredentialProviders;
use crate::failure::ConnectError;
use crate::handshake::Introduction;
use crate::inbox::ServerInbox;
use crate::own_roots::own_roots;
use crate::packages::{InstalledServer, PackageError, PackageStore};
use crate::router::MessageRouter;
use crate::server_login::LoginAccess;
use crate::spilled_answer::SpillPlace;
use crate::transport::in_process::InProcessTransport;
use crate::transport::stdio::StdioTransport;
use crate::transport::stdio::last_words::LastWords;
use crate::transport::stdio::process_listener::{NetworkEars, ProcessEars};

/// How many answers to a server's own questions may wait to be written.
const UNSENT_REPLIES: usize = 64;

/// Everything that opening one server needs.
#[derive(Clone)]
pub struct ServerOpening<'a> {
    pub id: &'a ServerId,
    pub server: Accepted<'a, Server>,
    /// The folder that a local process runs in unless its entry names one.
    pub workspace: &'a Path,
    /// The environment that entries may take from.
    pub variables: &'a BTreeMap<String, String>,
    pub spawner: &'a ProcessSpawner,
    /// Who gives the credentials that entries name.
    pub providers: &'a CredentialProviders,
    /// Where logins are kept, and whose this one is; without it there is none.
    pub login: Option<LoginAccess>,
    pub asker: Arc<dyn Asker>,
    pub events: Arc<dyn EventSink>,
    /// What the program of the one caller can do whose server this is, raw.
    pub callers: Option<Arc<RawValue>>,
    /// What this entry spoke the last time.
    pub known: Option<ProtocolRevision>,
    pub limits: MessageLimits,
    /// Where answers beyond those go, if anywhere.
    pub spill: Option<SpillPlace>,
    /// Where a server that is made of packages has them. Without it there is none of these.
    pub packages: Option<ServerPackages<'a>>,
}

/// Where one server has its packages.
#[derive(Debug, Clone, Copy)]
pub struct ServerPackages<'a> {
    pub kept: PackageStore<'a>,
    /// Whose server it is.
    pub key: &'a PinKey,
    /// Whether what the server writes is kept for the next start. Two runs side by side must not both.
    pub keeps_data: bool,
}

impl std::fmt::Debug for ServerOpening<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerOpening").field("id", &self.id.as_str()).finish_non_exhaustive()
    }
}

impl ServerOpening<'_> {
    /// Opens the connection, each attempt within the entry's start-up time. What the entry spoke
    /// the last time is only a hint: where it turns out to be wrong, the server is asked anew.
    pub async fn open(&self) -> Result<UpstreamConnection, ConnectError> {
        self.open_heard(None).await
    }

    /// The same with somebody who hears what a local process writes to its standard error.
    pub(crate) async fn open_heard(
        &self,
        hear: Option<ProcessEars>,
    ) -> Result<UpstreamConnection, ConnectError> {
        // It takes as long as it takes; the time to start counts from then.
        let installed = self.install().await?;
        let installed = installed.as_ref();
        match self.attempt(hear.clone(), installed).await {
            Err(ConnectError::Refused(_) | ConnectError::UnsupportedVersion(_))
                if self.known.is_some() =>
            {
                debug!(
                    server = self.id.as_str(),
                    "what it spoke the last time is refused: asked anew"
                );
                Self { known: None, ..self.clone() }.attempt(hear, installed).await
            }
            opened => opened,
        }
    }

    /// The same in the older era and in no other.
    pub(crate) async fn open_in_older_era(&self) -> Result<UpstreamConnection, ConnectError> {
        let known = Some(ProtocolRevision::NEWEST_LEGACY);
        Self { known, ..self.clone() }.attempt(None, None).await
    }

    /// The packages that a server is made of, fetched where they are not there.
    async fn install(&self) -> Result<Option<InstalledServer>, ConnectError> {
        let setup = |error: PackageError| ConnectError::Setup {
            message: error.to_string(),
            hint: error.hint(),
        };
        let Transport::Stdio(stdio) = &self.server.value().transport else { return Ok(None) };
        let server = PackageServer::of(stdio).map_err(|error| setup(error.into()))?;
        let Some(server) = server else { return Ok(None) };
        let packages = self.packages.ok_or(PackageError::NoFolder).map_err(setup)?;
        // A project's entry is fixed when a person accepts it; a person's own is accepted by itself.
        let may_fix = packages.key.root.is_none();
        let keeps = packages.keeps_data && self.server.value().isolation != Isolation::Session;
        let used_in = keeps.then_some(self.workspace);
        let installed = packages.kept.installed(packages.key, &server, may_fix, used_in).await;
        installed.map(Some).map_err(setup)
    }

    async fn attempt(
        &self,
        hear: Option<ProcessEars>,
        installed: Option<&InstalledServer>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let entry = self.server.value();
        let limit = entry.timeouts.startup.duration();
        let (last_words, hear) = LastWords::overheard(hear);
        let opening = async {
            match &entry.transport {
                Transport::Stdio(stdio) => self.process(stdio, installed, Some(hear)).await,
                Transport::Remote(remote) => self.remote(remote).await,
                Transport::Builtin | Transport::Commands(_) => Err(ConnectError::Setup {
                    message: "a built-in server is opened over its pipe".to_owned(),
                    hint: None,
                }),
            }
        };
        let opened = match tokio::time::timeout(limit, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectError::TimedOut(limit)),
        };
        match (opened, &entry.transport) {
            (Err(ConnectError::TimedOut(after)), Transport::Stdio(stdio)) => {
                let described = described(stdio, self.workspace, self.variables);
                let withheld = described.withheld_for_network();
                let last_words = last_words.text();
                Err(ConnectError::StartTimedOut { after, last_words, withheld })
            }
            (opened, _) => opened,
        }
    }

    /// Opens a server in our own process, whose other end of the pipe somebody serves.
    pub async fn over_pipe(&self, pipe: DuplexStream) -> Result<UpstreamConnection, ConnectError> {
        let (router, replies) = self.router();
        let wiring =
            self.wiring(InProcessTransport::new(pipe, Arc::clone(&router)), router, replies)?;
        let silence = ProbeSilence::at_once();
        let limit = self.server.value().timeouts.startup.duration();
        let probing = probe::duplex(self.id, wiring, self.known, silence, limit);
        match tokio::time::timeout(limit, probing).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectError::TimedOut(limit)),
        }
    }

    async fn process(
        &self,
        entry: &StdioEntry,
        installed: Option<&InstalledServer>,
        hear: Option<ProcessEars>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let program = (entry, installed);
        let first = self.start(program, self.known, hear.clone()).await;
        // Some servers end at a first message they do not expect. They get what they expect.
        let other_way = match self.known.map(ProtocolRevision::era) {
            None => Some(ProtocolRevision::NEWEST),
            Some(Era::Modern) => Some(ProtocolRevision::NEWEST_LEGACY),
            Some(Era::Legacy) => None,
        };
        match (first, other_way) {
            (Err(ConnectError::Ended { .. }), Some(other_way)) => {
                debug!(
                    server = self.id.as_str(),
                    "it ended when it was spoken to: started again, and spoken to in the other way"
                );
                self.start(program, Some(other_way), hear).await
            }
            (first, _) => first,
        }
    }

    async fn start(
        &self,
        (entry, installed): (&StdioEntry, Option<&InstalledServer>),
        known: Option<ProtocolRevision>,
        hear: Option<ProcessEars>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let mut description = described(entry, self.workspace, self.variables);
        let mut room = room_of(self.server.value(), self.workspace);
        if let Some(installed) = installed {
            installed.furnish(&mut description, &mut room);
        }
        let how = SpawnConditions {
            confinement: entry.confinement.clone(),
            room,
            stderr: entry.stderr,
            network_listener: hear.as_ref().map(NetworkEars::of),
        };
        let (router, replies) = self.router();
        let process =
            StdioTransport::start(self.id, self.spawner, (&description, &how), &router, hear)
                .await?;
        let limit = self.server.value().timeouts.startup.duration();
        let silence = ProbeSilence::after(Arc::clone(&process.spoke), limit / 2);
        let wiring = self.wiring(process, router, replies)?;
        probe::duplex(self.id, wiring, known, silence, limit).await
    }

    fn router(&self) -> (Arc<MessageRouter>, mpsc::Receiver<Vec<u8>>) {
        let (replies, unsent) = mpsc::channel(UNSENT_REPLIES);
        let inbox = ServerInbox {
            server: self.id.clone(),
            asker: Arc::clone(&self.asker),
            may_sample: self.server.value().sampling,
            own_roots: own_roots(self.server.value(), self.workspace).into(),
            events: Arc::clone(&self.events),
            replies,
            open: Arc::default(),
            asked: Arc::default(),
        };
        (Arc::new(MessageRouter::new(inbox, self.limits, self.spill.clone())), unsent)
    }

    fn wiring(
        &self,
        channel: Arc<dyn ServerChannel>,
        router: Arc<MessageRouter>,
        mut unsent: mpsc::Receiver<Vec<u8>>,
    ) -> Result<ConnectionWiring, ConnectError> {
        // The task must not keep alive what it serves.
        let weak = (Arc::downgrade(&channel), Arc::downgrade(&router));
        tokio::spawn(async move {
            while let Some(bytes) = unsent.recv().await {
                let (Some(channel), Some(router)) = (weak.0.upgrade(), weak.1.upgrade()) else {
                    return;
                };
                // Only `initialize` itself travels without a revision.
                let revision = router.revision().unwrap_or(ProtocolRevision::NEWEST_LEGACY);
                let _ = channel.send(OutgoingMessage::plain(bytes, Some(revision))).await;
            }
        });
        let introduction =
            Introduction::new(self.server.value(), &*self.asker, self.callers.as_deref())
                .map_err(|error| ConnectError::Protocol(error.to_string()))?;
        Ok(ConnectionWiring {
            channel,
            router,
            introduction,
            next_id: Arc::new(AtomicU64::new(1)),
            timeouts: self.server.value().timeouts,
        })
    }
}

/// What walls around a server are built around. A process that workspaces share stands in none.
pub fn room_of(server: &Server, workspace: &Path) -> SandboxRoom {
    let is_shared = server.isolation == Isolation::Machine;
    let workspace = (!is_shared).then(|| workspace.to_owned());
    SandboxRoom { workspace, ..SandboxRoom::default() }
}

/// What an entry starts, in a workspace and out of these variables.
pub fn described(
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
