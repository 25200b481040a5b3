//! A host as tests build it: servers by name, what happened, and who was started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::timeout;
use toolgate_guard::AllowEverything;
use toolgate_host::{Guard, HelperPath, Host, HostBuilder};
use toolgate_testkit::{Act, Peer, Script};
use toolgate_types::config::{
    Config, Confinement, Entry, InheritEnv, NetworkAccess, RemoteKind, RemoteServer,
    ResourceLimits, SandboxProfile, Server, Stderr, StdioServer, Transport,
};
use toolgate_types::{
    ConfigSource, ConfigText, Digest, Endpoint, Fingerprint, HostEvent, HostListener, Layer,
    LayerGrade, Origin, ServerId, ServerState, ServerStatus,
};

/// Only something that hangs takes so long.
const HANG: Duration = Duration::from_secs(120);

pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(HANG, future).await.expect("nothing here takes two minutes")
}

pub(crate) fn id(name: &str) -> ServerId {
    ServerId::parse(name).unwrap()
}

pub(crate) fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// A host being put together.
pub(crate) struct Gate {
    config: Config,
    builder: HostBuilder,
    peers: Arc<Peers>,
    events: Arc<Events>,
}

/// The scripted servers that were started, by id and in order.
#[derive(Default)]
pub(crate) struct Peers(Mutex<BTreeMap<String, Vec<Arc<Peer>>>>);

/// A host that runs.
pub(crate) struct Running {
    pub(crate) host: Host,
    pub(crate) peers: Arc<Peers>,
    pub(crate) events: Arc<Events>,
}

impl Gate {
    /// Where everything may be called.
    pub(crate) fn open() -> Self {
        let guard = Guard::without_policy(AllowEverything::insecure_no_policy());
        Self::guarded(guard)
    }

    pub(crate) fn guarded(guard: Guard) -> Self {
        let events = Arc::new(Events::default());
        let builder = Host::builder()
            .guard(guard)
            .helper(HelperPath::at(peer_path()))
            .workspace("/")
            .listener(Arc::clone(&events) as _);
        Self { config: Config::default(), builder, peers: Arc::default(), events }
    }

    /// With a server that plays this script in our own process.
    pub(crate) fn server(self, name: &str, script: Script) -> Self {
        self.server_with(name, script, |_| {})
    }

    pub(crate) fn server_with(
        self,
        name: &str,
        script: Script,
        change: impl FnOnce(&mut Server),
    ) -> Self {
        self.scripts(name, vec![script], change)
    }

    /// With a server that plays the next script at each start, and the last one from then on.
    pub(crate) fn scripts(
        mut self,
        name: &str,
        scripts: Vec<Script>,
        change: impl FnOnce(&mut Server),
    ) -> Self {
        let (peers, key) = (Arc::clone(&self.peers), name.to_owned());
        let serve = move || {
            let mut started = peers.0.lock().unwrap();
            let started = started.entry(key.clone()).or_default();
            let script = &scripts[started.len().min(scripts.len() - 1)];
            let (pipe, peer) = script.clone().over_pipe();
            started.push(Arc::new(peer));
            pipe
        };
        self.builder = self.builder.builtin(id(name), Arc::new(serve));
        self.entry(name, Transport::Builtin, change)
    }

    /// With a process that plays this script.
    pub(crate) fn process(self, name: &str, script: &Script) -> Self {
        let argument = script.to_argument();
        self.entry(name, stdio(peer_path().to_str().unwrap(), &[&argument]), |_| {})
    }

    pub(crate) fn remote(self, name: &str, url: &str) -> Self {
        self.entry(name, remote(url), |_| {})
    }

    pub(crate) fn entry(
        mut self,
        name: &str,
        transport: Transport,
        change: impl FnOnce(&mut Server),
    ) -> Self {
        let mut server = server(transport);
        change(&mut server);
        self.config.servers.insert(id(name), entry(name, server, LayerGrade::Person));
        self
    }

    /// With an entry that a project brought and nobody accepted.
    pub(crate) fn pending(mut self, name: &str, transport: Transport) -> Self {
        let entry = entry(name, server(transport), LayerGrade::Project);
        self.config.servers.insert(id(name), entry);
        self
    }

    pub(crate) fn building(self, build: impl FnOnce(HostBuilder) -> HostBuilder) -> Self {
        Self { builder: build(self.builder), ..self }
    }

    pub(crate) fn configured(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// The entries so far, for who loads them again.
    pub(crate) fn servers(&self) -> IndexMap<ServerId, Entry<Server>> {
        self.config.servers.clone()
    }

    pub(crate) fn run(self) -> Running {
        let host = self.builder.config(self.config).build();
        Running { host, peers: self.peers, events: self.events }
    }
}

impl Running {
    pub(crate) fn status(&self, name: &str) -> ServerStatus {
        let all = self.host.status();
        all.into_iter().find(|status| status.id.as_str() == name).unwrap()
    }

    pub(crate) fn state(&self, name: &str) -> ServerState {
        self.status(name).state
    }

    /// What the servers call the tools that are listed, sorted.
    pub(crate) async fn names(&self) -> Vec<String> {
        let tools = within(self.host.tools()).await;
        let mut names: Vec<_> =
            tools.iter().filter_map(|tool| tool.origin()).map(|tool| tool.name.clone()).collect();
        names.sort();
        names
    }
}

impl Peers {
    /// How often a server was started.
    pub(crate) fn starts(&self, name: &str) -> usize {
        self.0.lock().unwrap().get(name).map_or(0, Vec::len)
    }

    /// The last start of a server.
    pub(crate) fn last(&self, name: &str) -> Arc<Peer> {
        Arc::clone(self.0.lock().unwrap()[name].last().unwrap())
    }

    /// How many messages with this in them a server received, over all its starts.
    pub(crate) fn received(&self, name: &str, what: &str) -> usize {
        let peers = self.0.lock().unwrap();
        let peers = peers.get(name).into_iter().flatten();
        peers.flat_map(|peer| peer.seen()).filter(|line| line.contains(what)).count()
    }
}

/// What happened, one line each.
#[derive(Default)]
pub(crate) struct Events(watch::Sender<Vec<String>>);

impl HostListener for Events {
    fn happened(&self, event: HostEvent) {
        let line = match event {
            HostEvent::State { server, state, error } => {
                let error = error.map(|error| format!(": {error}")).unwrap_or_default();
                format!("{server} is {state}{error}")
            }
            HostEvent::StartupComplete { ready, failed } => {
                let failed: Vec<_> = failed.iter().map(|(server, _)| server).collect();
                format!("started: {ready:?} failed: {failed:?}")
            }
            HostEvent::ListChanged { server, list } => format!("{server} changed {list:?}"),
            HostEvent::ListCame { server, list } => format!("{server} listed {list:?}"),
            HostEvent::Pinned { server, tools } => format!("{server} pinned {tools:?}"),
            HostEvent::Drifted { server, tool, severity } => {
                format!("{server} drifted {tool}: {severity}")
            }
            HostEvent::InstructionsChanged { server } => format!("{server} says something else"),
            HostEvent::PinsFailed { server, error } => format!("{server} pins failed: {error}"),
            HostEvent::ResourceUpdated { server, uri } => format!("{server} updated {uri}"),
            HostEvent::ElicitationComplete { server, params } => {
                format!("{server} completed {}", params.get())
            }
            HostEvent::Network { server, decision } => format!("{server}: {decision}"),
            HostEvent::LoginNeeded { server } => format!("{server} wants a login"),
            HostEvent::Log { server, message } => format!("{server} says {}", message.get()),
            HostEvent::CallBegan { call } => format!("began {} {}", call.word, call.target),
            HostEvent::CallEnded { call, ending, .. } => {
                format!("ended {} {}: {ending:?}", call.word, call.target)
            }
        };
        self.0.send_modify(|all| all.push(line));
    }
}

impl Events {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    /// Waits for the first event that begins so.
    pub(crate) async fn heard(&self, start: &str) -> String {
        let mut events = self.0.subscribe();
        let fits = |line: &&String| line.starts_with(start);
        let all = within(events.wait_for(|all| all.iter().any(|line| fits(&line)))).await.unwrap();
        all.iter().find(fits).cloned().unwrap()
    }

    /// Waits until so many events began so.
    pub(crate) async fn heard_times(&self, start: &str, times: usize) {
        let mut events = self.0.subscribe();
        let count = |all: &[String]| all.iter().filter(|line| line.starts_with(start)).count();
        within(events.wait_for(|all| count(all) >= times)).await.unwrap();
    }
}

/// A server with these tools, each of which says its own name.
pub(crate) fn tools(names: &[&str]) -> Script {
    with_tools(Script::legacy(), names)
}

pub(crate) fn with_tools(script: Script, names: &[&str]) -> Script {
    let script = names.iter().fold(script, |script, name| script.on_call(name, [Act::say(name)]));
    script.on("tools/list", [Act::answer(list(names))])
}

/// The result of `tools/list` with these names.
pub(crate) fn list(names: &[&str]) -> String {
    let tool = |name: &&str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools: Vec<_> = names.iter().map(tool).collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

pub(crate) fn server(transport: Transport) -> Server {
    Server::new(transport)
}

pub(crate) fn entry(name: &str, server: Server, grade: LayerGrade) -> Entry<Server> {
    let mut digest = [0; 32];
    for (slot, byte) in digest.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    Entry {
        value: server,
        origin: Origin {
            layer: Layer::Runtime,
            grade,
            source: Arc::new(ConfigSource::Overrides),
            key: name.to_owned(),
            line: 0,
        },
        fingerprint: Fingerprint { entry: Digest(digest), files: BTreeMap::new() },
        values: Vec::new(),
    }
}

pub(crate) fn stdio(command: &str, args: &[&str]) -> Transport {
    Transport::Stdio(StdioServer {
        command: ConfigText::Plain(command.to_owned()),
        args: args.iter().map(|arg| ConfigText::Plain((*arg).to_owned())).collect(),
        cwd: None,
        env: IndexMap::new(),
        env_vars: Vec::new(),
        inherit_env: InheritEnv::None,
        stderr: Stderr::Pipe,
        confinement: Confinement {
            profile: SandboxProfile::None,
            network: NetworkAccess::Everything,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits::default(),
        },
    })
}

pub(crate) fn remote(url: &str) -> Transport {
    Transport::Remote(RemoteServer {
        endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
        kind: RemoteKind::Http,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth: None,
        ca_file: None,
    })
}

/// The example that cargo builds beside the tests.
pub(crate) fn peer_path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join("examples/toolgate-host-peer");
    assert!(path.exists(), "run `cargo build --examples -p toolgate-host` first");
    path
}
