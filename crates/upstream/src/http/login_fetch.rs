//! The requests of a login, dialled by the server's [`DialRule`]: after names are resolved, on every
//! request, since a name may lead elsewhere the next time.
//!
//! Through a proxy it is the proxy that resolves and dials. What this machine knows of a name is looked at
//! there too; a name that only the proxy knows is the proxy's to refuse.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;
use toolgate_auth::login::{FetchFailure, GuardedFetch};
use toolgate_types::config::{RemoteServer, TokenIssuer};

use super::client::is_proxied;
use super::dial_rule::{DialRule, host_address, host_of};
use super::own_connection::RequestBody;
use super::pooled_body::PooledBody;
use super::{HttpClient, HttpFailure, HttpSettings, tls};

/// How long one request may take, and how long its answer may be.
const PATIENCE: Duration = Duration::from_secs(15);
const LONGEST: usize = 256 * 1024;

/// Sends the requests of one server's login.
pub struct LoginFetch {
    rule: Arc<DialRule>,
    settings: HttpSettings,
    direct: Client<hyper_rustls::HttpsConnector<HttpConnector<GuardedResolver>>, RequestBody>,
}

impl LoginFetch {
    /// `variables` may name a proxy; `ca_file` is the entry's, made absolute.
    pub fn new(
        remote: &RemoteServer,
        ca_file: Option<PathBuf>,
        variables: BTreeMap<String, String>,
    ) -> Result<Self, HttpFailure> {
        Self::by(DialRule::of(remote), ca_file, variables)
    }

    /// For what is asked of an issuer whose tokens callers bring: its metadata, its keys, and about single
    /// tokens. A person named it, so it may be wherever it is; what it names itself leads to the open
    /// internet, or to where it is.
    pub fn of_issuer(
        issuer: &TokenIssuer,
        variables: BTreeMap<String, String>,
    ) -> Result<Self, HttpFailure> {
        let named = issuer.jwks_uri.iter().chain(&issuer.introspection_endpoint);
        Self::by(DialRule::naming(&issuer.issuer, named), None, variables)
    }

    fn by(
        rule: DialRule,
        ca_file: Option<PathBuf>,
        variables: BTreeMap<String, String>,
    ) -> Result<Self, HttpFailure> {
        let rule = Arc::new(rule);
        let connect_timeout = Some(PATIENCE);
        let settings = HttpSettings { ca_file, variables, connect_timeout };
        let mut http =
            HttpConnector::new_with_resolver(GuardedResolver { rule: Arc::clone(&rule) });
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(settings.connect_timeout);
        let config = tls::client_config(settings.ca_file.as_deref())?;
        let https = HttpsConnectorBuilder::new().with_tls_config(config);
        let https = https.https_or_http().enable_all_versions().wrap_connector(http);
        let direct = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(5))
            .build(https);
        Ok(Self { rule, settings, direct })
    }

    async fn send(
        &self,
        request: Request<RequestBody>,
    ) -> Result<Response<PooledBody>, FetchFailure> {
        let host = host_of(request.uri());
        let unreachable = |failure: HttpFailure| FetchFailure::Unreachable {
            host: host.clone(),
            why: failure.to_string(),
        };
        // An address needs no resolver, so it never gets there.
        if let Some(address) = host_address(&host) {
            self.look_at(&host, &[address]).await?;
        }
        let proxied = is_proxied(request.uri(), &self.settings.variables).map_err(unreachable)?;
        if proxied {
            let found = lookup(&host).await.unwrap_or_default();
            self.look_at(&host, &found).await?;
            let client = HttpClient::new(request.uri(), &self.settings).map_err(unreachable)?;
            return client.send(request).await.map_err(unreachable);
        }
        let sent = self.direct.request(request).await;
        sent.map(|response| response.map(PooledBody::shared)).map_err(|error| {
            match is_forbidden(&error) {
                true => FetchFailure::Forbidden { host: host.clone() },
                false => unreachable(HttpFailure::of(&error)),
            }
        })
    }

    /// All of them have to be allowed, since nobody knows which one will be dialled.
    async fn look_at(&self, host: &str, found: &[IpAddr]) -> Result<(), FetchFailure> {
        let allowed = self.rule.allowed_of(host, found.to_vec()).await;
        match allowed.len() == found.len() {
            true => Ok(()),
            false => Err(FetchFailure::Forbidden { host: host.to_owned() }),
        }
    }
}

#[async_trait]
impl GuardedFetch for LoginFetch {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, FetchFailure> {
        let host = host_of(request.uri());
        let (lost, late) = (host.clone(), host.clone());
        let asked = async move {
            let answer = self.send(request.map(|body| Full::new(body.into()))).await?;
            let (parts, body) = answer.into_parts();
            let body = match Limited::new(body, LONGEST).collect().await {
                Ok(body) => body.to_bytes().to_vec(),
                Err(error) if error.is::<LengthLimitError>() => {
                    return Err(FetchFailure::TooLong { host });
                }
                Err(_) => {
                    let why = HttpFailure::Lost.to_string();
                    return Err(FetchFailure::Unreachable { host: lost, why });
                }
            };
            Ok(Response::from_parts(parts, body))
        };
        timeout(PATIENCE, asked).await.unwrap_or(Err(FetchFailure::TimedOut { host: late }))
    }
}

impl std::fmt::Debug for LoginFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginFetch").field("rule", &self.rule).finish_non_exhaustive()
    }
}

impl DialRule {
    /// Those that may be dialled. The server itself is looked up only where its place matters.
    async fn allowed_of(&self, host: &str, mut found: Vec<IpAddr>) -> Vec<IpAddr> {
        if !found.iter().all(|address| self.allows(host, *address, &[])) {
            let own = self.own_addresses().await;
            found.retain(|address| self.allows(host, *address, &own));
        }
        found
    }

    /// Where the server itself is, now.
    async fn own_addresses(&self) -> Vec<IpAddr> {
        match host_address(self.own_host()) {
            Some(address) => vec![address],
            None => lookup(self.own_host()).await.unwrap_or_default(),
        }
    }
}

async fn lookup(host: &str) -> io::Result<Vec<IpAddr>> {
    if let Some(address) = host_address(host) {
        return Ok(vec![address]);
    }
    Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect())
}

/// Resolves names, and gives only what may be dialled.
#[derive(Clone)]
struct GuardedResolver {
    rule: Arc<DialRule>,
}

impl tower_service::Service<Name> for GuardedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let rule = Arc::clone(&self.rule);
        Box::pin(async move {
            let host = name.as_str().to_ascii_lowercase();
            let found = lookup(&host).await?;
            let had_any = !found.is_empty();
            let allowed = rule.allowed_of(&host, found).await;
            match allowed.is_empty() && had_any {
                true => Err(io::Error::new(io::ErrorKind::PermissionDenied, ForbiddenAddress)),
                false => {
                    let dialled = allowed.into_iter().map(|address| SocketAddr::new(address, 0));
                    Ok(dialled.collect::<Vec<_>>().into_iter())
                }
            }
        })
    }
}

/// Marks a refusal of ours in a chain of causes.
#[derive(Debug, thiserror::Error)]
#[error("the address may not be reached")]
struct ForbiddenAddress;

fn is_forbidden(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| inner.is::<ForbiddenAddress>()) {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests;
