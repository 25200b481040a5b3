//! A gate, an inside, a server, and a resolver that says what a test wants.

use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use toolgate_types::config::{HostName, NamedHost, NetworkAccess};

use crate::NetworkListener;
use crate::network::dns_answer::tests::{question, said};
use crate::network::{
    AddressPool, InsideListeners, InsideNetwork, NameResolver, NetworkGate, ResolvedAddresses,
    link_pair,
};
use toolgate_types::{NetworkDecision, NetworkRefusal, NetworkVerdict};

pub(super) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(30), future).await.expect("it hangs")
}

#[derive(Debug)]
struct ToldDecisions(mpsc::UnboundedSender<NetworkDecision>);

impl NetworkListener for ToldDecisions {
    fn decided(&self, decision: NetworkDecision) {
        let _ = self.0.send(decision);
    }
}

/// Names and what they lead to, the first time they are asked for and later.
#[derive(Default)]
pub(super) struct ScriptedResolver {
    pub(super) names: HashMap<&'static str, Vec<Vec<IpAddr>>>,
    pub(super) asked: AtomicUsize,
}

impl NameResolver for ScriptedResolver {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolvedAddresses<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answers = self.names.get(name.as_str());
        let answer = answers.and_then(|all| all.get(turn).or(all.last()).cloned());
        Box::pin(async move { answer.ok_or_else(|| std::io::ErrorKind::NotFound.into()) })
    }
}

pub(super) struct NetworkScene {
    pub(super) port: u16,
    /// Where the name is, inside.
    pub(super) named_address: Ipv4Addr,
    /// Where it really is.
    pub(super) server: SocketAddr,
    pub(super) resolver: Arc<ScriptedResolver>,
    pub(super) inside: Option<JoinHandle<std::io::Result<()>>>,
    pub(super) gate: tokio::task::JoinHandle<std::io::Result<()>>,
    dns: SocketAddr,
    dns_tcp: SocketAddr,
    proxy: SocketAddr,
    decisions: mpsc::UnboundedReceiver<NetworkDecision>,
    accepting: tokio::net::TcpListener,
}

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
const NAMED: Ipv4Addr = Ipv4Addr::new(127, 18, 0, 1);

/// The same port for the server and for the name inside.
fn two_listeners() -> (TcpListener, TcpListener) {
    loop {
        let server = TcpListener::bind((LOOPBACK, 0)).unwrap();
        let port = server.local_addr().unwrap().port();
        if let Ok(named) = TcpListener::bind((NAMED, port)) {
            return (server, named);
        }
    }
}

/// What tests allow, with the port of their server for `PORT`.
pub(super) fn access(listed: &[&str], port: u16) -> NetworkAccess {
    let named = listed.iter().map(|text| text.replace("PORT", &port.to_string()));
    NetworkAccess::Named(named.map(|text| NamedHost::parse(&text).unwrap()).collect())
}

/// A gate that serves one link, and what it decides.
pub(super) fn gate(
    access: NetworkAccess,
    resolver: &Arc<ScriptedResolver>,
) -> (OwnedFd, tokio::task::JoinHandle<std::io::Result<()>>, mpsc::UnboundedReceiver<NetworkDecision>)
{
    let (ours, theirs) = link_pair().unwrap();
    let (tell, decisions) = mpsc::unbounded_channel();
    let resolver = Arc::clone(resolver) as Arc<dyn NameResolver>;
    let gate = NetworkGate::new(access, Arc::new(ToldDecisions(tell))).resolver(resolver);
    (theirs, tokio::spawn(gate.serve(ours)), decisions)
}

impl NetworkScene {
    /// With `api.example.com` and what is below `wild.example`, on one port.
    pub(super) async fn begin() -> Self {
        let mut resolver = ScriptedResolver::default();
        let to = |address: &str| vec![vec![address.parse().unwrap()]];
        resolver.names.insert("api.example.com", to("127.0.0.1"));
        resolver.names.insert("here.wild.example", to("127.0.0.2"));
        resolver.names.insert("meta.wild.example", to("169.254.169.254"));
        resolver.names.insert("mapped.wild.example", to("::ffff:169.254.169.254"));
        Self::with(resolver)
    }

    pub(super) fn with(resolver: ScriptedResolver) -> Self {
        let (server, named) = two_listeners();
        let address = server.local_addr().unwrap();
        let listed = ["api.example.com:PORT", "*.wild.example:PORT", "127.0.0.1:PORT"];
        let access = access(&listed, address.port());
        let resolver = Arc::new(resolver);
        let (link, gate, decisions) = gate(access.clone(), &resolver);
        let listeners = InsideListeners {
            dns_datagrams: UdpSocket::bind((LOOPBACK, 0)).unwrap(),
            dns_connections: TcpListener::bind((LOOPBACK, 0)).unwrap(),
            named_ports: vec![named],
            proxy: Some(TcpListener::bind((LOOPBACK, 0)).unwrap()),
        };
        let dns = listeners.dns_datagrams.local_addr().unwrap();
        let dns_tcp = listeners.dns_connections.local_addr().unwrap();
        let proxy = listeners.proxy.as_ref().unwrap().local_addr().unwrap();
        let pool = AddressPool::at(Ipv4Addr::new(127, 18, 0, 0));
        let inside = InsideNetwork::new(listeners, link, access, pool).unwrap();
        server.set_nonblocking(true).unwrap();
        Self {
            port: address.port(),
            named_address: NAMED,
            server: address,
            resolver,
            inside: Some(std::thread::spawn(move || run(inside))),
            gate,
            dns,
            dns_tcp,
            proxy,
            decisions,
            accepting: tokio::net::TcpListener::from_std(server).unwrap(),
        }
    }

    /// What DNS says of a name.
    pub(super) async fn asked_for(&self, name: &str, kind: u16) -> (u8, Option<Ipv4Addr>) {
        let socket = tokio::net::UdpSocket::bind((LOOPBACK, 0)).await.unwrap();
        socket.send_to(&question(name, kind), self.dns).await.unwrap();
        let mut bytes = [0; 1024];
        let length = within(socket.recv(&mut bytes)).await.unwrap();
        said(&bytes[..length])
    }

    pub(super) async fn asked(&self, name: &str) -> Option<Ipv4Addr> {
        self.asked_for(name, 1).await.1
    }

    /// The same over one connection.
    pub(super) async fn asked_over_tcp(&self, names: &[&str]) -> Vec<(u8, Option<Ipv4Addr>)> {
        let mut connection = TcpStream::connect(self.dns_tcp).await.unwrap();
        let mut answers = Vec::new();
        for name in names {
            let query = question(name, 1);
            connection.write_u16(query.len() as u16).await.unwrap();
            connection.write_all(&query).await.unwrap();
            let length = within(connection.read_u16()).await.unwrap();
            let mut answer = vec![0; usize::from(length)];
            within(connection.read_exact(&mut answer)).await.unwrap();
            answers.push(said(&answer));
        }
        answers
    }

    /// A program connects to the first name that was looked up.
    pub(super) async fn connect(&self) -> TcpStream {
        within(TcpStream::connect((self.named_address, self.port))).await.unwrap()
    }

    /// A program says this to its proxy.
    pub(super) async fn proxied(&self, head: &str) -> TcpStream {
        let mut connection = within(TcpStream::connect(self.proxy)).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        connection
    }

    pub(super) async fn accepted(&self) -> TcpStream {
        within(self.accepting.accept()).await.unwrap().0
    }

    /// Whether anybody has connected to the server.
    pub(super) async fn is_reached(&self) -> bool {
        timeout(Duration::ZERO, self.accepting.accept()).await.is_ok()
    }

    /// What the server gets first; it answers with a plus before it.
    pub(super) async fn server_got(&self) -> Vec<u8> {
        let mut accepted = self.accepted().await;
        let mut bytes = vec![0; 1024];
        let length = within(accepted.read(&mut bytes)).await.unwrap();
        bytes.truncate(length);
        accepted.write_all(b"+").await.unwrap();
        accepted.write_all(&bytes).await.unwrap();
        bytes
    }

    pub(super) async fn server_got_all(&self, length: usize) -> Vec<u8> {
        let mut accepted = self.accepted().await;
        let mut bytes = vec![0; length];
        within(accepted.read_exact(&mut bytes)).await.unwrap();
        bytes
    }

    pub(super) async fn decided(&mut self) -> NetworkDecision {
        within(self.decisions.recv()).await.unwrap()
    }

    /// Waits until something is refused for this reason.
    pub(super) async fn refused_as(&mut self, reason: &NetworkRefusal) -> NetworkDecision {
        loop {
            let decision = self.decided().await;
            if decision.verdict == NetworkVerdict::Refused(reason.clone()) {
                return decision;
            }
        }
    }
}

/// What a proxy says before the bytes of the other end.
pub(super) async fn head(connection: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(within(connection.read_u8()).await.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

pub(super) async fn all(connection: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = within(connection.read_to_end(&mut bytes)).await;
    String::from_utf8(bytes).unwrap()
}

/// As the first process of a sandbox does, until the gate is gone.
fn run(mut inside: InsideNetwork) -> std::io::Result<()> {
    loop {
        let mut bells: Vec<PollFd<'_>> =
            inside.bells().into_iter().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        poll(&mut bells, PollTimeout::NONE)?;
        if !inside.attend()? {
            return Ok(());
        }
    }
}
