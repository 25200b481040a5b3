//! Connections to scripted servers: over a pipe with a paused clock where only the protocol matters,
//! to real processes where the process does.
//!
//! Every wait has a limit that only a hang reaches. This file holds what the modules share: how a
//! server is described and opened. It tests nothing itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod bad_peers;
mod caller_meta;
mod cancelling;
mod everything;
mod foreign;
mod handshake;
mod inputs;
mod keeping;
mod listening;
mod own_server;
mod paging;
mod performing;
mod pins;
mod processes;
mod providers;
mod proxy;
mod questions;
mod requests;
mod tls;
mod token_commands;
mod two_processes;
mod web;
mod web_faults;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::value::RawValue;
use tokio::time::timeout;
use toolgate_guard::AllowEverything;
use toolgate_sandbox::{HelperPath, ProcessSpawner};
use toolgate_testkit::{Act, Peer, Recorder, Script};
use toolgate_types::config::{
    Confinement, HeaderValue, InheritEnv, NetworkAccess, RemoteKind, RemoteServer, ResourceLimits,
    SandboxProfile, Server, Stderr, StdioServer, Transport,
};
use toolgate_types::{
    Accepted, Asker, ConfigText, Endpoint, EntryStanding, HeaderName, Milliseconds, NobodyToAsk,
    Operation, OperationOutcome, ServerId, Trust,
};
use toolgate_upstream::{
    ConnectError, CredentialProviders, OperationOptions, OutgoingRequest, RequestError,
    ServerOpening, UpstreamConnection,
};
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{MessageLimits, ProtocolRevision, RawObject};

/// Only something that hangs takes so long.
const HANG: Duration = Duration::from_secs(120);
const GRACE: Duration = Duration::from_millis(300);

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(HANG, future).await.unwrap()
}

/// A server as an entry, and who is there for it.
struct Bench {
    server: Server,
    asker: Arc<dyn Asker>,
    events: Arc<Recorder>,
    known: Option<ProtocolRevision>,
    limits: MessageLimits,
    spill: Option<toolgate_upstream::SpillPlace>,
    workspace: PathBuf,
    providers: CredentialProviders,
}

impl Bench {
    /// For a server at the other end of a pipe.
    fn new() -> Self {
        Self::of(Transport::Builtin)
    }

    /// For a process that plays this script.
    fn process(script: &Script) -> Self {
        Self::command(peer_path().to_str().unwrap(), &[&script.to_argument()])
    }

    fn command(command: &str, args: &[&str]) -> Self {
        Self::of(Transport::Stdio(StdioServer {
            command: ConfigText::Plain(command.to_owned()),
            args: args.iter().map(|arg| ConfigText::Plain((*arg).to_owned())).collect(),
            cwd: None,
            env: IndexMap::new(),
            env_vars: Vec::new(),
            inherit_env: InheritEnv::None,
            stderr: Stderr::Pipe,
            confinement: Confinement {
                profile: SandboxProfile::None,
                network: NetworkAccess::Everything,
                readable: Vec::new(),
                writable: Vec::new(),
                limits: ResourceLimits::default(),
            },
        }))
    }

    /// For a server at a URL.
    fn remote(url: &str, kind: RemoteKind) -> Self {
        let name = HeaderName::parse("X-Key").unwrap();
        let value = HeaderValue::Given(ConfigText::hidden("s3cret".to_owned()));
        Self::of(Transport::Remote(RemoteServer {
            endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
            kind,
            headers: [(name, value)].into_iter().collect(),
            bearer_token_env: None,
            auth_provider: None,
            oauth: None,
            ca_file: None,
        }))
    }

    fn of(transport: Transport) -> Self {
        let server = Server::new(transport);
        Self {
            server,
            asker: Arc::new(NobodyToAsk),
            events: Arc::default(),
            known: None,
            limits: MessageLimits::DEFAULT,
            spill: None,
            workspace: "/".into(),
            providers: CredentialProviders::new(),
        }
    }

    /// With somebody to answer questions.
    fn asking(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = asker;
        self
    }

    /// As after an earlier connection.
    fn knowing(mut self, revision: ProtocolRevision) -> Self {
        self.known = Some(revision);
        self
    }

    fn starting_within(mut self, millis: u64) -> Self {
        self.server.timeouts.startup = Milliseconds::at_least_one(millis);
        self
    }

    fn answering_within(mut self, millis: u64) -> Self {
        self.server.timeouts.request = Milliseconds::at_least_one(millis);
        self
    }

    async fn open(&self) -> Result<UpstreamConnection, ConnectError> {
        self.opening(async |opening| opening.open().await).await
    }

    /// A connection to this script over a pipe.
    async fn play(&self, script: Script) -> (Result<UpstreamConnection, ConnectError>, Peer) {
        let (pipe, peer) = script.over_pipe();
        (self.opening(async |opening| opening.over_pipe(pipe).await).await, peer)
    }

    async fn opening<T>(&self, open: impl AsyncFnOnce(ServerOpening<'_>) -> T) -> T {
        let id = ServerId::parse("peer").unwrap();
        let spawner = ProcessSpawner::new(HelperPath::at(peer_path()));
        let standing = EntryStanding::Accepted(Trust::Trusted);
        let opening = ServerOpening {
            id: &id,
            server: Accepted::new(&self.server, &standing).unwrap(),
            workspace: &self.workspace,
            variables: &BTreeMap::new(),
            spawner: &spawner,
            providers: &self.providers,
            login: None,
            asker: Arc::clone(&self.asker),
            events: Arc::clone(&self.events) as _,
            known: self.known,
            callers: None,
            limits: self.limits,
            spill: self.spill.clone(),
            packages: None,
        };
        open(opening).await
    }
}

/// A connection to this script over a pipe, with everything as usual.
async fn connected(script: Script) -> (UpstreamConnection, Peer) {
    let (connection, peer) = Bench::new().play(script).await;
    (connection.unwrap(), peer)
}

/// Answers everything but the handshake with an empty result.
fn agreeable(script: Script) -> Script {
    let kinds = ["tools/*", "resources/*", "prompts/*", "completion/*", "subscriptions/*"];
    kinds.into_iter().fold(script, |script, kind| script.on(kind, [Act::answer("{}")]))
}

/// The example that cargo builds beside the tests: a scripted server, and the reaper above it.
fn peer_path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join("examples/toolgate-upstream-peer");
    assert!(path.exists(), "run `cargo build --examples -p toolgate-upstream` first");
    path
}

async fn call(connection: &UpstreamConnection, tool: &str) -> Result<Box<RawValue>, RequestError> {
    call_with(connection, tool, "{}").await
}

async fn call_with(
    connection: &UpstreamConnection,
    tool: &str,
    arguments: &str,
) -> Result<Box<RawValue>, RequestError> {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let params: Box<RawValue> = serde_json::from_str(&params).unwrap();
    let params = RawObject::parse(&params).unwrap();
    request(connection, "tools/call", Some(&params)).await
}

/// Any request, with the entry's own limit.
async fn request(
    connection: &UpstreamConnection,
    method: &str,
    params: Option<&RawObject<'_>>,
) -> Result<Box<RawValue>, RequestError> {
    let timeout = connection.request_timeout();
    let ask = OutgoingRequest {
        method,
        params,
        timeout,
        ceiling: timeout,
        annotated: &ParamHeaders::NONE,
    };
    connection.unguarded(&AllowEverything::insecure_no_policy(), ask, None).await
}

/// A call with limits of its own, in seconds.
async fn patient_call(
    connection: &UpstreamConnection,
    tool: &str,
    (timeout, ceiling): (u64, u64),
) -> Result<Box<RawValue>, RequestError> {
    let params = format!(r#"{{"name":"{tool}"}}"#);
    let params: Box<RawValue> = serde_json::from_str(&params).unwrap();
    let params = RawObject::parse(&params).unwrap();
    let ask = OutgoingRequest {
        method: "tools/call",
        params: Some(&params),
        timeout: Duration::from_secs(timeout),
        ceiling: Duration::from_secs(ceiling),
        annotated: &ParamHeaders::NONE,
    };
    connection.unguarded(&AllowEverything::insecure_no_policy(), ask, None).await
}

/// How an operation is carried out if nothing about that matters.
fn plainly<'a>() -> OperationOptions<'a> {
    OperationOptions {
        retry: None,
        meta: None,
        unknown: None,
        principal: None,
        input_schema: None,
        timeout: Duration::from_secs(30),
        ceiling: Duration::from_secs(30),
        log_level: None,
        remarks: None,
        attendant: None,
        spilled: None,
        command: None,
    }
}

async fn perform(
    connection: &UpstreamConnection,
    operation: Operation,
    manner: OperationOptions<'_>,
) -> Result<OperationOutcome, RequestError> {
    let permitted = AllowEverything::insecure_no_policy().permit(operation);
    connection.perform(&permitted, manner).await
}

/// A call of this tool, with these arguments if there are any.
fn calling(tool: &str, arguments: &str) -> Operation {
    let arguments = (!arguments.is_empty()).then(|| raw(arguments).into());
    Operation::CallTool { name: tool.into(), arguments }
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn parsed(json: &str) -> serde_json::Value {
    serde_json::from_str(json).unwrap()
}
