//! The way to a collector: HTTP on the thread that empties the queue, with a runtime of its own,
//! since that thread has none and outlives the one of a run.
//!
//! Redirects are not followed and proxies not asked: what is sent goes to whom the environment
//! names. An answer is read only as far as its status.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{Builder, Runtime};

use crate::logging::TARGET;

/// The longest that one batch is under way.
const TIME: Duration = Duration::from_secs(10);

type CollectorClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// How many batches did not arrive.
#[derive(Debug, Default)]
pub(super) struct FailedBatches(AtomicUsize);

/// Where spans go.
#[derive(Debug)]
pub(super) struct TraceCollector {
    failures: Arc<FailedBatches>,
    /// Made when something is first sent: the system's certificates take a while to read.
    way: OnceLock<(Runtime, CollectorClient)>,
}

impl FailedBatches {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, why: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let pid = std::process::id();
        tracing::warn!(target: TARGET, pid, error = why, "traces could not be sent");
    }
}

impl TraceCollector {
    pub(super) fn new(failures: &Arc<FailedBatches>) -> Self {
        Self { failures: Arc::clone(failures), way: OnceLock::new() }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (runtime, http) = match self.way.get() {
            Some(way) => way,
            None => {
                let way = way(request.uri().scheme_str() == Some("https"))?;
                self.way.get_or_init(|| way)
            }
        };
        let sent = runtime.block_on(async {
            tokio::time::timeout(TIME, http.request(request.map(Full::new))).await
        });
        Ok(sent??.map(|_| Bytes::new()))
    }
}

#[async_trait]
impl HttpClient for TraceCollector {
    /// Waits where it is called: on the queue's own thread.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request);
        match &sent {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => self.failures.add(&format!("the collector says {}", answer.status())),
            Err(error) => self.failures.add(&causes(&**error)),
        }
        sent
    }
}

fn way(is_https: bool) -> Result<(Runtime, CollectorClient), HttpError> {
    let mut roots = RootCertStore::empty();
    if is_https {
        // A certificate that cannot be read is skipped; the handshake says if it mattered.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = HttpsConnectorBuilder::new().with_tls_config(config);
    let connector = connector.https_or_http().enable_http1().build();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok((runtime, Client::builder(TokioExecutor::new()).build(connector)))
}

/// An error with what led to it; the outermost alone says little.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
