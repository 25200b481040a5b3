//! `explain`: how a tool is shown and what would be decided, with the rule that says so.

use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

fn offering() -> Script {
    let read = r#"{"name":"read","annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;
    let tools = format!(r#"{{"tools":[{read},{{"name":"write"}},{{"name":"drop"}}]}}"#);
    Script::legacy().on("tools/list", [Act::answer(tools)])
}

const ROLES: &str = r#"
[bundles.reading]
server = "s"
mode = "direct"
allow_tools = ["read"]
[bundles.behind]
server = "s"
mode = "meta"
allow_tools = ["write"]
[bundles.broken]
server = "stranger"
mode = "direct"
[roles.reader]
bundles = ["reading"]
[roles.writer]
bundles = ["behind"]
[roles.lost]
bundles = ["broken"]
"#;

fn world() -> World {
    let world = World::new();
    world.write(World::GLOBAL, ROLES);
    world.local_with("s", &offering(), "approval = \"auto\"\ndisabled_tools = [\"drop\"]");
    let stranger = "command = \"touch\"\nargs = [\"started\"]\ntrust = \"untrusted\"";
    world.server("stranger", stranger);
    world
}

#[test]
fn it_says_how_a_tool_is_shown_and_what_would_be_decided() {
    let world = world();
    let explain = |tool: &str| world.run(&["explain", "s", tool]).ok().stdout;
    insta::assert_snapshot!(explain("read"), @r#"
    tool      s/read
    shown     listed itself
    decision  allow: `approval = "auto"`, and the server says that the tool only reads
    "#);
    insta::assert_snapshot!(explain("write"), @r#"
    tool      s/write
    shown     listed itself
    decision  ask: `approval = "auto"`, and the server says that the tool does nothing in particular: it is not annotated
    "#);
    insta::assert_snapshot!(explain("drop"), @"
    tool      s/drop
    shown     hidden: denied by `drop` in the deny list of server `s` (<world>/home/.config/toolgate/config.toml:24)
    decision  deny: denied by `drop` in the deny list of server `s` (<world>/home/.config/toolgate/config.toml:24)
    ");
    let ran = world.run(&["mcp", "explain", "s", "absent"]).ok();
    assert!(ran.stderr.contains("the server has no such tool"), "{ran:?}");
    assert!(!world.exists("project/started"), "no other server is started");
}

#[test]
fn for_a_role_it_is_as_its_bundles_say() {
    let world = world();
    let shown = |role: &str, tool: &str| {
        let json = world.run(&["explain", "s", tool, "--role", role, "--json"]).ok().json();
        format!("{} {}", json["exposure"].as_str().unwrap(), json["decision"].as_str().unwrap())
    };
    assert_eq!(shown("reader", "read"), "direct allow");
    assert_eq!(shown("reader", "write"), "hidden deny");
    assert_eq!(shown("writer", "write"), "meta ask");
    let json = world.run(&["explain", "s", "write", "--role", "reader", "--json"]).ok();
    insta::assert_snapshot!(json.stdout, @r#"
    {
      "schemaVersion": 1,
      "server": "s",
      "tool": "write",
      "role": "reader",
      "isKnown": true,
      "exposure": "hidden",
      "hiddenBecause": "not in the allow list of bundle `reading` (<world>/home/.config/toolgate/config.toml:5)",
      "decision": "deny",
      "reason": "not in the allow list of bundle `reading` (<world>/home/.config/toolgate/config.toml:5)"
    }
    "#);
    let ran = world.run(&["explain", "s", "read", "--role", "nobody"]).fails_with(1);
    assert!(ran.stderr.contains("no such role is configured: nobody"), "{ran:?}");
    let ran = world.run(&["explain", "s", "read", "--role", "lost"]).fails_with(1);
    assert!(ran.stderr.contains("bundle 'broken' is direct"), "{ran:?}");
    assert!(!world.exists("project/started"));
}

#[test]
fn nothing_is_called_and_nothing_recorded() {
    let (_runtime, site) = served(offering());
    let world = World::new();
    world.server("s", &format!("approval = \"approve\"\nurl = {:?}", site.url("/mcp")));
    world.run(&["explain", "s", "write", "--args", r#"{"a":1}"#]).ok();
    assert!(!site.visits().iter().any(|visit| visit.posts("tools/call")));
    assert_eq!(world.run(&["audit"]).ok().stdout, "no such call was recorded\n");
}

#[test]
fn what_cannot_be_explained_has_its_exit_code() {
    let world = world();
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"exit 3\"]\napproval = \"auto\"");
    world.write("project/toolgate.toml", "[servers.new]\ncommand = \"x\"\n[roles.mine]\n");
    let ran = world.run(&["explain", "nope", "read"]).fails_with(1);
    assert!(ran.stderr.contains("MCP server not found: nope"), "{ran:?}");
    world.run(&["explain", "new", "read"]).fails_with(8);
    let ran = world.run(&["explain", "s", "read", "--role", "mine"]).fails_with(8);
    assert!(ran.stderr.contains("role mine is pending"), "{ran:?}");
    world.run(&["explain", "s", "read", "--args", "[]"]).fails_with(2);
    // Without the server's word the rules still say what they say.
    let ran = world.run(&["explain", "gone", "read"]).ok();
    assert!(ran.stdout.contains("decision  ask: "), "{ran:?}");
    assert!(ran.stderr.contains("the server gave no list"), "{ran:?}");
}

#[test]
fn it_names_the_rule_about_calls_that_counts() {
    let world = World::new();
    let rules = "[[policy.rules]]\ntool = \"s:write\"\nwhen = { path = \"/tmp/*\" }\nthen = \"allow\"\n\
                 [[policy.rules]]\ntool = \"write\"\nwhen = { path = \"*secret*\" }\nthen = \"deny\"\n";
    world.write(World::GLOBAL, rules);
    world.local_with("s", &offering(), "");
    let explain = |path: &str| {
        let arguments = format!(r#"{{"path":"{path}"}}"#);
        let ran = world.run(&["explain", "s", "write", "--args", &arguments]).ok();
        ran.stdout.lines().last().unwrap().to_owned()
    };
    for (path, counts) in [
        (
            "/tmp/a",
            "decision  allow: a rule of the policy: allow `s:write` when path = \"/tmp/*\" (",
        ),
        (
            "/tmp/SECRET",
            "decision  deny: a rule of the policy: deny `write` when path = \"*secret*\" (",
        ),
        ("/tmp/../etc", "decision  ask: nothing is configured"),
    ] {
        let line = explain(path);
        assert!(line.starts_with(counts), "{line}");
    }
}
