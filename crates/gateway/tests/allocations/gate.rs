//! The gate, put together as the daemon does it: records and tokens in a store on the disk, the rules of the
//! configuration, a server at a URL whose tools may be called.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use indexmap::IndexMap;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use toolgate_auth::callers::ClientTokens;
use toolgate_gateway::{
    ConnectionEntrance, Gateway, GatewaySettings, HostMaker, HostedFolder, KNOWN_WITHIN,
    NoGatewayWatch, WantedHost,
};
use toolgate_host::{ApprovalQueue, Host, HostBuilder, Pool};
use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, SqliteStore};
use toolgate_types::NoListener;

use crate::callers::{TokenCallers, first_token};
use crate::config::config;
use crate::server::McpServer;

pub(crate) struct Gate {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    store: Arc<SqliteStore>,
    /// Where that is; after it, since it writes until it is dropped.
    _folder: TempDir,
}

impl Gate {
    /// It runs as long as the runtime that this is called in.
    pub(crate) async fn start(server: &McpServer) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let tokens = ClientTokens::new(Arc::clone(&store) as _);
        let token = first_token(&tokens, folder.path()).await;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let gateway = Gateway::new(settings(server, &store, tokens));
        tokio::spawn(async move { gateway.serve(listener, CancellationToken::new()).await });
        Self { address, token, store, _folder: folder }
    }

    /// Of how many calls the end was written down.
    pub(crate) async fn recorded_calls(&self) -> u32 {
        let rows = self.store.audit(AuditQuery::default()).await.unwrap();
        let ends = rows.iter().filter(|row| {
            row.entry.kind == AuditKind::End && row.entry.outcome.as_deref() == Some("done")
        });
        u32::try_from(ends.count()).unwrap()
    }
}

fn settings(server: &McpServer, store: &Arc<SqliteStore>, tokens: ClientTokens) -> GatewaySettings {
    let config = config(&server.url());
    let (approvals, pool) = (ApprovalQueue::new(Some(Arc::clone(store) as _)), Pool::default());
    let builder = Host::builder()
        .config(config.clone())
        .workspace("/")
        .store(Arc::clone(store) as _)
        .audit(Arc::clone(store) as _)
        .artifacts(Arc::clone(store) as _)
        .approvals(approvals.clone())
        .pool(pool.clone());
    GatewaySettings {
        hosts: Arc::new(OneHost(builder)),
        entrance: ConnectionEntrance::Plain,
        callers: Arc::new(TokenCallers(tokens)),
        resource: None,
        login_pages: None,
        naming: config.gateway.naming,
        clients: IndexMap::new(),
        allowed_hosts: Vec::new(),
        allowed_origins: Vec::new(),
        limits: config.limits,
        approvals,
        pool,
        known_within: KNOWN_WITHIN,
        watch: Arc::new(NoGatewayWatch),
    }
}

/// Makes the same for everybody who comes.
struct OneHost(HostBuilder);

#[async_trait]
impl HostMaker for OneHost {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let listener = wanted.listener(Some(Arc::new(NoListener)));
        let builder = self.0.clone().listener(listener).asker(wanted.asker());
        let host = builder.principal(wanted.owner).build();
        host.start().await.map_err(|error| error.to_string())?;
        Ok(Some(HostedFolder { host, folder: PathBuf::from("/"), naming: None }))
    }
}
