//! Tools held against what was accepted of them, with real processes that say something else after
//! they were started anew, or at the next list.
//!
//! This file holds what the modules share: a server in a folder, whose script can be exchanged
//! between its runs, and who has it. It tests nothing itself.

mod accepting;
mod failing;
mod instructing;
mod keys;
mod lists;
mod runs;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tempfile::TempDir;
use tokio::sync::watch;
use toolgate_sandbox::{HelperPath, ProcessSpawner};
use toolgate_store::{Pin, PinKey, SqliteStore, Store};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Entry, LimitsSection, Server};
use toolgate_types::{
    ConfigSource, Digest, EntryStanding, Fingerprint, HostEvent, HostListener, Layer, LayerGrade,
    ListKind, NobodyToAsk, Origin, ServerId, ServerState, Trust,
};
use toolgate_upstream::{
    Allowances, CatalogListing, ConnectionUser, CredentialProviders, HostNumber, ListWait,
    PATIENCE, Pool, ServerSurroundings, Upstream,
};

use crate::{Bench, peer_path, within};

/// A workspace with a server, and a folder where state is kept.
struct House {
    workspace: TempDir,
    state: TempDir,
}

/// One who has that server, as a program of its own would.
struct Guest {
    upstream: Arc<Upstream>,
    world: Arc<ServerSurroundings>,
    pool: Pool,
    store: Arc<dyn Store>,
    events: Arc<Events>,
}

impl House {
    fn new(script: &Script) -> Self {
        let house = Self { workspace: folder(), state: folder() };
        house.play(script);
        house
    }

    /// What the server plays from its next start on, as after an update of its package.
    fn play(&self, script: &Script) {
        fs::write(self.script(), script.to_argument()).unwrap();
    }

    fn script(&self) -> PathBuf {
        self.workspace.path().join("script.json")
    }

    fn server(&self) -> Server {
        let (peer, script) = (peer_path(), self.script());
        let command = format!(r#"exec "{}" "$(/bin/cat "{}")""#, peer.display(), script.display());
        Bench::command("/bin/sh", &["-c", &command]).server
    }

    /// The store as another process would open it.
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.state.path()).unwrap())
    }

    fn guest(&self) -> Guest {
        self.guest_with(self.store(), |_, _| {})
    }

    fn guest_with(
        &self,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut ServerSurroundings, &mut Entry<Server>),
    ) -> Guest {
        self.guest_in(Pool::default(), store, change)
    }

    fn guest_in(
        &self,
        pool: Pool,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut ServerSurroundings, &mut Entry<Server>),
    ) -> Guest {
        Guest::new(self.workspace.path(), self.server(), pool, store, change)
    }
}

impl Guest {
    fn new(
        workspace: &Path,
        server: Server,
        pool: Pool,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut ServerSurroundings, &mut Entry<Server>),
    ) -> Self {
        let events = Arc::new(Events::default());
        let mut world = ServerSurroundings {
            number: HostNumber::next(),
            workspace: workspace.to_owned(),
            project: Default::default(),
            second_look: Default::default(),
            variables: Default::default(),
            spawner: ProcessSpawner::new(HelperPath::at(peer_path())),
            hidden: Vec::new(),
            asker: Arc::new(NobodyToAsk),
            listener: Arc::clone(&events) as _,
            store: Some(Arc::clone(&store)),
            packages: None,
            uses_snapshots: true,
            logins: None,
            providers: CredentialProviders::new(),
            token_commands: Default::default(),
            builtins: BTreeMap::new(),
            allowances: Arc::new(Allowances::of(&LimitsSection::default(), None)),
            principal: "local".to_owned(),
            log_level: Default::default(),
            callers_level: Default::default(),
            epoch: AtomicU64::new(0),
        };
        let mut entry = Entry {
            value: server,
            origin: Origin {
                layer: Layer::Global,
                grade: LayerGrade::Person,
                source: Arc::new(ConfigSource::Overrides),
                key: "files".to_owned(),
                line: 0,
            },
            fingerprint: Fingerprint { entry: Digest([1; 32]), files: BTreeMap::new() },
            values: Vec::new(),
        };
        change(&mut world, &mut entry);
        let world = Arc::new(world);
        let standing = EntryStanding::Accepted(Trust::Trusted);
        let upstream = Upstream::new(id(), entry, standing, Arc::clone(&world), &pool);
        Self { upstream, world, pool, store, events }
    }

    /// The tools as the running server has them, started where it does not run.
    async fn lists(&self) -> Arc<CatalogListing> {
        let held = within(self.upstream.hold(ConnectionUser::default())).await.unwrap();
        within(held.spoken(ListKind::Tools)).await.unwrap()
    }

    /// What is known without the server, from the store where nothing else is.
    async fn knows(&self) -> Option<Arc<CatalogListing>> {
        within(self.upstream.refresh(ListKind::Tools, ListWait::at_most(PATIENCE))).await;
        self.upstream.known(ListKind::Tools)
    }

    fn key(&self) -> PinKey {
        self.upstream.pin_key().unwrap().clone()
    }

    async fn pins(&self) -> Vec<Pin> {
        self.store.pins(&self.key()).await.unwrap()
    }

    fn live(&self, tool: &str) -> Option<String> {
        self.upstream.drifted(tool).map(|live| live.raw.get().to_owned())
    }

    async fn close(self) {
        within(self.upstream.close()).await;
    }
}

/// What happened to pins and lists, one line each.
#[derive(Default)]
struct Events(watch::Sender<Vec<String>>);

impl HostListener for Events {
    fn happened(&self, event: HostEvent) {
        let line = match event {
            HostEvent::Pinned { tools, .. } => format!("pinned {}", tools.join(" ")),
            HostEvent::Drifted { tool, severity, .. } => format!("drifted {tool}: {severity}"),
            HostEvent::InstructionsChanged { .. } => "says something else".to_owned(),
            HostEvent::PinsFailed { error, .. } => format!("failed: {error}"),
            HostEvent::ListChanged { .. } => "changed".to_owned(),
            HostEvent::State { state: ServerState::Error, .. } => "lost".to_owned(),
            _ => return,
        };
        self.0.send_modify(|all| all.push(line));
    }
}

impl Events {
    fn all(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    async fn heard(&self, line: &str) {
        let mut events = self.0.subscribe();
        within(events.wait_for(|all| all.iter().any(|one| one == line))).await.unwrap();
    }
}

fn id() -> ServerId {
    ServerId::parse("files").unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A tool's definition with this text.
fn tool(name: &str, description: &str) -> String {
    format!(
        r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object"}}}}"#
    )
}

/// A server with these tools.
fn offering(tools: &[String]) -> Script {
    in_turn(&[tools])
}

/// A server that has other tools each time it is asked, and is asked each time.
fn in_turn(lists: &[&[String]]) -> Script {
    let list =
        |tools: &&[String]| Act::answer(format!(r#"{{"tools":[{}],"ttlMs":0}}"#, tools.join(",")));
    Script::legacy().on("tools/list", [Act::InTurn(lists.iter().map(list).collect())])
}

/// The definitions that are listed, each as it came.
fn listed(listing: &CatalogListing) -> Vec<&str> {
    listing.items.iter().map(|item| item.raw.get()).collect()
}

/// A session, for which a connection is held.
fn of(session: &toolgate_types::SessionId) -> ConnectionUser<'_> {
    ConnectionUser { session: Some(session), ..ConnectionUser::default() }
}
