//! `test`: what failed and why, each with its exit code; nothing pending is started.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

/// A world whose own file has one server, `s`.
fn with_server(entry: &str) -> World {
    let world = World::new();
    world.write(World::GLOBAL, &format!("[servers.s]\nstartup_timeout_ms = 4000\n{entry}\n"));
    world
}

/// A listener on loopback that answers every request with this, for as long as the test runs.
fn answering(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(response.as_bytes());
        }
    });
    format!("http://{address}/mcp")
}

const TOOLS: &str =
    r#"{"tools":[{"name":"b","inputSchema":{"type":"object"}},{"name":"a"},{"no":"name"}]}"#;

/// Shows: S1-42, S1-50.
#[test]
fn a_remote_server_is_connected_to_and_its_tools_are_listed() {
    let (_runtime, site) = served(Script::legacy().on("tools/list", [Act::answer(TOOLS)]));
    let world = with_server(&format!("url = {:?}", site.url("/mcp")));
    for scope in ["effective", "global"] {
        let ran = world.run(&["mcp", "test", "s", "--scope", scope]).ok();
        assert!(ran.stdout.contains("speaks 2025-11-25 (legacy), offers 2 tools"), "{ran:?}");
        assert!(ran.stderr.contains("a tool was set aside: item 2"), "{ran:?}");
    }
    world.run(&["test", "s", "--scope", "project"]).fails_with(1);
    let json = world.run(&["test", "s", "--json"]).ok().json();
    assert_eq!(json["tools"], serde_json::json!(["b", "a"]));
    assert_eq!(json["era"], "legacy");
}

#[test]
fn what_a_server_spoke_is_remembered_and_not_asked_again() {
    let (_runtime, site) = served(Script::legacy().on("tools/list", [Act::answer(TOOLS)]));
    let world = with_server(&format!("url = {:?}", site.url("/mcp")));
    world.run(&["test", "s"]).ok();
    world.run(&["test", "s"]).ok();
    let asked = |method: &str| site.visits().iter().filter(|visit| visit.posts(method)).count();
    assert_eq!((asked("server/discover"), asked("initialize")), (1, 2));
}

#[test]
fn a_modern_server_is_spoken_to_in_its_own_way() {
    let none = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}"#;
    let (_runtime, site) = served(Script::modern().on("tools/list", [Act::answer(none)]));
    let world = with_server(&format!("transport = \"http\"\nurl = {:?}", site.url("/mcp")));
    let ran = world.run(&["test", "s"]).ok();
    assert!(ran.stdout.contains("2026-07-28 (modern), offers 0 tools"), "{ran:?}");
}

/// A server in a line of shell: it answers everything with the same handshake.
#[test]
fn a_local_server_is_started_asked_and_ended() {
    let answer = r#"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"shell\",\"version\":\"1\"}}}\\n"#;
    let script = format!(
        "echo $$ > pid; while read -r line; do id=$(printf '%s' \"$line\" | \
         sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p'); [ -n \"$id\" ] && printf '{}' \"$id\"; done",
        answer.replace("\\\"", "\"").replace("\\\\n", "\\n")
    );
    let world = World::new();
    let script = world.write("home/server.sh", &script);
    world.write(
        World::GLOBAL,
        &format!(
            "[servers.s]\ncommand = \"sh\"\nargs = [{script:?}]\nstartup_timeout_ms = 20000\n"
        ),
    );
    let ran = world.run(&["test", "s"]).ok();
    assert!(
        ran.stdout.contains("s is shell 1, speaks 2025-11-25 (legacy), offers 0 tools"),
        "{ran:?}"
    );
    let pid = world.read("project/pid");
    let alive = std::path::Path::new("/proc").join(pid.trim());
    assert!(!alive.exists(), "the server is gone with the command");
}

#[test]
fn a_pending_server_is_not_started() {
    let world = World::new();
    let proof = world.project().join("started");
    let command = format!("[servers.s]\ncommand = \"touch\"\nargs = [{proof:?}]\n");
    world.write("project/toolgate.toml", &command);
    let ran = world.run(&["test", "s"]).fails_with(8);
    assert!(ran.stderr.contains("pending: never accepted here"), "{ran:?}");
    assert!(!world.exists("project/started"));
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let ran =
        with_server("command = \"no-such-command-anywhere\"").run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("`no-such-command-anywhere` was not found"), "{ran:?}");
}

#[test]
fn a_server_that_ends_at_once_says_how_and_its_last_words() {
    let world = with_server("command = \"sh\"\nargs = [\"-c\", \"echo oh no >&2; exit 3\"]");
    let ran = world.run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains('3') && ran.stderr.contains("oh no"), "{ran:?}");
}

#[test]
fn a_server_that_never_answers_is_given_up_after_its_own_time() {
    let world = with_server("command = \"sleep\"\nargs = [\"600\"]");
    let ran = world.run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("no answer within 4000 ms"), "{ran:?}");
}

#[test]
fn a_server_that_is_given_up_says_its_last_words_and_what_it_was_not_given() {
    let keys = "command = \"sh\"\nargs = [\"-c\", \"echo fetching >&2; sleep 600\"]\n\
                inherit_env = \"none\"\nenv_vars = [\"PATH\"]";
    let world = with_server(keys)
        .with("HTTPS_PROXY", "http://bob:hidden-word@proxy.example:1")
        .with("NODE_EXTRA_CA_CERTS", "/ca.pem");
    let ran = world.run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("it last said: fetching"), "{ran:?}");
    assert!(ran.stderr.contains("it was not given NODE_EXTRA_CA_CERTS, HTTPS_PROXY"), "{ran:?}");
    assert!(!ran.stderr.contains("hidden-word"), "{ran:?}");
}

#[test]
fn each_way_of_not_being_an_endpoint_has_its_own_words() {
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
    let login = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let broken = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    for (response, code, words) in [
        (page, 4, "returned HTML: not an MCP endpoint"),
        (login, 3, "wants a credential and offers no login (HTTP 401)"),
        (broken, 4, "answered HTTP 500"),
        (missing, 4, "answered HTTP 404"),
        ("SSH-2.0-OpenSSH\r\n", 4, "not HTTP"),
    ] {
        let url = answering(response);
        let world = with_server(&format!("transport = \"http\"\nurl = {url:?}"));
        let ran = world.run(&["test", "s"]).fails_with(code);
        assert!(ran.stderr.contains(words), "{response:?}: {ran:?}");
    }
}

#[test]
fn a_port_where_nobody_listens_is_refused() {
    // Bound and let go again, so that the port is free.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let world = with_server(&format!("url = \"http://{free}/mcp\""));
    let ran = world.run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("the connection was refused"), "{ran:?}");
}

#[test]
fn tls_that_nobody_speaks_is_named_as_such() {
    let url = answering("not tls at all").replace("http://", "https://");
    let ran = with_server(&format!("url = {url:?}")).run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("TLS failed"), "{ran:?}");
}

#[test]
fn a_variable_that_is_not_set_is_named_before_anything_is_dialled() {
    let world = with_server("url = \"http://127.0.0.1:9/mcp\"\nbearer_token_env = \"NOPE_TOKEN\"");
    let ran = world.run(&["test", "s"]).fails_with(4);
    assert!(ran.stderr.contains("the variable NOPE_TOKEN is not set"), "{ran:?}");
}

#[test]
fn an_unknown_server_is_an_error() {
    World::new().run(&["test", "nope"]).fails_with(1);
}
