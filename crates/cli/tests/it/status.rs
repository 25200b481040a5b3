//! `status`: how servers are doing at run time, while they do it.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::daemon::house::house as world;
use crate::daemon::house::{Window, eventually, signal_to, teller};
use crate::keeper::Keeper;
use crate::serve::gate::Gate;
use crate::support::{end_if_it_hangs, served};

/// A status without what differs from run to run.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let is_number = |word: &str| word.len() > 2 && word.bytes().all(|b| b.is_ascii_digit());
        let mut words: Vec<String> = Vec::new();
        for word in line.split(' ') {
            let number = word.trim_end_matches(',');
            let is_time = number.len() == 20 && number.ends_with('Z');
            words.push(match (is_number(number), is_time) {
                (true, _) => word.replace(number, "<pid>"),
                (_, true) => "<time>".to_owned(),
                _ => word.to_owned(),
            });
        }
        let line = words.join(" ");
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        let cells = cells.map(|cell| if cell.ends_with(" MB") { "<memory>" } else { cell });
        out.push_str(&cells.collect::<Vec<_>>().join(" | "));
        out.push('\n');
    }
    let seconds =
        out.split(" s ago").map(|before| before.trim_end_matches(|c: char| c.is_ascii_digit()));
    seconds.collect::<Vec<_>>().join("<ago>")
}

/// The state of each server of the only folder.
fn states(status: &Value) -> Vec<(String, String)> {
    let workspaces = status["workspaces"].as_array().unwrap();
    assert_eq!(workspaces.len(), 1, "{status}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = workspaces[0]["servers"].as_array().unwrap();
    rows.iter().map(|row| (text(&row["id"]), text(&row["state"]))).collect()
}

/// Shows: S1-13, S1-56, S1-57, S1-58.
#[test]
fn every_server_has_its_row_and_the_state_it_is_in_now() {
    let (_runtime, site) = served(Script::legacy());
    site.let_in_only("somebody-else");
    let world = world();
    world.local("ready", &teller());
    world.local("idle", &teller());
    world.local_with("off", &teller(), "enabled = false");
    world.server("slow", "command = \"sh\"\nargs = [\"-c\", \"sleep 600\"]");
    world.server("login", &format!("transport = \"http\"\nurl = {:?}", site.url("/mcp")));
    world.server("gone", "command = \"/no/such/command\"");
    world.server("broken", "command = \"x\"\nurl = \"https://x.example/mcp\"");
    world.write("project/toolgate.toml", "[servers.new]\nurl = \"https://new.example/mcp\"\n");
    let keeper = Keeper::start(world);
    // As configured; nothing runs.
    let before = keeper.status();
    assert_eq!(before["daemon"]["windows"], 0);
    let started = ["ready", "slow", "login", "gone"].map(|id| (id.to_owned(), "idle".to_owned()));
    for one in started {
        assert!(states(&before).contains(&one), "{before}");
    }
    keeper.run(&["call", "ready", "who"]).ok();
    keeper.run(&["tools", "--server", "login"]).fails_with(3);
    keeper.run(&["tools", "--server", "gone"]).fails_with(4);
    let slow = keeper.command(&["tools", "--server", "slow"]).stderr(Stdio::null()).spawn();
    let mut slow = slow.unwrap();
    let _watched = end_if_it_hangs(slow.id());
    keeper.row_when("slow", "connecting");
    let status = keeper.status();
    let expected = [
        ("ready", "ready"),
        ("idle", "idle"),
        ("off", "disabled"),
        ("slow", "connecting"),
        ("login", "auth_required"),
        ("gone", "error"),
        ("new", "pending"),
        ("broken", "error"),
    ];
    assert_eq!(states(&status), expected.map(|(id, state)| (id.to_owned(), state.to_owned())));
    let row = &status["workspaces"][0]["servers"][0];
    for key in ["id", "transport", "source", "enabled", "state", "tools"] {
        assert!(!row[key].is_null(), "{row}");
    }
    assert_eq!((&row["tools"], &row["calls"]), (&json!(4), &json!(1)), "{row}");
    // One waits in it, and is told to be there.
    let attached = &status["workspaces"][0]["attached"];
    assert_eq!(attached[0]["client"], "toolgate tools", "{status}");
    assert_eq!(attached[0]["pid"], slow.id());
    insta::assert_snapshot!(steady(&keeper.run(&["status"]).ok().stdout), @"
    toolgate 0.1.0, pid <pid>, started <ago>, 1 window

    <world>/project
    id | transport | source | enabled | state | tools | era | pid | memory | calls | last error
    ready | stdio | global | true | ready | 4 | legacy | <pid> | <memory> | 1 | -
    idle | stdio | global | true | idle | - | - | - | - | 0 | -
    off | stdio | global | false | disabled | - | - | - | - | 0 | -
    slow | stdio | global | true | connecting | - | - | - | - | 0 | -
    login | http | global | true | auth_required | - | - | - | - | 0 | log in with: toolgate login login; the server wants a login (HTTP 401):…
    gone | stdio | global | true | error | - | - | - | - | 0 | command `/no/such/command` was not found: there is no /no/such/command
    new | http | project | true | pending | - | - | - | - | 0 | -
    broken | - | global | true | error | - | - | - | - | 0 | this key does not go with transport `http`

    tool list of | exposure | tools | tokens | all listed | meta saves
    everybody | auto: direct | 4 | 71 | 71 | 0

    attached | pid | role | since
    toolgate tools | <pid> | - | <ago>
    problem: <world>/home/.config/toolgate/config.toml:31: error[wrong-transport-key]: servers.broken.command: this key does not go with transport `http`
    help: remove it, or choose the transport that it belongs to
    ");
    slow.kill().unwrap();
    slow.wait().unwrap();
}

/// Shows: S1-59.
#[test]
fn one_server_is_shown_with_its_last_error_and_when_it_was_connected() {
    let world = world();
    world.local("s", &teller());
    world.server("gone", "command = \"/no/such/command\"");
    let keeper = Keeper::start(world);
    keeper.run(&["tools"]).ok();
    keeper.run(&["call", "s", "die"]).fails_with(4);
    insta::assert_snapshot!(steady(&keeper.run(&["status", "s"]).ok().stdout), @"
    id | s
    folder | <world>/project
    transport | stdio
    source | global
    origin | <world>/home/.config/toolgate/config.toml:3
    enabled | true
    state | error
    tools | 4
    era | -
    isolation | workspace
    pid | -
    processes | 0
    memory | -
    calls | 1
    in_flight | 0
    failures | 1
    retry_in | <pid> ms
    last_connected_at | <time> (<ago>)
    last_error | the server exited with code 3
    ");
    let gone = keeper.row("gone");
    assert!(gone["lastError"].as_str().unwrap().contains("/no/such/command"), "{gone}");
    assert_eq!(gone["lastConnectedAt"], Value::Null);
    assert!(keeper.row("s")["lastConnectedAt"].as_u64().unwrap() > 1_700_000_000_000);
    let ran = keeper.run(&["status", "nope"]).fails_with(1);
    assert!(ran.stderr.starts_with("error: MCP server not found: nope\n"), "{ran:?}");
}

/// Shows: S1-60.
#[test]
fn where_nothing_is_configured_exactly_that_is_said() {
    let keeper = Keeper::start(world());
    assert_eq!(keeper.run(&["status"]).ok().stdout, "no MCP servers configured\n");
    // What Toolgate brings itself does not count.
    let mut window = Window::open(&keeper);
    assert!(window.tools().iter().any(|tool| tool.starts_with("repo__")));
    assert_eq!(keeper.run(&["mcp", "status"]).ok().stdout, "no MCP servers configured\n");
}

/// Shows: S1-61, C29.
#[test]
fn it_is_read_while_a_call_runs_and_over_the_rpc_itself() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open_with(&keeper, &[], &[], &["stdio", "--client", "codex"]);
    window.send("tools/call", json!({"name": "s__wait", "arguments": {}}));
    eventually("it is under way", || keeper.row("s")["inFlight"] == 1);
    let text = keeper.run(&["status"]).ok().stdout;
    assert!(text.contains("1 (1 running)") && text.contains("codex"), "{text}");
    for scope in ["loaded", "configured"] {
        let listed = rpc(&keeper, "mcp.list", &json!({"scope": scope}));
        let listed = &listed["result"];
        assert_eq!(listed["schemaVersion"], 1, "{listed}");
        let row = &listed["workspaces"][0]["servers"][0];
        assert_eq!((&row["id"], &row["state"]), (&json!("s"), &json!("ready")));
    }
    let refused = rpc(&keeper, "mcp.list", &json!({"scope": "moon"}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(rpc(&keeper, "mcp.lost", &json!({}))["error"]["code"], -32601);
}

/// Shows: S1-19.
#[test]
fn status_and_reload_are_methods_of_the_socket_and_a_run_needs_none() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    let states = || {
        let listed = rpc(&keeper, "mcp.list", &json!({}));
        let rows = listed["result"]["workspaces"][0]["servers"].as_array().unwrap().clone();
        let state = |row: &Value| format!("{} {}", row["id"], row["state"]).replace('"', "");
        rows.iter().map(state).collect::<Vec<_>>()
    };
    assert_eq!(states(), ["s idle"]);
    let good = keeper.read(crate::support::World::GLOBAL);
    let more = format!("{good}\n[servers.late]\nurl = \"https://late.example/mcp\"\n");
    keeper.write(crate::support::World::GLOBAL, &more);
    let reloaded = rpc(&keeper, "config.reload", &json!(null));
    assert!(reloaded["result"].is_object(), "{reloaded}");
    assert_eq!(states(), ["s idle", "late idle"], "at once");
    window.call("s__who");
    for run in ["run.start", "run.cancel"] {
        assert_eq!(rpc(&keeper, run, &json!({}))["error"]["code"], -32601, "{run}");
    }
}

/// One request on the socket.
fn rpc(keeper: &Keeper, method: &str, params: &Value) -> Value {
    use std::io::Write as _;
    let socket = crate::stdio::daemon::run_folder(keeper).join("control.sock");
    let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    writeln!(stream, "{request}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["id"], 7);
    answer
}

#[test]
fn a_changed_file_that_is_broken_is_shown_with_what_still_counts() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    let first = window.call("s__who");
    let good = keeper.read(crate::support::World::GLOBAL);
    keeper.write(crate::support::World::GLOBAL, &format!("{good}\n[servers.s"));
    let refused = || keeper.status()["workspaces"][0]["refused"].clone();
    eventually("it is refused", || refused().is_string());
    let text = keeper.run(&["status"]).ok().stdout;
    assert!(text.contains("the changed configuration does not count: "), "{text}");
    assert!(text.contains("config.toml"), "{text}");
    assert_eq!(window.call("s__who"), first);
    keeper.write(crate::support::World::GLOBAL, &good);
    eventually("it counts again", || refused().is_null());
}

#[test]
fn a_watch_writes_one_document_for_each_change_and_ends_with_ctrl_c() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut watch =
        keeper.command(&["status", "--watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(watch.id());
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first = next();
    assert_eq!((&first["schemaVersion"], states(&first)[0].1.as_str()), (&json!(1), "idle"));
    keeper.run(&["call", "s", "who"]).ok();
    let mut last = next();
    while states(&last)[0].1 != "ready" {
        assert_ne!(last, first);
        last = next();
    }
    // A daemon that ends is a change, too.
    keeper.run(&["stop"]).ok();
    while !last["daemon"].is_null() {
        last = next();
    }
    signal_to(watch.id(), "INT");
    assert_eq!(watch.wait().unwrap().code(), Some(0));
}

#[test]
fn a_watch_at_a_terminal_is_drawn_anew() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut terminal = keeper.at_terminal(&["status", "--watch", "s"]);
    terminal.until("idle");
    keeper.run(&["call", "s", "who"]).ok();
    terminal.until("ready");
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&keeper).ok();
    assert!(ran.stdout.matches("\u{1b}[H\u{1b}[2J").count() >= 2, "{ran:?}");
}

#[test]
fn without_a_daemon_that_is_said_with_an_exit_code_of_its_own() {
    let world = world();
    world.local("s", &teller());
    for arguments in [&["status"][..], &["status", "s"], &["status", "--watch"]] {
        let ran = world.run(arguments).fails_with(4);
        assert!(ran.stderr.starts_with("error: no daemon runs\n"), "{ran:?}");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_gate_is_a_daemon_with_an_address_and_its_callers_are_told_apart() {
    let world = world();
    world.local("s", &teller());
    let gate = Gate::on_free_port(&world);
    let called = gate.call("/mcp", "s__who", &json!({}));
    assert!(called["result"]["content"][0]["text"].is_string(), "{called}");
    let status = world.run(&["status", "--json"]).ok().json();
    assert_eq!(status["daemon"]["endpoint"], gate.endpoint());
    assert_eq!(status["workspaces"][0]["servers"][0]["calls"], 1, "{status}");
    assert!(status["workspaces"][0]["principal"].is_string(), "{status}");
    let ran = world.run(&["restart"]).fails_with(1);
    assert!(ran.stderr.contains("started by `toolgate serve`"), "{ran:?}");
    world.run(&["stop"]).ok();
    world.run(&["status"]).fails_with(4);
    assert_eq!(gate.end().code, Some(0));
}

#[test]
fn a_slow_answer_of_one_server_holds_up_no_status() {
    let silent = Script::legacy().on("tools/list", [Act::hold("never")]);
    let world = world();
    world.local("s", &silent);
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    window.send("tools/list", json!({}));
    assert_eq!(keeper.row_when("s", "ready")["tools"], Value::Null);
}
