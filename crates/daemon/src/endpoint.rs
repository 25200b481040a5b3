//! An address where a daemon listens for callers over HTTP, whichever process asked for it.
//!
//! Where it is opened for a process that may leave before the daemon does, it has a gateway of its own
//! beside the one for windows, so that it can end by itself; servers, approvals and log are the same.

mod address;
mod callers;
mod certificates;

use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::net::TcpListener;
use toolgate_control::CommandFailure;
use toolgate_gateway::{
    CallerVerifier, ConnectionEntrance, GatewaySettings, HostMaker, HostedFolder, KNOWN_WITHIN,
    LoginPages, ResourceMetadata, WantedHost,
};
use toolgate_host::Host;
use toolgate_store::Store;
use toolgate_types::config::{CallerAuth, Config, GatewaySection, LimitsSection, Naming};

use crate::caller_logins::CallerLogins;
use crate::caller_watch::CallerWatch;
use crate::contexts::{LiveHost, WorkspaceContexts};
use crate::lock;
use crate::open_file_limit::fit_open_files;
use crate::visitors::AttachedVisitors;
pub(crate) use address::refuse_open_door;
use address::{allowed_hosts, cannot_listen};
pub(crate) use callers::{NobodyElse, known_subject};
use callers::{caller_verifier, oauth_subjects};
use certificates::connection_entrance;

/// Where to listen, for whom, and under which names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndpointChoice {
    pub(crate) listen: SocketAddr,
    pub(crate) auth: CallerAuth,
    pub(crate) naming: Naming,
}

impl EndpointChoice {
    /// Listens; the address as it is, since a port may have been left to the system.
    pub(crate) async fn bind(&self) -> Result<(TcpListener, SocketAddr), CommandFailure> {
        let Self { listen, .. } = *self;
        let bound = TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| cannot_listen(listen, &error))?;
        let address = listener.local_addr().unwrap_or(listen);
        Ok((listener, address))
    }

    /// What its gateway goes by.
    pub(crate) fn settings(
        &self,
        config: &Config,
        hosts: Arc<dyn HostMaker>,
        (contexts, key): (&Arc<WorkspaceContexts>, Option<String>),
        visitors: &Arc<AttachedVisitors>,
        store: &Arc<dyn Store>,
    ) -> Result<GatewaySettings, CommandFailure> {
        let entrance = connection_entrance(&config.gateway.entrance)?;
        let gateway = &config.gateway;
        let subjects = oauth_subjects(self.auth, gateway, contexts.variables())?;
        let pages = CallerLogins::of(gateway, subjects.as_ref(), contexts, key)?;
        let callers = caller_verifier(self.auth, subjects.as_ref(), store, contexts);
        let door = GatewayDoor {
            entrance,
            callers,
            resource: self.resource(gateway),
            login_pages: pages.map(|pages| Arc::new(pages) as _),
            naming: self.naming,
            allowed_hosts: allowed_hosts(self.listen, gateway),
            limits: fit_open_files(&config.limits),
        };
        Ok(gateway_settings(config, hosts, contexts, visitors, door))
    }

    /// What clients are told that have to log in at an issuer.
    fn resource(&self, gateway: &GatewaySection) -> Option<ResourceMetadata> {
        let issuer = gateway.oauth.as_ref().filter(|_| self.auth.takes_oauth())?;
        let written = issuer.issuer.original().expose().trim();
        let public_url = gateway.public_url.as_ref()?;
        Some(ResourceMetadata::new(public_url, written, &issuer.required_scopes))
    }
}

/// In what gateways differ.
pub(crate) struct GatewayDoor {
    pub(crate) entrance: ConnectionEntrance,
    pub(crate) callers: Arc<dyn CallerVerifier>,
    pub(crate) resource: Option<ResourceMetadata>,
    pub(crate) login_pages: Option<Arc<dyn LoginPages>>,
    pub(crate) naming: Naming,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) limits: LimitsSection,
}

pub(crate) fn gateway_settings(
    config: &Config,
    hosts: Arc<dyn HostMaker>,
    contexts: &WorkspaceContexts,
    visitors: &Arc<AttachedVisitors>,
    door: GatewayDoor,
) -> GatewaySettings {
    let GatewayDoor { entrance, callers, resource, login_pages, naming, allowed_hosts, limits } =
        door;
    GatewaySettings {
        hosts,
        entrance,
        callers,
        resource,
        login_pages,
        naming,
        clients: config.gateway.clients.clone(),
        allowed_hosts,
        allowed_origins: config.gateway.allowed_origins.clone(),
        limits,
        approvals: contexts.approvals.clone(),
        pool: contexts.pool().clone(),
        known_within: KNOWN_WITHIN,
        watch: Arc::new(CallerWatch(Arc::clone(visitors))),
    }
}

/// The addresses where a daemon can be called now, the first that was opened first.
#[derive(Debug, Default)]
pub(crate) struct OpenEndpoints(Mutex<Vec<(&'static str, SocketAddr)>>);

impl OpenEndpoints {
    /// It can be called there, for as long as what is returned is held.
    pub(crate) fn open(
        self: &Arc<Self>,
        scheme: &'static str,
        address: SocketAddr,
    ) -> EndpointPresence {
        lock(&self.0).push((scheme, address));
        EndpointPresence { all: Arc::clone(self), address }
    }

    /// As clients are told.
    pub(crate) fn shown(&self) -> Vec<String> {
        lock(&self.0).iter().map(|(scheme, address)| format!("{scheme}://{address}/mcp")).collect()
    }
}

/// While it is held, there is an endpoint.
pub(crate) struct EndpointPresence {
    all: Arc<OpenEndpoints>,
    address: SocketAddr,
}

impl Drop for EndpointPresence {
    fn drop(&mut self) {
        lock(&self.all.0).retain(|(_, address)| *address != self.address);
    }
}

/// The hosts of an endpoint that was added: its plain address is the folder that it was opened in.
pub(crate) struct EndpointHosts {
    contexts: Arc<WorkspaceContexts>,
    /// Of the context of that folder.
    key: String,
    made: Mutex<Vec<Arc<LiveHost>>>,
}

impl EndpointHosts {
    pub(crate) fn new(contexts: &Arc<WorkspaceContexts>, key: String) -> Arc<Self> {
        Arc::new(Self { contexts: Arc::clone(contexts), key, made: Mutex::default() })
    }

    /// Its gateway has ended them.
    pub(crate) fn let_go(&self) {
        self.contexts.let_go(&std::mem::take(&mut *lock(&self.made)));
    }
}

#[async_trait]
impl HostMaker for EndpointHosts {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let key = wanted.workspace.clone().unwrap_or_else(|| self.key.clone());
        let made = self.contexts.make(wanted, Some(key)).await?;
        Ok(made.map(|(hosted, live)| {
            lock(&self.made).push(live);
            hosted
        }))
    }

    fn let_go(&self, host: &Host) {
        lock(&self.made).retain(|live| !live.host.is(host));
        HostMaker::let_go(&*self.contexts, host);
    }
}
