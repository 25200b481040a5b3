//! A gateway with roles, bundles, named clients and records, which `gate` has not.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use indexmap::IndexMap;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use toolgate_gateway::{
    CallerRefused, CallerVerifier, Gateway, GatewaySettings, HostMaker, HostedFolder, KNOWN_WITHIN,
    KnownCaller, WantedHost,
};
use toolgate_host::{AllowEverything, ApprovalQueue, Guard, Host, HostBuilder, Pool, StepAddress};
use toolgate_store::{AuditEntry, AuditLog as _, AuditQuery, SqliteStore};
use toolgate_testkit::Script;
use toolgate_types::config::{
    Bundle, BundleMode, ClientSettings, Config, NameFilter, Naming, Role, Server, Transport,
    Workflow,
};
use toolgate_types::{BundleId, Pattern, Principal, RoleId};

use crate::client::Client;
use crate::gate::{id, written};
use crate::modern::Caller;

/// What is configured.
pub(crate) struct House {
    config: Config,
    builder: HostBuilder,
    tokens: BTreeMap<String, KnownCaller>,
    clients: IndexMap<String, ClientSettings>,
}

/// The same, running.
pub(crate) struct Open {
    address: SocketAddr,
    pub(crate) gateway: Gateway,
    pub(crate) store: Arc<SqliteStore>,
    stop: CancellationToken,
    _folder: tempfile::TempDir,
}

fn filter(allow: &[&str]) -> NameFilter {
    let patterns = allow.iter().map(|pattern| Pattern::parse(pattern).unwrap()).collect();
    NameFilter { allow: Some(patterns), deny: Vec::new() }
}

impl House {
    /// Where everything that can be seen may be called.
    pub(crate) fn new() -> Self {
        let guard = Guard::without_policy(AllowEverything::insecure_no_policy());
        Self {
            config: Config::default(),
            builder: Host::builder().guard(guard).workspace("/"),
            tokens: BTreeMap::new(),
            clients: IndexMap::new(),
        }
    }

    pub(crate) fn server(mut self, name: &str, script: Script) -> Self {
        let serve = move || {
            let (pipe, peer) = script.clone().over_pipe();
            tokio::spawn(peer.ended());
            pipe
        };
        self.builder = self.builder.builtin(id(name), Arc::new(serve));
        let server = Server::new(Transport::Builtin);
        self.config.servers.insert(id(name), written(name, server));
        self
    }

    /// With a role that has these tools of these servers, each in a bundle of its own.
    pub(crate) fn role(mut self, name: &str, bundles: &[(&str, BundleMode, &[&str])]) -> Self {
        let mut of_role = Vec::new();
        for (server, mode, allow) in bundles {
            let bundle = BundleId::parse(&format!("{name}-{server}")).unwrap();
            let tools = filter(allow);
            let value = Bundle { server: id(server), mode: *mode, description: None, tools };
            self.config.bundles.insert(bundle.clone(), written(bundle.as_str(), value));
            of_role.push(bundle);
        }
        let role = Role { description: None, bundles: of_role, tools: NameFilter::default() };
        self.config.roles.insert(RoleId::parse(name).unwrap(), written(name, role));
        self
    }

    /// With a step of a workflow for a role, which has these bundles.
    pub(crate) fn step(mut self, address: &str, bundles: &[&str]) -> Self {
        let StepAddress { workflow, role, step } = StepAddress::parse(address).unwrap().unwrap();
        let empty = || written(workflow.as_str(), Workflow { roles: IndexMap::new() });
        let entry = self.config.workflows.entry(workflow.clone()).or_insert_with(empty);
        let bundles = bundles.iter().map(|id| BundleId::parse(id).unwrap()).collect();
        entry.value.roles.entry(role).or_default().insert(step, bundles);
        self
    }

    /// With a token of this name for a principal of the same name.
    pub(crate) fn token(
        mut self,
        name: &str,
        roles: Option<&[&str]>,
        client: Option<&str>,
    ) -> Self {
        let role = |name: &&str| RoleId::parse(name).unwrap();
        let roles = roles.map(|roles| roles.iter().map(role).collect());
        let client = client.map(str::to_owned);
        let known = KnownCaller {
            roles,
            client,
            shows_forms: true,
            ..KnownCaller::of(Principal::named(name))
        };
        self.tokens.insert(name.to_owned(), known);
        self
    }

    /// With settings for the clients of this name.
    pub(crate) fn client(mut self, name: &str, settings: ClientSettings) -> Self {
        self.clients.insert(name.to_owned(), settings);
        self
    }

    pub(crate) async fn open(self) -> Open {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let limits = self.config.limits.clone();
        let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
        let artifacts = Arc::clone(&store);
        let builder = self.builder.config(self.config).store(kept).audit(log).artifacts(artifacts);
        let gateway = Gateway::new(GatewaySettings {
            hosts: Arc::new(Maker(builder)),
            callers: Arc::new(Tokens(self.tokens)),
            resource: None,
            login_pages: None,
            naming: Naming::default(),
            clients: self.clients,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits,
            approvals: ApprovalQueue::new(None),
            pool: Pool::default(),
            entrance: toolgate_gateway::ConnectionEntrance::Plain,
            known_within: KNOWN_WITHIN,
            watch: Arc::new(toolgate_gateway::NoGatewayWatch),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let (serving, stopped) = (gateway.clone(), stop.clone());
        tokio::spawn(async move { serving.serve(listener, stopped).await });
        Open { address, gateway, store, stop, _folder: folder }
    }
}

impl Open {
    /// Somebody with a token at this path.
    pub(crate) fn client(&self, token: &str, path: &str) -> Client {
        Client::new(self.address, path).bearer(token)
    }

    /// The same in the modern way.
    pub(crate) fn caller(&self, token: &str, path: &str) -> Caller {
        Caller::new(self.client(token, path))
    }

    /// What is written down of all that ended.
    pub(crate) async fn records(&self) -> Vec<AuditEntry> {
        self.gateway.close().await;
        let all = AuditQuery { limit: 1000, ..AuditQuery::default() };
        let mut rows = self.store.audit(all).await.unwrap();
        rows.sort_by_key(|row| row.sequence);
        let entries = rows.into_iter().map(|row| row.entry);
        entries.filter(|entry| entry.outcome.is_some()).collect()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

struct Maker(HostBuilder);

#[async_trait]
impl HostMaker for Maker {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let builder = self.0.clone().listener(wanted.listener(None)).asker(wanted.asker());
        let host = builder.principal(wanted.principal).build();
        Ok(Some(HostedFolder { host, folder: PathBuf::from("/folder"), naming: None }))
    }
}

struct Tokens(BTreeMap<String, KnownCaller>);

#[async_trait]
impl CallerVerifier for Tokens {
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        let known = bearer.and_then(|token| self.0.get(token));
        known.cloned().ok_or(CallerRefused::Unknown)
    }
}
