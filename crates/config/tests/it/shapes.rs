//! The shapes that are read: how each is told, which spellings it has, what its keys mean.

mod codex;
mod json;
mod surface;

use serde_json::json;
use toolgate_config::ConfigShape;
use toolgate_types::config::{HeaderValue, NetworkAccess, RemoteKind, SideEffects, Stderr};
use toolgate_types::{ConfigText, Pattern, Trust};

use crate::support::{Found, World, project_toml};

/// The shape that a project file of this name and text is read in.
fn shape(name: &str, text: &str) -> ConfigShape {
    World::new().file(name, text).path(name).load().sources[0].shape
}

#[test]
fn the_name_of_a_file_decides_before_its_keys_do() {
    assert_eq!(shape("codex-toolloop.mcp.json", "{}"), ConfigShape::ToolLoop);
    assert_eq!(shape(".codex-toolloop/mcp.json", "{}"), ConfigShape::ToolLoop);
    assert_eq!(shape(".codelia/config.json", "{}"), ConfigShape::Codelia);
    assert_eq!(shape(".codex/config.toml", "[mcp.x]\n"), ConfigShape::Codex);
    assert_eq!(shape("toolgate.json", "{}"), ConfigShape::Native);
    assert_eq!(shape(".toolgate/config.toml", ""), ConfigShape::Native);
    let codelia = r#"{"mcp":{"servers":{}}}"#;
    assert_eq!(shape("codex-toolloop.mcp.json", codelia), ConfigShape::ToolLoop);
    assert_eq!(shape("toolgate.json", codelia), ConfigShape::Codelia);
}

#[test]
fn keys_decide_where_the_name_says_nothing() {
    let object =
        r#"{"servers":{"s":{"trust":"trusted","transport":{"type":"stdio","command":"x"}}}}"#;
    let mixed =
        r#"{"servers":{"a":{"transport":{"type":"stdio","command":"x"}},"b":{"command":"x"}}}"#;
    assert_eq!(shape("a.json", object), ConfigShape::ToolLoop);
    assert_eq!(shape("a.json", mixed), ConfigShape::Native);
    assert_eq!(shape("a.json", r#"{"servers":{}}"#), ConfigShape::Native);
    assert_eq!(shape("a.toml", "[mcp_servers.s]\ncommand = \"x\"\n"), ConfigShape::Codex);
    assert_eq!(shape("a.toml", "[mcp.s]\ncommand = \"x\"\n"), ConfigShape::CommandTools);
    assert_eq!(shape("a.toml", "[servers.s]\ncommand = \"x\"\n"), ConfigShape::Native);
}

#[test]
fn a_variable_of_the_older_tools_decides_the_shape_of_what_it_names() {
    let text = r#"{"servers":{"s":{"url":"https://example.com"}}}"#;
    let world = World::new().file("a.json", text).env("CODEX_TOOLLOOP_MCP_CONFIG_PATH", "a.json");
    let loaded = world.load();
    let keys = loaded.errors();
    assert_eq!(
        keys,
        [("missing-transport", "servers.s.transport"), ("missing-trust", "servers.s")]
    );
    let inline = World::new().env("CODEX_TOOLLOOP_MCP_CONFIG_JSON", text).load();
    assert_eq!(inline.errors().len(), 2);
    assert_eq!(World::new().env("TOOLGATE_CONFIG_JSON", text).load_clean().ids(), ["s"]);
    let global =
        World::new().file("g.json", "{}").env("CODELIA_CONFIG_PATH", "g.json").load_clean();
    assert_eq!(global.sources[0].shape, ConfigShape::Codelia);
}

/// Shows: C5, S0-19, S0-20, S0-21, S0-44.
#[test]
fn a_transport_may_be_a_word_or_an_object_and_keys_may_be_camel_case() {
    let world = World::new().file(
        "toolgate.json",
        json!({ "servers": {
            "object": { "transport": { "type": "http", "url": "https://example.com/mcp",
                "headers": { "X-A": "1" }, "authProviderId": "corp" } },
            "word": { "transport": "http", "url": "https://example.com/mcp",
                "headers": { "X-A": "1" }, "auth_provider": "corp", "requestTimeoutMs": 5 },
            "sse": { "transport": { "type": "sse", "url": "https://example.com/sse",
                "headers": { "X-A": "1" }, "authProviderId": "corp" } },
            "stdio": { "transport": { "type": "stdio", "command": "x", "args": ["a"], "cwd": "/c",
                "env": { "K": "v" }, "stderr": "ignore" } },
        }})
        .to_string(),
    );
    let loaded = world.load_clean();
    for (id, kind) in
        [("object", RemoteKind::Http), ("word", RemoteKind::Http), ("sse", RemoteKind::Sse)]
    {
        let remote = loaded.remote(id);
        assert_eq!(
            (remote.kind, remote.auth_provider.as_ref().map(ConfigText::expose)),
            (kind, Some("corp"))
        );
        let (name, value) = remote.headers.first().unwrap();
        assert_eq!(name.as_str(), "X-A");
        assert!(matches!(value, HeaderValue::Given(text) if text.expose() == "1"));
    }
    assert_eq!(loaded.server("word").timeouts.request.get(), 5);
    let stdio = loaded.stdio("stdio");
    assert_eq!((stdio.command.expose(), stdio.args[0].expose()), ("x", "a"));
    assert_eq!((stdio.cwd.as_ref().unwrap().expose(), stdio.stderr), ("/c", Stderr::Ignore));
    assert_eq!(stdio.env[0].expose(), "v");
}

/// Shows: S2-7, S0-43, S1-5, S2-10.
#[test]
fn a_url_alone_is_http_and_a_command_alone_is_a_local_process() {
    let shared = "request_timeout_ms = 7\nenabled_tools = [\"a\"]\ntrust = \"untrusted\"\n";
    let world = project_toml(&format!(
        "[servers.remote]\nurl = \"https://third-party.example.com/mcp\"\n{shared}\
         [servers.process]\ncommand = \"npx\"\n{shared}\
         [servers.neither]\nlabel = \"x\"\n"
    ));
    let loaded = world.load();
    assert_eq!(loaded.ids(), ["remote", "process"]);
    assert_eq!(loaded.remote("remote").kind, RemoteKind::Auto);
    assert_eq!(loaded.server("remote").transport.as_str(), "http");
    assert_eq!(loaded.stdio("process").command.shown(), "npx");
    for id in loaded.ids() {
        let server = loaded.server(id);
        assert_eq!(
            (server.timeouts.request.get(), server.declared_trust),
            (7, Some(Trust::Untrusted))
        );
        assert_eq!(server.tools.allow.as_ref().unwrap()[0].as_str(), "a");
    }
}

/// Shows: S3-46, G1, G2.
#[test]
fn a_file_of_command_tools_may_hold_servers_and_a_policy_too() {
    let world = project_toml(
        "[mcp.run]\ncommand = \"cargo\"\nargs = [\"test\", \"{{filter}} {{more}}\"]\ncwd = \"sub\"\n\
         env = { K = \"v\" }\nsandbox_profile = \"none\"\nallow_network = true\n\
         requires_approval = false\ntimeout_ms = 5\nstreaming = true\ndescription = \"Run\"\n\
         display_name = \"Run it\"\nside_effects = []\ninput_schema = { type = \"object\", properties = { filter = {}, more = {} } }\n\
         [mcp.quiet]\ncommand = \"x\"\n[mcp.web]\nurl = \"https://example.com/mcp\"\n\
         [mcp.files]\nkind = \"server\"\ncommand = \"npx\"\n\
         [mcp.policy]\ndeny_tools = [\"rm\"]\nallowed_cwds = [\".\"]\nallowed_arg_paths = [\"docs\"]\n",
    );
    let loaded = world.load_clean();
    assert_eq!(loaded.ids(), ["web", "files"]);
    let tools: Vec<&str> = loaded.config.tools.keys().map(|id| id.as_str()).collect();
    assert_eq!(tools, ["run", "quiet"]);
    let run = &loaded.config.tools["run"].value;
    let args: Vec<&str> = run.args.iter().map(|arg| arg.expose()).collect();
    assert_eq!(args, ["test", "{{filter}} {{more}}"], "one item stays one item");
    assert_eq!((run.timeout.get(), run.streaming, run.requires_approval), (5, true, false));
    assert_eq!(
        (run.display_name.as_deref(), run.description.as_deref()),
        (Some("Run it"), Some("Run"))
    );
    assert_eq!(
        run.input_schema.as_deref(),
        Some(r#"{"type":"object","properties":{"filter":{},"more":{}}}"#)
    );
    assert_eq!(run.side_effects, SideEffects::Declared(Vec::new()));
    assert_eq!(run.confinement.network, NetworkAccess::Everything);
    let quiet = &loaded.config.tools["quiet"].value;
    assert_eq!(
        (quiet.timeout.get(), quiet.streaming, quiet.requires_approval),
        (120_000, false, true)
    );
    assert_eq!(quiet.side_effects, SideEffects::NotDeclared);
    let policy = &loaded.config.policies[0].value;
    assert_eq!(policy.tools.deny.iter().map(Pattern::as_str).collect::<Vec<_>>(), ["rm"]);
    assert_eq!(policy.allowed_arg_paths.as_deref(), Some(&["docs".to_owned()][..]));
}

/// Shows: C4.
#[test]
fn reserved_names_under_mcp_are_never_tools() {
    for name in ["servers", "bundles", "policy"] {
        let loaded =
            project_toml(&format!("[mcp.{name}]\ncommand = \"x\"\n[mcp.ok]\ncommand = \"x\"\n"))
                .load();
        assert_eq!(loaded.errors()[0], ("reserved-tool-name", format!("mcp.{name}").as_str()));
        assert!(loaded.config.tools.is_empty(), "the layer fails as a whole");
    }
    // A server that happens to be called `command` is no tool.
    let loaded = project_toml("[mcp.servers.command]\ncommand = \"x\"\n").load_clean();
    assert_eq!(loaded.ids(), ["command"]);
}

/// Shows: C27, S1-27.
#[test]
fn one_rule_for_ids_holds_in_every_shape() {
    let server = r#"{"trust":"trusted","transport":{"type":"stdio","command":"x"}}"#;
    let long = "x".repeat(65);
    for id in ["a b", "../etc", "é", "", &long] {
        for (name, text) in [
            ("toolgate.toml", format!("[servers.\"{id}\"]\ncommand = \"x\"\n")),
            ("toolgate.toml", format!("[bundles.\"{id}\"]\nserver = \"repo\"\n")),
            ("toolgate.json", format!("{{\"servers\":{{\"{id}\":{{\"command\":\"x\"}}}}}}")),
            ("codex-toolloop.mcp.json", format!("{{\"servers\":{{\"{id}\":{server}}}}}")),
            (
                "codex-toolloop.mcp.json",
                format!("{{\"bundles\":{{\"{id}\":{{\"serverId\":\"repo\"}}}}}}"),
            ),
            (".codelia/config.json", format!("{{\"mcp\":{{\"servers\":{{\"{id}\":{server}}}}}}}")),
            ("toolgate.toml", format!("[mcp.\"{id}\"]\nurl = \"https://example.com\"\n")),
            ("toolgate.toml", format!("[mcp_servers.\"{id}\"]\ncommand = \"x\"\n")),
        ] {
            let loaded = World::new().file(name, &text).load();
            let rules: Vec<&str> = loaded.errors().into_iter().map(|(rule, _)| rule).collect();
            assert_eq!(rules, ["bad-id"], "{text}");
            assert_eq!(loaded.rejected[0].id, id);
        }
    }
    let good = "Ab9_-".to_owned() + &"x".repeat(59);
    let loaded = project_toml(&format!("[servers.{good}]\ncommand = \"x\"\n")).load_clean();
    assert_eq!(loaded.ids(), [good.as_str()]);
}
