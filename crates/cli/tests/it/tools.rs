//! `tools`: what the servers have now, under the names that agents see; what is missing is said.

mod shaped;

use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

fn offering(tools: &str) -> Script {
    Script::legacy().on("tools/list", [Act::answer(format!(r#"{{"tools":[{tools}]}}"#))])
}

const READ: &str = r#"{"name":"read.file","description":"\n  Reads a file. \nAnd more.","inputSchema":{"type":"object"},"x-odd":1.50}"#;

#[test]
fn the_tools_of_every_server_are_listed_under_their_public_names() {
    let (_runtime, site) = served(offering(r#"{"name":"search"}"#));
    let world = World::new();
    world.local("files", &offering(READ));
    world.server("web", &format!("url = {:?}", site.url("/mcp")));
    let ran = world.run(&["tools"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    name              server  tool       description
    files__read_file  files   read.file  Reads a file.
    web__search       web     search
    ");
    assert_eq!(ran.stderr, "");
    let ran = world.run(&["mcp", "tools", "--server", "web"]).ok();
    assert!(ran.stdout.contains("search") && !ran.stdout.contains("read"), "{ran:?}");
}

#[test]
fn a_tool_is_found_by_what_is_wanted() {
    let (_runtime, site) = served(offering(r#"{"name":"search"}"#));
    let world = World::new();
    world.local("files", &offering(READ));
    world.server("web", &format!("url = {:?}", site.url("/mcp")));
    let ran = world.run(&["tools", "search", "reading", "some", "files"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    server  tool       description
    files   read.file  Reads a file.
    ");
    let ran = world.run(&["tools", "search", "find", "--json", "--limit", "1"]).ok();
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&found["query"], &found["tools"][0]["tool"]), (&"find".into(), &"search".into()));
    let ran = world.run(&["tools", "search", "zebra"]).ok();
    assert_eq!(ran.stdout, "no tool fits\n");
    // Any list of definitions, whether or not a server is there.
    let file = world.write(
        "project/list.jsonl",
        r#"{"server":"mail","name":"send_mail","description":"Sends one.","inputSchema":{}}"#,
    );
    let file = file.to_str().unwrap();
    let ran = world.run(&["tools", "search", "--catalog", file, "write an email"]).ok();
    assert!(ran.stdout.contains("mail    send_mail  Sends one."), "{ran:?}");
    world.write("project/list.jsonl", "{}");
    let ran = world.run(&["tools", "search", "--catalog", file, "x"]).fails_with(2);
    assert!(ran.stderr.contains("there is no tool in it"), "{ran:?}");
}

/// What it finds is kept, and shown to every window after it.
#[test]
fn a_server_is_told_the_same_as_where_an_agents_window_starts_it() {
    let initialized = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"0"}}"#;
    let told = r#""capabilities":{"elicitation":{"form":{},"url":{}},"roots":{}}"#;
    let picky = offering(READ)
        .on_when("initialize", told, [Act::answer(initialized)])
        .on("initialize", [Act::refuse(-32602, "this is not all that a window can do")]);
    let world = World::new();
    world.local("files", &picky);
    for (verb, says) in [(&["tools"][..], "read.file"), (&["test", "files"], "offers 1 tool")] {
        let ran = world.run(verb).ok();
        assert!(ran.stdout.contains(says), "{ran:?}");
    }
}

#[test]
fn the_names_are_those_that_the_gateway_gives() {
    let world = World::new();
    world.local("files", &offering(READ));
    let before = world.read(World::GLOBAL);
    world.write(World::GLOBAL, &format!("[gateway]\nnaming = \"bare\"\n{before}"));
    let ran = world.run(&["tools"]).ok();
    assert!(ran.stdout.contains("\nread.file  files"), "{ran:?}");
}

#[test]
fn as_json_each_tool_has_its_definition_as_the_server_sent_it() {
    let world = World::new();
    world.local("files", &offering(READ));
    world.server("gone", "command = \"no-such-command-anywhere\"");
    let ran = world.run(&["tools", "--json"]).ok();
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "schemaVersion": 1,
      "tools": [
        {
          "name": "files__read_file",
          "server": "files",
          "tool": "read.file",
          "description": "\n  Reads a file. \nAnd more.",
          "definition": {"name":"read.file","description":"\n  Reads a file. \nAnd more.","inputSchema":{"type":"object"},"x-odd":1.50}
        }
      ],
      "servers": [
        {
          "id": "gone",
          "state": "error",
          "error": "command `no-such-command-anywhere` was not found: searched `/usr/local/bin`, `/usr/bin`, `/bin`"
        }
      ]
    }
    "#);
    assert!(ran.stdout.contains(READ), "byte by byte: {ran:?}");
}

#[test]
fn hidden_text_in_a_description_is_seen() {
    let world = World::new();
    let tool = r#"{"name":"a\u202eb","description":"red \u001b[31mtext\u200b of a long description that goes on and on until nobody reads it any more"}"#;
    world.local("evil", &offering(tool));
    let ran = world.run(&["tools"]).ok();
    insta::assert_snapshot!(ran.stdout, @r"
    name       server  tool        description
    evil__a_b  evil    a\u{202e}b  red \u{1b}[31mtext\u{200b} of a long description that goes on and on until nobody re…
    ");
}

#[test]
fn what_is_missing_is_said_with_the_reason_and_what_to_do() {
    let (_runtime, site) = served(offering(READ));
    site.let_in_only("nobody-has-this");
    let world = World::new();
    world.local("files", &offering(r#"{"name":"a"},{"no":"name"}"#));
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"exit 3\"]");
    world.server("locked", &format!("transport = \"http\"\nurl = {:?}", site.url("/mcp")));
    world.server("off", "command = \"touch\"\nargs = [\"started\"]\nenabled = false");
    world
        .write("project/toolgate.toml", "[servers.new]\ncommand = \"touch\"\nargs = [\"started\"]");
    let ran = world.run(&["tools"]).ok();
    insta::assert_snapshot!(ran.stderr, @"
    warning: a tool was set aside: files: item 1: has no `name`
    warning: new: it is pending: never accepted here; accept it with: toolgate trust
    warning: gone: the server exited with code 3; see `toolgate test gone`
    warning: locked: the server wants a login (HTTP 401): there is no token for it; log in with: toolgate login locked
    ");
    assert!(!world.exists("project/started"));
    let json = world.run(&["tools", "--json"]).ok().json();
    insta::assert_json_snapshot!(json["servers"], @r#"
    [
      {
        "id": "new",
        "state": "pending",
        "error": "never accepted here"
      },
      {
        "id": "gone",
        "state": "error",
        "error": "the server exited with code 3"
      },
      {
        "id": "locked",
        "state": "auth_required",
        "error": "the server wants a login (HTTP 401): there is no token for it"
      },
      {
        "id": "off",
        "state": "disabled"
      }
    ]
    "#);
}

#[test]
fn one_server_that_was_asked_for_and_fails_is_a_failure_with_its_own_code() {
    let (_runtime, site) = served(offering(READ));
    site.let_in_only("nobody-has-this");
    let world = World::new();
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"echo oh no >&2; exit 3\"]");
    world.server("locked", &format!("transport = \"http\"\nurl = {:?}", site.url("/mcp")));
    world.server("off", "command = \"x\"\nenabled = false");
    world
        .write("project/toolgate.toml", "[servers.new]\ncommand = \"touch\"\nargs = [\"started\"]");
    for (server, code, words) in [
        ("gone", 4, "oh no"),
        ("locked", 3, "wants a login"),
        ("new", 8, "pending: never accepted here"),
        ("off", 1, "disabled"),
        ("nope", 1, "MCP server not found: nope"),
    ] {
        for verb in [&["tools"][..], &["resources", "list"], &["prompts", "list"]] {
            let arguments = [verb, &["--server", server]].concat();
            let ran = world.run(&arguments).fails_with(code);
            assert!(ran.stderr.contains(words), "{arguments:?}: {ran:?}");
        }
    }
    assert!(!world.exists("project/started"));
}

#[test]
fn when_nothing_could_be_listed_the_exit_code_says_so() {
    let world = World::new();
    let closed = World::new().with("TOOLGATE_ENABLE_MCP_SERVER_SURFACE", "off");
    assert_eq!(closed.run(&["tools"]).ok().stdout, "no MCP servers configured\n");
    world.server("gone", "command = \"no-such-command-anywhere\"");
    world.run(&["tools"]).fails_with(4);
    let world = World::new();
    world.write("project/toolgate.toml", "[servers.new]\ncommand = \"x\"");
    let ran = world.run(&["tools"]).fails_with(8);
    assert!(ran.stderr.contains("toolgate trust"), "{ran:?}");
}

#[test]
fn a_list_is_live_unless_the_kept_one_is_asked_for() {
    let turns = ["one", "two", "three"]
        .map(|name| Act::answer(format!(r#"{{"tools":[{{"name":"{name}"}}]}}"#)));
    let script = Script::legacy().on("tools/list", [Act::InTurn(turns.to_vec())]);
    let (_runtime, site) = served(script);
    let world = World::new();
    world.server("web", &format!("url = {:?}", site.url("/mcp")));
    let listed = |arguments: &[&str]| {
        let json = world.run(arguments).ok().json();
        json["tools"][0]["tool"].as_str().unwrap().to_owned()
    };
    assert_eq!(listed(&["tools", "--json"]), "one");
    assert_eq!(listed(&["tools", "--json"]), "two");
    let visits = site.visits().len();
    assert_eq!(listed(&["tools", "--json", "--cached"]), "two");
    assert_eq!(site.visits().len(), visits, "nothing is contacted");
    assert_eq!(listed(&["tools", "--json"]), "three");
}

#[test]
fn a_server_that_is_gone_has_no_tools_but_those_that_were_kept() {
    let world = World::new();
    world.local("files", &offering(READ));
    world.run(&["tools"]).ok();
    let gone = Script::legacy().at_start([Act::Exit(3)]);
    world.write("home/files.json", &gone.to_argument());
    let ran = world.run(&["tools"]).fails_with(4);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("files: the server exited with code 3"), "{ran:?}");
    let ran = world.run(&["tools", "--cached"]).ok();
    assert!(ran.stdout.contains("read.file") && ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn state_that_cannot_be_kept_costs_a_warning_and_nothing_else() {
    // Nothing is there to be read, and nothing can be made there, not even by root.
    let world = World::new().with("XDG_STATE_HOME", "/proc/no-such-folder");
    world.local("files", &offering(READ));
    let ran = world.run(&["tools"]).ok();
    assert!(ran.stdout.contains("read.file"), "{ran:?}");
    assert!(ran.stderr.contains("warning: nothing is kept of this run: "), "{ran:?}");
}

#[test]
fn a_broken_entry_is_named_and_the_others_are_listed() {
    let world = World::new();
    world.local("files", &offering(READ));
    world.server("broken", "command = \"x\"\nurl = \"https://a/mcp\"");
    let ran = world.run(&["tools"]).ok();
    assert!(ran.stdout.contains("read.file"), "{ran:?}");
    assert!(ran.stderr.contains("toolgate config check"), "{ran:?}");
    assert!(ran.stderr.contains("broken: "), "{ran:?}");
}

const ROLES: &str = r#"
[bundles.reading]
server = "files"
mode = "direct"
allow_tools = ["read.*"]
[bundles.behind]
server = "web"
mode = "meta"
allow_tools = ["search"]
[roles.reader]
bundles = ["reading"]
[roles.searcher]
bundles = ["behind"]
[roles.idle]
bundles = []
"#;

#[test]
fn a_role_sees_the_tools_of_its_bundles_and_no_other_server_is_started() {
    let (_runtime, site) = served(offering(r#"{"name":"search"},{"name":"post"}"#));
    let world = World::new();
    world.write(World::GLOBAL, ROLES);
    world.local("files", &offering(&format!(r#"{READ},{{"name":"write"}}"#)));
    world.server("web", &format!("url = {:?}", site.url("/mcp")));
    world.server("other", "command = \"touch\"\nargs = [\"started\"]");
    let reader = world.run(&["tools", "--role", "reader"]).ok();
    insta::assert_snapshot!(reader.stdout, @"
    name              server  tool       description
    files__read_file  files   read.file  Reads a file.
    ");
    assert!(site.visits().is_empty(), "{reader:?}");
    let json = world.run(&["tools", "--role", "searcher", "--json"]).ok().json();
    let names = json["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str());
    insta::assert_debug_snapshot!(names.collect::<Vec<_>>(), @r#"
    [
        "mcp_call_tool",
        "mcp_get_tool_schema",
        "mcp_list_tools",
        "mcp_search_tools",
    ]
    "#);
    assert_eq!(json["tools"][0]["server"], serde_json::Value::Null);
    // And what they lead to.
    let behind = &json["tools"][4];
    assert_eq!(
        (&behind["tool"], &behind["reachedThrough"]),
        (&"search".into(), &"mcp_call_tool".into())
    );
    assert_eq!(json["tools"].as_array().unwrap().len(), 5);
    assert_eq!(world.run(&["tools", "--role", "idle"]).ok().stdout, "no tools\n");
    let ran = world.run(&["tools", "--role", "nobody"]).fails_with(1);
    assert!(ran.stderr.contains("no such role is configured: nobody"), "{ran:?}");
    assert!(!world.exists("project/started"));
}

#[test]
fn what_each_list_costs_is_shown_by_server_with_what_the_meta_tools_would_save() {
    let names: Vec<String> = (0..120).map(|number| format!(r#"{{"name":"t{number}"}}"#)).collect();
    let world = World::new();
    let settings = "[gateway.clients.codex]\nexposure = \"direct\"\n\
                    [bundles.some]\nserver = \"files\"\n[roles.reader]\nbundles = [\"some\"]\n";
    world.write(World::GLOBAL, settings);
    world.local("files", &offering(READ));
    world.local("many", &offering(&names.join(",")));
    let ran = world.run(&["tools", "--tokens"]).ok();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("tool list of  exposure"), "{ran:?}");
    assert!(lines[1].starts_with("everybody     auto: meta    4 "), "{ran:?}");
    assert!(lines[2].starts_with("role reader   auto: direct  1 "), "{ran:?}");
    assert!(lines[3].starts_with("client codex  direct        121 "), "{ran:?}");
    assert!(lines[6].starts_with("everybody     many    120 "), "{ran:?}");
    let json = world.run(&["tools", "--tokens", "--json"]).ok().json();
    let everybody = &json["lists"][0];
    assert_eq!((&everybody["exposure"], &everybody["lists"]), (&"auto".into(), &"meta".into()));
    assert_eq!(everybody["direct"]["tools"], 121);
    let figure = |place: &str| everybody.pointer(place).unwrap().as_u64().unwrap();
    let saves = figure("/direct/tokens") - figure("/meta/tokens");
    assert_eq!((figure("/metaSaves"), figure("/listed/tokens")), (saves, figure("/meta/tokens")));
    let servers = everybody["servers"].as_array().unwrap();
    let all: u64 = servers.iter().map(|one| one["tokens"].as_u64().unwrap()).sum();
    assert!(all.abs_diff(figure("/direct/tokens")) <= 2, "{json}");
    world.run(&["tools", "--tokens", "--role", "reader"]).fails_with(2);
}

#[test]
fn a_manifest_has_every_tool_with_who_sees_it_and_how() {
    let (_runtime, site) = served(offering(r#"{"name":"search"},{"name":"post"}"#));
    let world = World::new();
    let lost =
        "[bundles.far]\nserver = \"gone\"\nmode = \"direct\"\n[roles.lost]\nbundles = [\"far\"]\n";
    world.write(World::GLOBAL, &format!("{ROLES}{lost}"));
    let one = "[servers.files.tools.write]\napproval = \"approve\"";
    let keys = format!("approval = \"auto\"\ndisabled_tools = [\"dr*\"]\n{one}");
    let tools = format!(r#"{READ},{{"name":"write"}},{{"name":"dr\u202eop"}}"#);
    world.local_with("files", &offering(&tools), &keys);
    world.server("web", &format!("trust = \"untrusted\"\nurl = {:?}", site.url("/mcp")));
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"exit 3\"]\ntrust = \"untrusted\"");
    let ran = world.run(&["tools", "--manifest"]).ok();
    insta::assert_snapshot!(ran.stdout, @r"
    name              server  tool          trust      approval  exposure  allowed  roles
    files__read_file  files   read.file     trusted    auto      direct    yes      reader
    files__write      files   write         trusted    approve   direct    yes
    -                 files   dr\u{202e}op  trusted    auto      hidden    no
    -                 web     search        untrusted  -         hidden    yes      searcher
    -                 web     post          untrusted  -         hidden    yes
    ");
    insta::assert_snapshot!(ran.stderr, @"
    warning: role lost sees nothing: bundle 'far' is direct, and server 'gone' is untrusted: make the bundle `meta`, or trust the server
    warning: gone: the server exited with code 3; see `toolgate test gone`
    ");
    let json = world.run(&["tools", "--manifest", "--json"]).ok().json();
    insta::assert_json_snapshot!(json["tools"][0], @r#"
    {
      "name": "files__read_file",
      "server": "files",
      "tool": "read.file",
      "trust": "trusted",
      "approval": "auto",
      "exposure": "direct",
      "isAllowedByDefault": true,
      "roles": [
        "reader"
      ]
    }
    "#);
    world.run(&["tools", "--manifest", "--role", "reader"]).fails_with(2);
}
