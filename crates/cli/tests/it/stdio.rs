//! `stdio`: the shim between a client and the daemon. The daemon here says what a test wants.

pub(crate) mod client;
pub(crate) mod daemon;
mod ending;
mod failing;
mod passing;
mod starting;

use toolgate_control::hello::{FromDaemon, FromShim, PROTOCOL};

use crate::support::World;
use client::Client;
use daemon::{Daemon, OURS};

const INITIALIZE: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"x\":1}}\n";
const OPENED: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\",\
     \"capabilities\":{\"tools\":{\"listChanged\":true}}}}\n";
const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

fn call(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{}}}}\n")
}

fn answer(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[]}}}}\n")
}

/// A client with an open session, and its daemon.
fn in_session(world: &World) -> (Client, Daemon, daemon::Window) {
    let daemon = Daemon::listen(world);
    let mut client = Client::start(world);
    let mut window = daemon.let_in();
    client.send(INITIALIZE);
    window.open_session();
    assert_eq!(client.line(), OPENED);
    client.send(INITIALIZED);
    assert_eq!(window.text(), INITIALIZED);
    (client, daemon, window)
}

/// The daemon ends, and the client has noticed.
fn crash(client: &mut Client, mut window: daemon::Window) {
    client.send(call(99));
    assert_eq!(window.text(), call(99));
    drop(window);
    assert_eq!(client.message()["error"]["code"], -32603);
}

#[test]
fn a_shim_says_who_attaches_and_where_before_anything_else() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let arguments = ["stdio", "--role", "reviewer", "--client", "codex", "--config", "own.toml"];
    let mut client = Client::start_with(&world, &[], &[], &arguments);
    client.send(INITIALIZE);
    let mut window = daemon.next();
    let FromShim::Hello(hello) = window.hear() else { panic!("no hello") };
    assert_eq!((hello.protocol, hello.version.as_str()), (PROTOCOL, OURS));
    let project = world.project().canonicalize().unwrap();
    assert_eq!(hello.workspace.canonicalize().unwrap(), project);
    assert_eq!(hello.role.as_deref(), Some("reviewer"));
    assert_eq!(hello.client.as_deref(), Some("codex"));
    assert_eq!(hello.config.unwrap().canonicalize().ok(), None);
    assert_eq!(hello.inline, None);
    window.wants(OURS, &[]);
    assert_eq!(window.hear(), FromShim::Variables { values: [].into() });
    window.say(&FromDaemon::Attached);
    assert_eq!(window.text(), INITIALIZE);
    window.send(OPENED);
    assert_eq!(client.line(), OPENED);
}

#[test]
fn what_the_shim_itself_is_told_is_handed_on_as_a_projects_word() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let here = world.project().canonicalize().unwrap();
    let flag = here.join("flag.toml");
    let told = [
        ([("TOOLGATE_CONFIG", "a.toml"), ("TOOLGATE_CONFIG_JSON", "{\"a\":1}")], None, "a.toml"),
        (
            [
                ("CODEX_TOOLLOOP_MCP_CONFIG_PATH", "/b.json"),
                ("CODEX_TOOLLOOP_MCP_CONFIG_JSON", "{\"a\":1}"),
            ],
            None,
            "/b.json",
        ),
        ([("TOOLGATE_CONFIG", "a.toml"), ("TOOLGATE_CONFIG_JSON", "{\"a\":1}")], Some(&flag), ""),
    ];
    for (variables, flag, path) in told {
        let flag = flag.map(|flag| flag.to_str().unwrap());
        let arguments: Vec<_> = ["stdio"]
            .into_iter()
            .chain(flag.into_iter().flat_map(|flag| ["--config", flag]))
            .collect();
        let _client = Client::start_with(&world, &[], &variables, &arguments);
        let (hello, _) = daemon.next().greet(&[]);
        assert_eq!(hello.config, Some(flag.map_or(hello.workspace.join(path), Into::into)));
        assert_eq!(hello.inline.as_deref(), Some("{\"a\":1}"));
    }
}

/// A cloned project's entry can give a shim any variable, and gains nothing.
#[test]
fn variables_come_from_the_clients_environment_and_not_from_the_shims() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let theirs = [("TOKEN", "the person's"), ("EMPTY", ""), ("TOOLGATE_GLOBAL_CONFIG", "/own")];
    let shims = [
        ("HOME", "/evil"),
        ("PATH", "/evil"),
        ("XDG_RUNTIME_DIR", "/evil"),
        ("XDG_STATE_HOME", "/evil"),
        ("TOOLGATE_GLOBAL_CONFIG", "/evil"),
        ("CODELIA_CONFIG_PATH", "/evil"),
        ("TOKEN", "evil"),
        ("ONLY_ON_THE_SHIM", "evil"),
    ];
    let mut client = Client::start_with(&world, &theirs, &shims, &["stdio"]);
    let mut window = daemon.next();
    let wanted = [
        "HOME",
        "PATH",
        "TOKEN",
        "EMPTY",
        "TOOLGATE_GLOBAL_CONFIG",
        "CODELIA_CONFIG_PATH",
        "XDG_STATE_HOME",
        "ONLY_ON_THE_SHIM",
    ];
    let (_, values) = window.greet(&wanted);
    let home = world.home().display().to_string();
    let expected = [
        ("EMPTY", ""),
        ("HOME", &home),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TOKEN", "the person's"),
        ("TOOLGATE_GLOBAL_CONFIG", "/own"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(values, expected);
    // The same later on, between messages.
    window.wants(OURS, &["TOKEN", "ONLY_ON_THE_SHIM"]);
    let FromShim::Variables { values } = window.hear() else { panic!("no variables") };
    assert_eq!(values, [("TOKEN".to_owned(), "the person's".to_owned())].into());
    window.send(answer(1));
    assert_eq!(client.line(), answer(1));
}

#[test]
fn an_older_daemon_that_is_idle_makes_place_and_one_that_is_busy_is_used() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut older = daemon.next();
    assert!(matches!(older.hear(), FromShim::Hello(_)));
    older.wants("0.0.1", &["HOME"]);
    assert_eq!(older.hear(), FromShim::Retire);
    older.say(&FromDaemon::Retiring);
    drop(older);
    // The place is taken by another, older too, that others use.
    let mut busy = daemon.next();
    assert!(matches!(busy.hear(), FromShim::Hello(_)));
    busy.wants("0.1.0-rc.1", &[]);
    assert_eq!(busy.hear(), FromShim::Retire);
    busy.say(&FromDaemon::Busy);
    assert!(matches!(busy.hear(), FromShim::Variables { .. }));
    busy.say(&FromDaemon::Attached);
    client.send(call(1));
    assert_eq!(busy.text(), call(1));
}

#[test]
fn a_newer_daemon_is_used_as_it_is() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let _client = Client::start(&world);
    let mut newer = daemon.next();
    assert!(matches!(newer.hear(), FromShim::Hello(_)));
    newer.wants("99.0.0", &[]);
    assert!(matches!(newer.hear(), FromShim::Variables { .. }));
    newer.say(&FromDaemon::Attached);
}

#[test]
fn a_daemon_that_ends_during_the_hello_is_not_the_last_word() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    drop(daemon.next());
    let mut second = daemon.next();
    assert!(matches!(second.hear(), FromShim::Hello(_)));
    drop(second);
    let mut third = daemon.let_in();
    client.send(call(1));
    assert_eq!(third.text(), call(1));
}
