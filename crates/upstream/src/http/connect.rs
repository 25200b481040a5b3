//! Dialling a server, directly or through a tunnel that the proxy makes, and the protocol that both ends chose.

use std::error::Error;
use std::future::poll_fn;
use std::time::Duration;

use http::Uri;
use hyper::client::conn::http2;
use hyper::rt::{Read, Write};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use super::HttpFailure;
use super::own_connection::{OwnConnection, RequestBody};

/// How often a shared connection is asked whether it is still there, and how long that may take.
const PING: Duration = Duration::from_secs(20);
const PONG: Duration = Duration::from_secs(10);

pub(super) enum Dialler {
    Direct(HttpsConnector<HttpConnector>),
    /// TLS to the server, inside a tunnel that the proxy makes.
    Tunnelled(Box<HttpsConnector<Tunnel<HttpsConnector<HttpConnector>>>>),
}

/// A new connection.
pub(super) enum BegunConnection {
    Own(OwnConnection),
    /// Of HTTP/2: it serves many at once.
    Shared(http2::SendRequest<RequestBody>),
}

impl Dialler {
    pub(super) async fn begin(&self, server: Uri) -> Result<BegunConnection, HttpFailure> {
        match self {
            Self::Direct(connector) => begin(connector.clone(), server).await,
            Self::Tunnelled(connector) => begin(HttpsConnector::clone(connector), server).await,
        }
    }
}

async fn begin<C, S>(mut connector: C, server: Uri) -> Result<BegunConnection, HttpFailure>
where
    C: Service<Uri, Response = S, Error = Box<dyn Error + Send + Sync>>,
    S: Connection + Read + Write + Unpin + Send + 'static,
{
    let failed = |error: Box<dyn Error + Send + Sync>| HttpFailure::of(&*error);
    poll_fn(|context| connector.poll_ready(context)).await.map_err(failed)?;
    let stream = connector.call(server).await.map_err(failed)?;
    if !stream.connected().is_negotiated_h2() {
        return OwnConnection::begin(stream).await.map(BegunConnection::Own);
    }
    let begun = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .keep_alive_while_idle(true)
        .handshake(stream)
        .await;
    let (sender, driver) = begun.map_err(|error| HttpFailure::of(&error))?;
    tokio::spawn(driver);
    Ok(BegunConnection::Shared(sender))
}
