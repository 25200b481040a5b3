//! The servers that agents get where nothing is configured, as commands know them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::json;

use toolgate_testkit::{Act, Script};

use crate::serve::gate::Gate;
use crate::support::World;

#[test]
fn list_tools_call_and_explain_know_them() {
    let world = World::new();
    world.write("project/notes.txt", "a line of mine\n");
    let listed = world.run(&["list"]).ok().stdout;
    assert!(listed.starts_with("no MCP servers configured\n"), "{listed}");
    for server in ["repo", "docs", "workflow"] {
        let line = listed.lines().find(|line| line.starts_with(server)).expect(server);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[1..5], ["builtin", "runtime", "true", "trusted"], "{line}");
    }
    let tools = world.run(&["tools"]).ok().stdout;
    assert!(tools.contains("repo__read_file"), "{tools}");
    let ran = world.run(&["call", "repo__read_file", "path=notes.txt"]).ok();
    assert!(ran.stdout.contains("a line of mine"), "{ran:?}");
    let ran = world.run(&["call", "repo", "read_file", "path=notes.txt", "--json"]).ok().json();
    assert_eq!((&ran["server"], &ran["tool"]), (&"repo".into(), &"read_file".into()));
    let why = world.run(&["explain", "repo", "read_file"]).ok().stdout;
    assert!(why.contains("shown     listed itself\ndecision  allow"), "{why}");
    assert!(world.run(&["get", "repo"]).ok().stdout.contains("builtin"));
    let ran = world.run(&["test", "repo"]).fails_with(2);
    assert!(ran.stderr.contains("it is built in") || ran.stderr.contains("is built in"), "{ran:?}");
}

#[test]
fn what_is_private_is_not_shown_by_a_command_either() {
    let world = World::new();
    world.write("project/.env", "TOKEN=canary\n");
    let ran = world.run(&["call", "repo", "read_file", "path=.env"]);
    assert!(!ran.stdout.contains("canary"), "{ran:?}");
}

#[test]
fn they_are_not_there_where_something_is_configured_or_the_surface_is_closed() {
    let world = World::new();
    world.server("off", "command = \"x\"\nenabled = false");
    assert!(!world.run(&["list"]).ok().stdout.contains("repo"));
    world.run(&["call", "repo", "read_file"]).fails_with(1);
    let closed = World::new().with("TOOLGATE_ENABLE_MCP_SERVER_SURFACE", "off");
    assert_eq!(closed.run(&["list"]).ok().stdout, "no MCP servers configured\n");
    assert_eq!(closed.run(&["tools"]).ok().stdout, "no MCP servers configured\n");
}

#[test]
fn an_entry_that_names_one_has_it_beside_others() {
    let world = World::new();
    world.server("repo", "transport = \"builtin\"");
    world.server("off", "command = \"x\"\nenabled = false");
    let tools = world.run(&["tools", "--server", "repo"]).ok().stdout;
    assert!(tools.contains("repo__search"), "{tools}");
}

/// An entry takes the place of a server that Toolgate brings: what it says runs, and what that lists is
/// remembered as of any other.
#[test]
fn a_server_that_is_called_like_one_of_ours_is_its_owners() {
    let world = World::new();
    let tools = r#"{"tools":[{"name":"hello","inputSchema":{"type":"object"}}]}"#;
    let names = ["repo", "docs", "workflow"];
    for name in names {
        world.local(name, &Script::modern().on("tools/list", [Act::answer(tools)]));
    }
    let listed = world.run(&["tools"]).ok().stdout;
    for ours in ["read_file", "search_docs", "plan_get"] {
        assert!(!listed.contains(ours), "{ours}: {listed}");
    }
    let pinned = world.run(&["pins"]).ok().stdout;
    for name in names {
        assert!(listed.contains(&format!("{name}__hello")), "{listed}");
        assert!(pinned.contains(name), "{pinned}");
    }
}

#[test]
fn writing_is_off_until_an_entry_names_it_and_then_every_call_asks() {
    let world = World::new();
    assert!(!world.run(&["tools"]).ok().stdout.contains("write_file"));
    let write = ["call", "repo", "write_file", "path=a.txt", "content=x"];
    world.run(&write).fails_with(1);
    world.server(
        "repo",
        "transport = \"builtin\"\napproval = \"approve\"\nallow_tools = [\"*_file\"]",
    );
    assert!(!world.run(&["tools"]).ok().stdout.contains("write_file"), "a pattern names nothing");
    world.run(&write).fails_with(1);
    assert!(!world.project().join("a.txt").exists());

    let world = World::new();
    let named = "transport = \"builtin\"\napproval = \"approve\"\n\
                 [servers.repo.tools.write_file]\napproval = \"approve\"";
    world.server("repo", named);
    let tools = world.run(&["tools"]).ok().stdout;
    assert!(tools.contains("repo__write_file") && !tools.contains("edit_file"), "{tools}");
    let why = world.run(&["explain", "repo", "write_file"]).ok().stdout;
    assert!(why.contains("decision  ask"), "{why}");

    // A file that came with a project says so of itself, and is not asked.
    let world = World::new();
    world.write("project/toolgate.toml", &format!("[servers.repo]\n{named}\n"));
    assert!(!world.run(&["tools"]).stdout.contains("write_file"));
    let ran = world.run(&write);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(!world.project().join("a.txt").exists());
}

/// A file that is too long for a result, and a question about it that is answered by a process of its own.
#[test]
fn a_long_result_is_queried_where_it_is_kept() {
    let world = World::new();
    let rows: Vec<String> = (0..1500)
        .map(|row| format!("{{\"row\": {row}, \"words\": \"{}\"}}", "word ".repeat(10)))
        .collect();
    world.write("project/rows.json", &format!("[\n{}\n]\n", rows.join(",\n")));
    let gate = Gate::on_free_port(&world);
    // What a client was never shown is not named to it.
    assert!(gate.tools("/mcp").contains(&"workflow__artifact_read".to_owned()));
    let read = gate.call("/mcp", "repo__read_file", &json!({ "path": "rows.json" })).to_string();
    assert!(read.contains("or with `workflow__artifact_read`"));
    let at = read.find("toolgate://artifact/").unwrap();
    let artifact = &read[at..at + "toolgate://artifact/".len() + 32];
    let filter = "[length, (map(select(.row > 1497)) | map(.row))]";
    let arguments = json!({ "artifact": artifact, "filter": filter });
    let asked = gate.call("/mcp", "workflow__artifact_query", &arguments);
    let values = &asked["result"]["structuredContent"]["values"];
    assert_eq!(*values, json!([[1500, [1498, 1499]]]), "{asked}");
    let arguments = json!({ "artifact": artifact, "filter": "[range(1000000000000)]" });
    let asked = gate.call("/mcp", "workflow__artifact_query", &arguments);
    assert_eq!(asked["result"]["isError"], true, "{asked}");
    assert_eq!(gate.end().code, Some(0));
}

/// What the process that answers says, given this.
fn answered(filter: &str, variable: (&str, &str)) -> (bool, String) {
    let mut process = Command::new(assert_cmd::cargo::cargo_bin!("toolgate"))
        .arg("--answer-json-query")
        .env_clear()
        .env(variable.0, variable.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let request = json!({ "filter": filter, "most_values": 9, "most_bytes": 999 });
    let _ = write!(process.stdin.take().unwrap(), "{request}\n{{\"a\":1}}");
    let output = process.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_query_sees_nothing_but_its_document_and_ends() {
    let own = ("CANARY", "of-the-environment");
    assert_eq!(answered(".a", own), (true, r#"{"values":{"values":[1],"more":false}}"#.to_owned()));
    for filter in ["env", "$ENV", "[env, .]", "input", "[inputs]", "env.CANARY"] {
        let (_, said) = answered(filter, own);
        assert!(said.starts_with(r#"{"failed""#) && !said.contains("of-the"), "{filter}: {said}");
    }
    for endless in [
        "def f: f; f",
        "[range(1e15)]",
        "reduce range(60) as $i (\"a\"; . + .)",
        "reduce range(60) as $i ([]; [., .]) | tojson",
        "\"a\" * 100000000000",
        "[limit(1e15; repeat(1))]",
    ] {
        let (is_well, said) = answered(endless, own);
        assert!(!is_well || said.starts_with(r#"{"failed""#), "{endless}: {said}");
    }
}

const SESSION: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
"#;

/// What a server says that is started alone, by this line, to these messages.
fn spoken(world: &World, line: &[&str], call: &serde_json::Value) -> String {
    let mut process =
        world.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{SESSION}{call}").unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        said.push_str(&lines.next().expect("three answers").unwrap());
        said.push('\n');
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()));
    let seccomp = status.iter().flat_map(|status| status.lines());
    said.extend(seccomp.filter(|line| line.starts_with("Seccomp:")));
    drop(input);
    assert!(process.wait().unwrap().success(), "{said}");
    said
}

fn call_of(tool: &str, arguments: &serde_json::Value) -> serde_json::Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params })
}

/// Each as it is, by itself off the network, and behind walls that let it reach none.
///
/// Shows: S2-4, S2-15.
#[test]
fn each_is_served_alone_and_needs_no_network() {
    let world = World::new();
    world.write("project/notes.md", "# Notes\nThe word is marmot.\n");
    let program = assert_cmd::cargo::cargo_bin!("toolgate").display().to_string();
    let has_walls = world.run(&["sandbox", "run", "--", "true"]).code == 0;
    for (name, tool, arguments, answer) in [
        ("repo", "read_file", json!({ "path": "notes.md" }), "marmot"),
        ("docs", "search_docs", json!({ "query": "marmots" }), "marmot"),
        ("workflow", "note_add", json!({ "text": "x" }), "Kept as note"),
    ] {
        let said = spoken(&world, &["server", name], &call_of(tool, &arguments));
        assert!(said.contains(answer) && said.contains(tool), "{name}: {said}");
        // By a filter of its own; what that refuses is shown where it is made.
        if cfg!(target_os = "linux") {
            assert!(said.ends_with("Seccomp:\t2"), "{name}: {said}");
        }
        // What is kept is in a place that no confined process sees.
        if has_walls && name != "workflow" {
            let line = ["sandbox", "run", "--", &program, "server", name];
            let said = spoken(&world, &line, &call_of(tool, &arguments));
            assert!(said.contains(answer), "{name}: {said}");
        }
    }
    world.run(&["server", "other"]).fails_with(2);
}

/// Shows: S2-4.
#[test]
fn each_is_served_alone_on_an_address_too() {
    let world = World::new();
    world.server("mine", "command = \"x\"\nenabled = false");
    world.write("project/notes.md", "# Notes\nThe word is marmot.\n");
    for (name, tool, arguments, answer) in [
        ("repo", "read_file", json!({ "path": "notes.md" }), "marmot"),
        ("docs", "search_docs", json!({ "query": "marmots" }), "marmot"),
        ("workflow", "note_add", json!({ "text": "x" }), "Kept as note"),
    ] {
        let gate = Gate::start(&world, &["server", name, "--http", "127.0.0.1:0"]);
        assert!(gate.tools("/mcp").contains(&tool.to_owned()), "under its own name");
        let said = gate.call("/mcp", tool, &arguments).to_string();
        assert!(said.contains(answer), "{name}: {said}");
        assert_eq!(gate.status("/mcp", None), 401, "whoever has no token gets nothing");
        let ended = gate.end();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let recorded = world.run(&["audit", "--json"]).ok().stdout;
    assert!(recorded.contains("read_file") && recorded.contains("note_add"), "{recorded}");
    // It takes no daemon's place and makes none.
    assert!(world.run(&["status"]).fails_with(4).stderr.contains("no daemon runs"));
}

/// Shows: S2-4.
#[test]
fn docs_has_the_folders_that_its_entry_names() {
    let world = World::new();
    world.write("home/notes/birds.md", "# Birds\nThe word is toucan.\n");
    world.write("home/secret/plan.md", "# Plan\nThe word is canary.\n");
    world.server("docs", "transport = \"builtin\"\nreadable = [\"~/notes\", \"built\"]");
    world.write("project/.gitignore", "built\n");
    world.write("project/built/page.md", "# Built\nThe word is heron.\n");
    let search = |words: &str| {
        let query = format!("query={words}");
        world.run(&["call", "docs", "search_docs", &query]).ok().stdout
    };
    assert!(search("toucans").contains("~/notes/birds.md:2"), "{}", search("toucans"));
    assert!(search("heron").contains("built/page.md:2"), "{}", search("heron"));
    let read = world.run(&["call", "docs", "read_doc", "page=~/notes/birds.md"]).ok().stdout;
    assert!(read.contains("toucan"), "{read}");
    assert!(!search("canary").contains("plan.md"));
    let out = world.run(&["call", "docs", "read_doc", "page=~/notes/../secret/plan.md"]);
    assert!(!out.stdout.contains("canary"), "{out:?}");
    // A repository names nothing of its person's.
    let theirs = "[servers.docs]\ntransport = \"builtin\"\nreadable = [\"~/secret\"]\n";
    world.write("project/toolgate.toml", theirs);
    let checked = world.run(&["config", "check"]);
    assert!(checked.stdout.contains("docs-folder"), "{checked:?}");
    assert!(!search("canary").contains("plan.md"));
}
