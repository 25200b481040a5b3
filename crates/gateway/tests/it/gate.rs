//! A gateway as tests build it: servers by name, who may call, what was asked of the servers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolgate_gateway::{
    CallerRefused, CallerVerifier, ConnectionThreads, Gateway, GatewaySettings, HostMaker,
    HostedFolder, KNOWN_WITHIN, KnownCaller, ResourceMetadata, WantedHost,
};
use toolgate_host::{AllowEverything, ApprovalQueue, Guard, Host, HostBuilder, Pool};
use toolgate_store::ArtifactStore;
use toolgate_testkit::{Act, Peer, Script};
use toolgate_types::config::{
    Bundle, BundleMode, Config, Entry, LimitsSection, NameFilter, RemoteKind, RemoteServer, Role,
    Server, Transport,
};
use toolgate_types::{
    BundleId, ConfigSource, ConfigText, Digest, Endpoint, Fingerprint, Layer, LayerGrade, Origin,
    Principal, RoleId, ServerId,
};

use crate::client::Client;
use crate::events::Events;

/// Only something that hangs takes so long.
pub(crate) const HANG: Duration = Duration::from_secs(120);

pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(HANG, future).await.expect("nothing here takes a minute")
}

pub(crate) fn id(name: &str) -> ServerId {
    ServerId::parse(name).unwrap()
}

/// A gateway being put together.
pub(crate) struct Gate {
    config: Config,
    builder: HostBuilder,
    peers: Arc<Peers>,
    pub(crate) tokens: BTreeMap<String, KnownCaller>,
    pub(crate) resource: Option<ResourceMetadata>,
    workspaces: Vec<String>,
    allowed_origins: Vec<String>,
    known_within: Duration,
    threads: ConnectionThreads,
}

/// The scripted servers that were started in process, by id and in order.
#[derive(Default)]
pub(crate) struct Peers(watch::Sender<BTreeMap<String, Vec<Arc<Peer>>>>);

/// A gateway that runs. It ends when it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) peers: Arc<Peers>,
    pub(crate) events: Arc<Events>,
    /// Stops it, and lets what is under way finish.
    pub(crate) stop: CancellationToken,
    pub(crate) gateway: Gateway,
    /// The hosts that were made and not let go, in order.
    pub(crate) hosts: Arc<Mutex<Vec<Host>>>,
    /// Where the calls of all of them wait for a person.
    pub(crate) approvals: ApprovalQueue,
    /// What they were made of.
    pub(crate) config: Config,
    serving: Option<JoinHandle<()>>,
}

impl Gate {
    /// With this server in our own process, where everything may be called by anybody.
    pub(crate) fn with(name: &str, script: Script) -> Self {
        Self::empty().server(name, script)
    }

    pub(crate) fn empty() -> Self {
        let guard = Guard::without_policy(AllowEverything::insecure_no_policy());
        Self {
            config: Config::default(),
            builder: Host::builder().guard(guard).workspace("/"),
            peers: Arc::default(),
            tokens: BTreeMap::new(),
            resource: None,
            workspaces: Vec::new(),
            allowed_origins: Vec::new(),
            known_within: KNOWN_WITHIN,
            threads: ConnectionThreads::default(),
        }
    }

    pub(crate) fn server(self, name: &str, script: Script) -> Self {
        self.server_with(name, script, |_| {})
    }

    pub(crate) fn server_with(
        mut self,
        name: &str,
        script: Script,
        change: impl FnOnce(&mut Server),
    ) -> Self {
        let (peers, key) = (Arc::clone(&self.peers), name.to_owned());
        let serve = move || {
            let (pipe, peer) = script.clone().over_pipe();
            let peer = Arc::new(peer);
            peers.0.send_modify(|all| all.entry(key.clone()).or_default().push(peer));
            pipe
        };
        self.builder = self.builder.builtin(id(name), Arc::new(serve));
        self.entry(name, Transport::Builtin, change)
    }

    /// With a server at a URL, as `Script::over_http` plays it.
    pub(crate) fn remote(self, name: &str, url: &str) -> Self {
        let transport = Transport::Remote(RemoteServer {
            endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
            kind: RemoteKind::Http,
            headers: IndexMap::new(),
            bearer_token_env: None,
            auth_provider: None,
            oauth: None,
            ca_file: None,
        });
        self.entry(name, transport, |_| {})
    }

    fn entry(mut self, name: &str, transport: Transport, change: impl FnOnce(&mut Server)) -> Self {
        let mut server = Server::new(transport);
        change(&mut server);
        self.config.servers.insert(id(name), written(name, server));
        self
    }

    /// With the rules of the configuration instead of none.
    pub(crate) fn guarded(mut self) -> Self {
        self.builder = self.builder.guard(Guard::default());
        // Scripted clients answer at once, and stand for people all the same.
        self.config.approval.fastest_answer = Duration::ZERO;
        self
    }

    /// With a role that sees all tools of these servers.
    pub(crate) fn role(mut self, name: &str, servers: &[&str]) -> Self {
        let all = || NameFilter { allow: None, deny: Vec::new() };
        let mut bundles = Vec::new();
        for server in servers {
            let bundle = BundleId::parse(&format!("{name}-{server}")).unwrap();
            let value = Bundle {
                server: id(server),
                mode: BundleMode::Direct,
                description: None,
                tools: all(),
            };
            self.config.bundles.insert(bundle.clone(), written(bundle.as_str(), value));
            bundles.push(bundle);
        }
        let role = Role { description: None, bundles, tools: all() };
        self.config.roles.insert(RoleId::parse(name).unwrap(), written(name, role));
        self
    }

    /// With a workspace at `/w/<id>/mcp`, which has the same servers.
    pub(crate) fn workspace(mut self, id: &str) -> Self {
        self.workspaces.push(id.to_owned());
        self
    }

    /// With somebody who has a token. Once there is one, nobody gets in without.
    pub(crate) fn token(mut self, token: &str, principal: &str, roles: Option<&[&str]>) -> Self {
        let role = |name: &&str| RoleId::parse(name).unwrap();
        let roles = roles.map(|roles| roles.iter().map(role).collect());
        let known = KnownCaller {
            roles,
            shows_forms: true,
            ..KnownCaller::of(Principal::named(principal))
        };
        self.tokens.insert(token.to_owned(), known);
        self
    }

    /// The token is of a client whose forms nobody sees.
    pub(crate) fn without_forms(mut self, token: &str) -> Self {
        self.tokens.get_mut(token).unwrap().shows_forms = false;
        self
    }

    /// The token is of a client with this name.
    pub(crate) fn of_client(mut self, token: &str, name: &str) -> Self {
        self.tokens.get_mut(token).unwrap().client = Some(name.to_owned());
        self
    }

    pub(crate) fn allowing_origin(mut self, origin: &str) -> Self {
        self.allowed_origins.push(origin.to_owned());
        self
    }

    /// Whoever connects has so long to show a token that counts.
    pub(crate) fn known_within(self, known_within: Duration) -> Self {
        Self { known_within, ..self }
    }

    /// With all connections on one thread of their own.
    pub(crate) fn on_one_thread(self) -> Self {
        let threads = ConnectionThreads::start(NonZeroUsize::MIN).unwrap();
        Self { threads, ..self }
    }

    /// With a place for results that nobody holds.
    pub(crate) fn keeping(mut self, store: Arc<dyn ArtifactStore>) -> Self {
        self.builder = self.builder.artifacts(store);
        self
    }

    pub(crate) fn limits(self, change: impl FnOnce(&mut LimitsSection)) -> Self {
        self.configured(|config| change(&mut config.limits))
    }

    pub(crate) fn configured(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    pub(crate) async fn run(self) -> Running {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let events = Arc::new(Events::default());
        let limits = self.config.limits.clone();
        let hosts: Arc<Mutex<Vec<Host>>> = Arc::default();
        let config = self.config.clone();
        let (approvals, pool) = (ApprovalQueue::new(None), Pool::default());
        let maker = Maker {
            builder: {
                let shared = self.builder.approvals(approvals.clone()).pool(pool.clone());
                shared.config(self.config)
            },
            workspaces: self.workspaces,
            events: Arc::clone(&events),
            made: Arc::clone(&hosts),
        };
        let gateway = Gateway::on(
            self.threads,
            GatewaySettings {
                hosts: Arc::new(maker),
                callers: Arc::new(Tokens(self.tokens)),
                resource: self.resource,
                login_pages: None,
                naming: config.gateway.naming,
                clients: IndexMap::new(),
                allowed_hosts: Vec::new(),
                allowed_origins: self.allowed_origins,
                limits,
                approvals: approvals.clone(),
                pool,
                entrance: toolgate_gateway::ConnectionEntrance::Plain,
                known_within: self.known_within,
                watch: Arc::clone(&events) as _,
            },
        );
        let stop = CancellationToken::new();
        let serving = {
            let (gateway, stop) = (gateway.clone(), stop.clone());
            tokio::spawn(async move { gateway.serve(listener, stop).await })
        };
        let peers = self.peers;
        let serving = Some(serving);
        Running { address, peers, events, stop, gateway, hosts, approvals, config, serving }
    }
}

impl Running {
    /// A client of `/mcp` that said nothing so far.
    pub(crate) fn client(&self) -> Client {
        self.client_at("/mcp")
    }

    pub(crate) fn client_at(&self, path: &str) -> Client {
        Client::new(self.address, path)
    }

    /// Waits until it has stopped.
    pub(crate) async fn stopped(&mut self) {
        let serving = self.serving.take().unwrap();
        within(serving).await.unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

impl Peers {
    /// The last start of a server; waits for the first.
    pub(crate) async fn last(&self, name: &str) -> Arc<Peer> {
        let mut all = self.0.subscribe();
        let all = within(all.wait_for(|all| all.contains_key(name))).await.unwrap();
        Arc::clone(all[name].last().unwrap())
    }

    /// Waits until a server was started so many times.
    pub(crate) async fn started(&self, name: &str, times: usize) {
        let mut all = self.0.subscribe();
        let is_it = |all: &BTreeMap<String, Vec<Arc<Peer>>>| {
            all.get(name).is_some_and(|starts| starts.len() >= times)
        };
        within(all.wait_for(is_it)).await.unwrap();
    }

    /// How many messages with this in them a server received, over all its starts.
    pub(crate) fn received(&self, name: &str, what: &str) -> usize {
        let peers = self.0.borrow();
        let peers = peers.get(name).into_iter().flatten();
        peers.flat_map(|peer| peer.seen()).filter(|line| line.contains(what)).count()
    }
}

/// Makes a host for everybody who comes, all of the same configuration.
struct Maker {
    builder: HostBuilder,
    workspaces: Vec<String>,
    events: Arc<Events>,
    made: Arc<Mutex<Vec<Host>>>,
}

#[async_trait]
impl HostMaker for Maker {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        if wanted.workspace.as_ref().is_some_and(|id| !self.workspaces.contains(id)) {
            return Ok(None);
        }
        let listener = wanted.listener(Some(Arc::clone(&self.events) as _));
        let builder = self.builder.clone().listener(listener).asker(wanted.asker());
        let host = builder.principal(wanted.principal).build();
        host.start().await.map_err(|error| error.to_string())?;
        self.made.lock().unwrap().push(host.clone());
        Ok(Some(HostedFolder { host, folder: PathBuf::from("/"), naming: None }))
    }

    fn let_go(&self, host: &Host) {
        self.made.lock().unwrap().retain(|made| !made.is(host));
    }
}

/// Who may call.
struct Tokens(BTreeMap<String, KnownCaller>);

#[async_trait]
impl CallerVerifier for Tokens {
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        match bearer {
            _ if self.0.is_empty() => {
                let principal = Principal::local_user();
                Ok(KnownCaller { shows_forms: true, ..KnownCaller::of(principal) })
            }
            // One that counts, and is not good for anything here.
            Some("scopeless") => Err(CallerRefused::Scope),
            Some(token) => self.0.get(token).cloned().ok_or(CallerRefused::Unknown),
            None => Err(CallerRefused::Missing),
        }
    }
}

/// A server with these tools, each of which says its own name.
pub(crate) fn tools(names: &[&str]) -> Script {
    let script =
        names.iter().fold(Script::legacy(), |script, name| script.on_call(name, [Act::say(name)]));
    script.on("tools/list", [Act::answer(list(names))])
}

/// The result of `tools/list` with these names.
pub(crate) fn list(names: &[&str]) -> String {
    let tool = |name: &&str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools: Vec<_> = names.iter().map(tool).collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

pub(crate) fn written<T>(name: &str, value: T) -> Entry<T> {
    let mut digest = [0; 32];
    for (slot, byte) in digest.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    Entry {
        value,
        origin: Origin {
            layer: Layer::Runtime,
            grade: LayerGrade::Person,
            source: Arc::new(ConfigSource::Overrides),
            key: name.to_owned(),
            line: 0,
        },
        fingerprint: Fingerprint { entry: Digest(digest), files: BTreeMap::new() },
        values: Vec::new(),
    }
}

/// A server's question as a person reads it, in JSON between its quotes.
pub(crate) fn asked_by(server: &str, words: &str) -> String {
    format!(r"The server `{server}` asks. These are its own words:\n> {words}")
}
