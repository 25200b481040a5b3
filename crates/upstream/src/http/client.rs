//! A pooled client for one server: direct, or through the proxy that the environment names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::{HttpFailure, tls};

pub(crate) type Body = Full<Bytes>;

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
pub(crate) enum HttpClient {
    Direct(Client<HttpsConnector<HttpConnector>, Body>),
    /// TLS to the server, inside a tunnel that the proxy makes.
    Tunnelled(Client<HttpsConnector<Tunnel<HttpConnector>>, Body>),
}

impl HttpClient {
    pub(crate) fn new(server: &Uri, settings: &HttpSettings) -> Result<Self, HttpFailure> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(settings.connect_timeout);
        let https = https(settings)?;
        let Some(proxy) = proxies(&settings.variables).intercept(server) else {
            return Ok(Self::Direct(pooled(https.wrap_connector(http))));
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), http);
        if let Some(credential) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credential.clone());
        }
        Ok(Self::Tunnelled(pooled(https.wrap_connector(tunnel))))
    }

    pub(crate) async fn send(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, HttpFailure> {
        let sent = match self {
            Self::Direct(client) => client.request(request).await,
            Self::Tunnelled(client) => client.request(request).await,
        };
        sent.map_err(|error| HttpFailure::of(&error))
    }
}

fn https(
    settings: &HttpSettings,
) -> Result<HttpsConnectorBuilder<hyper_rustls::builderstates::WantsProtocols3>, HttpFailure> {
    let config = tls::client_config(settings.ca_file.as_deref())?;
    let builder = HttpsConnectorBuilder::new().with_tls_config(config);
    Ok(builder.https_or_http().enable_all_versions())
}

fn pooled<C>(connector: C) -> Client<C, Body>
where
    C: hyper_util::client::legacy::connect::Connect + Clone,
{
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(60))
        .build(connector)
}

/// Only servers behind TLS go through a proxy: plain HTTP is for this machine and its network.
fn proxies(variables: &BTreeMap<String, String>) -> Matcher {
    let value = |names: [&str; 2]| {
        let found = names.into_iter().find_map(|name| variables.get(name));
        found.cloned().unwrap_or_default()
    };
    Matcher::builder()
        .https(value(["HTTPS_PROXY", "https_proxy"]))
        .no(value(["NO_PROXY", "no_proxy"]))
        .build()
}
