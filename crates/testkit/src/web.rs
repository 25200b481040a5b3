//! A script played over HTTP on a loopback port: Streamable HTTP of both eras at `/mcp`, the older
//! HTTP with SSE at `/sse`, and a few addresses where things go wrong.
//!
//! | path | what |
//! |---|---|
//! | `/mcp` | the server |
//! | `/sse`, `/messages` | the server in the oldest manner; a POST to `/sse` is answered 405 |
//! | `/sse-elsewhere` | a stream whose address is of another origin |
//! | `/status/NNN` | that status, whatever is asked |
//! | `/html` | a page |
//! | `/keyed` | 401, with no word about a login |
//! | `/moved`, `/elsewhere` | a redirect to `/mcp`, of the same origin and of another |

mod body;
mod login_door;
mod route;
mod sessions;
mod stream;
mod strict;
mod visit;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::login_door::LoginDoor;
pub use self::login_door::LoginManners;
use self::route::Server;
use self::sessions::Sessions;
use self::stream::Streams;
pub use self::visit::Visit;
use crate::Script;
use crate::identity::IdentityProvider;
use crate::peer::Stage;

/// How a script behaves over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct WebManners {
    /// Answers are streams of events; otherwise plain JSON.
    pub streams: bool,
    /// The older era has sessions.
    pub sessions: bool,
    /// There is a stream for what the server says unasked.
    pub listens: bool,
}

impl Default for WebManners {
    fn default() -> Self {
        Self { streams: true, sessions: true, listens: true }
    }
}

/// A running site. It ends when it is dropped.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    server: Arc<Server>,
    accepting: JoinHandle<()>,
}

impl Script {
    /// Plays this script on a port of its own.
    pub async fn over_http(self, manners: WebManners) -> Site {
        self.over_http_at(0, manners).await
    }

    /// Plays this script on this port, for programs that must know it beforehand.
    pub async fn over_http_at(self, port: u16, manners: WebManners) -> Site {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Arc::new(Server {
            stage: Stage::new(self),
            manners,
            port: address.port(),
            sessions: Sessions::default(),
            streams: Streams::default(),
            visits: watch::Sender::default(),
            token: Mutex::default(),
            door: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&server)));
        Site { address, server, accepting }
    }
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(|request| Arc::clone(&server).respond(request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Site {
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn visits(&self) -> Vec<Visit> {
        self.server.visits.borrow().clone()
    }

    /// Waits for the first visit that fits.
    pub async fn visited(&self, fits: impl Fn(&Visit) -> bool) -> Visit {
        let mut visits = self.server.visits.subscribe();
        let all = visits.wait_for(|all| all.iter().any(&fits)).await.unwrap();
        all.iter().find(|visit| fits(visit)).cloned().unwrap()
    }

    /// From now on only who brings this token is let in; the others are answered 401.
    pub fn let_in_only(&self, token: &str) {
        *self.server.token.lock().unwrap() = Some(token.to_owned());
    }

    /// From now on only tokens of this authorization server are let in, and who brings none is told where
    /// to log in.
    pub fn let_in_by(&self, provider: &IdentityProvider) {
        self.let_in_so(provider, LoginManners::default());
    }

    /// The same in its own manner.
    pub fn let_in_so(&self, provider: &IdentityProvider, manners: LoginManners) {
        let gate = provider.gate();
        *self.server.door.lock().unwrap() = Some(LoginDoor { gate, manners });
    }

    /// Gives a signal that the script holds for.
    pub fn signal(&self, name: &str) {
        self.server.stage.release(name);
    }

    /// Every session is forgotten, as after a restart.
    pub fn forget_sessions(&self) {
        self.server.sessions.forget();
    }

    /// Says something on the stream for what nobody asked for.
    pub fn announce(&self, message: &str) {
        self.server.streams.general().event(message);
    }

    /// Waits until a client went away before its stream was over.
    pub async fn hung_up(&self) {
        self.server.streams.hung_up().await;
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
