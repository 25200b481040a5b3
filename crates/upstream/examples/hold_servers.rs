//! Opens a number of local servers, and one more if a command is given, and holds them until it is
//! killed: what `cargo xtask soak` kills.
//!
//! Each server has a child, a grandchild that called `setsid`, and one that was forked twice. All of
//! them carry a mark in their environment, so that they are found wherever they end up.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_sandbox::{HelperPath, ProcessSpawner};
use toolgate_types::config::{
    Confinement, InheritEnv, NetworkAccess, ResourceLimits, SandboxProfile, Server, Stderr,
    StdioServer, Transport,
};
use toolgate_types::{
    Accepted, ConfigText, EntryStanding, EnvName, EventSink, NobodyToAsk, ServerEvent, ServerId,
    Trust,
};
use toolgate_upstream::{CredentialProviders, ServerOpening};
use toolgate_wire::{MessageLimits, ProtocolRevision};

/// A server in a few lines of shell, with a family that does its best to stay behind.
const SERVER: &str = r#"
trap '' HUP TERM
sleep 900 &
setsid sleep 900 &
(setsid sh -c 'trap "" HUP TERM; sleep 900; sleep 900' &)
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"held","version":"1"}}}\n' "$id"
done
"#;

struct Unheard;

impl EventSink for Unheard {
    fn event(&self, _: &ServerId, _: ServerEvent) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    toolgate_sandbox::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, mark, more @ ..] = &arguments[..] else {
        return Err("usage: hold_servers COUNT MARK [COMMAND ARGUMENT…]".into());
    };
    let mut servers =
        vec![vec!["sh".to_owned(), "-c".to_owned(), SERVER.to_owned()]; count.parse()?];
    if !more.is_empty() {
        servers.push(more.to_vec());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(hold(&servers, mark))
}

async fn hold(servers: &[Vec<String>], mark: &str) -> Result<(), Box<dyn Error>> {
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    let variables: BTreeMap<String, String> =
        std::env::vars().filter(|(name, _)| name == "PATH" || name == "HOME").collect();
    let folder = std::env::current_dir()?;
    let mut held = Vec::new();
    for (number, command) in servers.iter().enumerate() {
        let server = server(command, mark)?;
        let opening = ServerOpening {
            id: &ServerId::parse(&format!("held-{number}"))?,
            server: Accepted::new(&server, &EntryStanding::Accepted(Trust::Trusted))
                .map_err(|reason| reason.to_string())?,
            workspace: &folder,
            variables: &variables,
            spawner: &spawner,
            providers: &CredentialProviders::new(),
            login: None,
            asker: Arc::new(NobodyToAsk),
            events: Arc::new(Unheard),
            known: Some(ProtocolRevision::NEWEST_LEGACY),
            callers: None,
            limits: MessageLimits::DEFAULT,
            spill: None,
            packages: None,
        };
        held.push(opening.open().await?);
    }
    println!("ready");
    std::future::pending().await
}

fn server(command: &[String], mark: &str) -> Result<Server, Box<dyn Error>> {
    let (program, args) = command.split_first().ok_or("an empty command")?;
    let env =
        IndexMap::from([(EnvName::parse("TOOLGATE_SOAK")?, ConfigText::Plain(mark.to_owned()))]);
    let stdio = StdioServer {
        command: ConfigText::Plain(program.clone()),
        args: args.iter().cloned().map(ConfigText::Plain).collect(),
        cwd: None,
        env,
        env_vars: Vec::new(),
        inherit_env: InheritEnv::Core,
        stderr: Stderr::Ignore,
        confinement: Confinement {
            profile: SandboxProfile::None,
            network: NetworkAccess::Everything,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits::default(),
        },
    };
    Ok(Server { sampling: false, ..Server::new(Transport::Stdio(stdio)) })
}
