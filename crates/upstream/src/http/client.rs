//! A pooled client for one server: direct, or through the proxy that the environment names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, Uri};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::connect::Dialler;
use super::own_connection::RequestBody;
use super::pool::ConnectionPool;
use super::pooled_body::PooledBody;
use super::{HttpFailure, tls};

/// What a client is made from.
#[derive(Debug, Clone, Default)]
pub(crate) struct HttpSettings {
    pub(crate) ca_file: Option<PathBuf>,
    /// The environment that may name a proxy.
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) connect_timeout: Option<Duration>,
}

/// A client that keeps its connections.
#[derive(Clone)]
pub(crate) struct HttpClient(Arc<ConnectionPool>);

impl HttpClient {
    pub(crate) fn new(server: &Uri, settings: &HttpSettings) -> Result<Self, HttpFailure> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(settings.connect_timeout);
        let config = tls::client_config(settings.ca_file.as_deref())?;
        let https = HttpsConnectorBuilder::new().with_tls_config(config.clone());
        let https = https.https_or_http().enable_all_versions();
        let Some(proxy) = proxy(server, &settings.variables)? else {
            let dialler = Dialler::Direct(https.wrap_connector(http));
            return Ok(Self(Arc::new(ConnectionPool::of(dialler))));
        };
        // A proxy behind TLS is asked there: what it is told may hold its password.
        let to_proxy = HttpsConnectorBuilder::new().with_tls_config(config);
        let to_proxy = to_proxy.https_or_http().enable_http1().wrap_connector(http);
        let mut tunnel = Tunnel::new(proxy.uri().clone(), to_proxy);
        if let Some(credential) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credential.clone());
        }
        Ok(Self(Arc::new(ConnectionPool::of(Dialler::Tunnelled(Box::new(
            https.wrap_connector(tunnel),
        ))))))
    }

    pub(crate) async fn send(
        &self,
        request: Request<RequestBody>,
    ) -> Result<Response<PooledBody>, HttpFailure> {
        self.0.send(request).await
    }
}

/// Whether it is a proxy that dials this one.
pub(super) fn is_proxied(
    server: &Uri,
    variables: &BTreeMap<String, String>,
) -> Result<bool, HttpFailure> {
    Ok(proxy(server, variables)?.filter(|_| server.scheme_str() == Some("https")).is_some())
}

/// Only servers behind TLS go through a proxy: plain HTTP is for this machine and its network.
///
/// A proxy that cannot be used is never passed over in silence.
fn proxy(
    server: &Uri,
    variables: &BTreeMap<String, String>,
) -> Result<Option<Intercept>, HttpFailure> {
    let value = |names: [&str; 2]| {
        let found = names.into_iter().find_map(|name| variables.get(name));
        found.map(|value| value.trim().to_owned()).unwrap_or_default()
    };
    let (named, exempt) = (value(["HTTPS_PROXY", "https_proxy"]), value(["NO_PROXY", "no_proxy"]));
    let proxied_by =
        |proxy: &str| Matcher::builder().https(proxy).no(&*exempt).build().intercept(server);
    if named.is_empty() || proxied_by("http://any").is_none() {
        return Ok(None);
    }
    let found = proxied_by(&named);
    match found.filter(|proxy| matches!(proxy.uri().scheme_str(), Some("http" | "https"))) {
        Some(proxy) => Ok(Some(proxy)),
        // The value may hold a password, so it is not repeated.
        None => Err(HttpFailure::Setup("HTTPS_PROXY is not the URL of an HTTP proxy".to_owned())),
    }
}
