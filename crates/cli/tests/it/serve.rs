//! `serve`: what the README says first, who is let in, which folder is served, and the end.

mod client_errors;
mod crowded;
pub(crate) mod gate;
mod login_pages;
mod metrics;
mod oauth;
pub(crate) mod surface;
mod tls;

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::json;
use toolgate_store::{ProjectRoot, SqliteStore, Workspaces as _};
use toolgate_testkit::{Act, Script};

use crate::support::World;
use gate::Gate;

/// The first command that the README gives to `toolgate`.
fn first_command() -> Vec<String> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let line = readme.lines().find_map(|line| line.strip_prefix("toolgate ")).unwrap();
    let line = line.split(" #").next().unwrap();
    line.split_whitespace().map(str::to_owned).collect()
}

/// A server with one tool.
fn greeter() -> Script {
    let tools = r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("greet", [Act::say("good morning")])
}

/// Whose command line has this in it.
fn processes_with(words: &str) -> Vec<String> {
    let found = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(words).then_some(line)
    });
    found.collect()
}

#[test]
fn the_first_command_of_the_readme_serves_a_folder_with_nothing_configured() {
    let command = first_command();
    assert_eq!(command[0], "serve");
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    // Another port than the usual one is all that is said here.
    let world = World::new();
    let own = world.write("home/own.toml", "[gateway]\nlisten = \"127.0.0.1:0\"\n");
    let world = world.with("TOOLGATE_GLOBAL_CONFIG", own.to_str().unwrap());
    world.write("home/.codex/config.toml", "model = \"x\"\n");
    world.write("project/notes.txt", "what is in the notes\n");
    let gate = Gate::start(&world, &command);
    insta::assert_snapshot!(gate.steady_greeting(&world), @"
    serving <project>
      endpoint  http://<address>/mcp
      token     in <home>/.local/state/toolgate/tokens/default
      log       <home>/.local/state/toolgate/logs/toolgate.log
      guarded   agents get tools for this folder alone, without Git's own files and files that usually hold secrets; nothing is changed unasked, and calls are recorded (toolgate audit)
    connect a client found here:
      toolgate connect codex --http http://<address>/mcp --token-file <home>/.local/state/toolgate/tokens/default
    stop with Ctrl-C
    ");
    assert!(gate.tools("/mcp").contains(&"repo__read_file".to_owned()));
    let read = gate.call("/mcp", "repo__read_file", &json!({"path": "notes.txt"}));
    assert_eq!(read["result"]["content"][0]["text"], "what is in the notes\n", "{read}");
    assert!(world.exists("home/.local/state/toolgate/logs/toolgate.log"));
    // The line it printed for the client that is here works as it stands.
    let connect = gate.greeting.lines().find_map(|line| line.strip_prefix("  toolgate ")).unwrap();
    world.run(&connect.split(' ').collect::<Vec<_>>()).ok();
    let written = world.read("home/.codex/config.toml");
    assert!(written.contains(&gate.endpoint()) && written.contains(gate.token()), "{written}");
    let ended = gate.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn only_who_brings_the_token_is_let_in_and_it_is_the_same_the_next_time() {
    let world = World::new();
    let gate = Gate::on_free_port(&world);
    let token = gate.token().to_owned();
    assert_eq!(gate.status("/mcp", Some(&token)), 200);
    assert_eq!(gate.status("/mcp", Some("tgt_other")), 401);
    assert_eq!(gate.status("/mcp", None), 401);
    gate.end();
    let again = Gate::on_free_port(&world);
    assert_eq!(again.token(), token);
    assert_eq!(again.status("/mcp", Some(&token)), 200);
}

#[test]
fn without_a_token_every_program_here_may_call_and_a_warning_says_so() {
    let world = World::new();
    world.write("home/.codex/config.toml", "model = \"x\"\n");
    let gate = Gate::start(&world, &["serve", "--auth", "none", "--listen", "127.0.0.1:0"]);
    assert!(!gate.greeting.contains("token") && !gate.greeting.contains("connect"));
    assert_eq!(gate.status("/mcp", None), 200);
    insta::assert_snapshot!(gate.end().stderr, @"warning: no token is asked for: every program on this machine may call");
    let open = world.run(&["serve", "--auth", "none", "--listen", "0.0.0.0:0"]).fails_with(1);
    assert_eq!(open.stdout, "");
    insta::assert_snapshot!(open.stderr, @r#"
    error: `auth = "none"` is for loopback only, and 0.0.0.0:0 is not
    use tokens: `auth = "token"`
    "#);
}

/// Shows: E-3.
#[test]
fn where_nobody_says_otherwise_it_listens_on_loopback() {
    // Ours or another's: the address is taken, so that what is said names it.
    let _taken = TcpListener::bind("127.0.0.1:7332");
    let ran = World::new().run(&["serve"]).fails_with(1);
    assert!(ran.stderr.starts_with("error: cannot listen on 127.0.0.1:7332: "), "{ran:?}");
}

#[test]
fn an_address_that_is_taken_is_said_to_be() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = World::new().run(&["serve", "--listen", &address]).fails_with(1);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.starts_with(&format!("error: cannot listen on {address}: ")), "{ran:?}");
    assert!(ran.stderr.contains("is `toolgate serve` running already?"), "{ran:?}");
}

#[test]
fn the_end_of_the_gateway_is_the_end_of_what_it_started() {
    let world = World::new();
    world.local("polite", &greeter());
    let script = world.home().join("polite.json").display().to_string();
    let gate = Gate::on_free_port(&world);
    let answer = gate.call("/mcp", "polite__greet", &json!({}));
    assert_eq!(answer["result"]["content"][0]["text"], "good morning", "{answer}");
    assert_ne!(processes_with(&script), Vec::<String>::new());
    assert!(Path::new(&format!("/proc/{}", gate.id())).exists());
    let ended = gate.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(processes_with(&script), Vec::<String>::new());
}

#[test]
fn a_broken_file_of_the_project_does_not_stop_it() {
    let world = World::new();
    world.local("polite", &greeter());
    for broken in ["[servers.bad]\ntransport = \"pigeon\"\n", "this is no TOML\n"] {
        world.write("project/toolgate.toml", broken);
        let gate = Gate::on_free_port(&world);
        assert_eq!(gate.tools("/mcp"), ["polite__greet"]);
        let ended = gate.end();
        assert!(ended.stderr.contains("in the configuration; see `toolgate config check`"));
        assert_eq!(ended.code, Some(0));
    }
}

#[test]
fn a_required_server_that_does_not_come_up_is_said_to_every_caller() {
    let world = World::new();
    world.local("polite", &greeter());
    world.server("needed", "command = \"/no/such/program\"\nrequired = true");
    let gate = Gate::on_free_port(&world);
    assert_eq!(gate.status("/mcp", Some(gate.token())), 503);
    assert_eq!(gate.end().code, Some(0));
}

#[test]
fn a_registered_folder_is_served_with_its_own_configuration_and_no_other_is_there() {
    // What is said at the start is about the folder of the start.
    let said = r#"{"policy":{"deny_tools":["list_files"]}}"#;
    let world = World::new().with("TOOLGATE_CONFIG_JSON", said);
    world.write("project/notes.txt", "here\n");
    world.write("other/notes.txt", "there\n");
    world.write("other/toolgate.toml", "[policy]\ndeny_tools = [\"search\"]\n");
    let gate = Gate::on_free_port(&world);
    let state = SqliteStore::open(&world.home().join(".local/state/toolgate")).unwrap();
    let root = ProjectRoot::of(&world.project().join("../other")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let id = runtime.block_on(state.keep_workspace(&root, 0)).unwrap();
    let other = format!("/w/{id}/mcp");
    for (path, shown, hidden) in [
        (&*other, "repo__list_files", "repo__search"),
        ("/mcp", "repo__search", "repo__list_files"),
    ] {
        let tools = gate.tools(path);
        assert!(tools.contains(&shown.to_owned()) && tools.contains(&"repo__read_file".to_owned()));
        assert!(!tools.contains(&hidden.to_owned()), "{tools:?}");
    }
    for (path, words) in [(other.as_str(), "there\n"), ("/mcp", "here\n")] {
        let read = gate.call(path, "repo__read_file", &json!({"path": "notes.txt"}));
        assert_eq!(read["result"]["content"][0]["text"], words, "{read}");
    }
    assert_eq!(gate.status("/w/other-0123456789abcdef/mcp", Some(gate.token())), 404);
    assert_eq!(gate.status(&other, None), 401);
}
