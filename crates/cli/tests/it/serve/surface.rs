//! `enable_mcp_server_surface`: open, everything that is configured; closed, what was there before.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::gate::Gate;
use crate::support::World;

const VARIABLE: &str = "TOOLGATE_ENABLE_MCP_SERVER_SURFACE";
const WARNING: &str = "`enable_mcp_server_surface` is off here";

/// The two tools as Codex has them, as far as it matters.
pub(crate) fn codex() -> Script {
    let schema = r#"{"type":"object","properties":{"prompt":{"type":"string"},"approval-policy":{"enum":["on-request","never"]},"config":{"type":"object","additionalProperties":true}},"required":["prompt"]}"#;
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","title":"Codex","description":"Runs.","inputSchema":{schema},"x-own":1.0}}"#
        )
    };
    let tools = format!(r#"{{"tools":[{},{}]}}"#, tool("codex"), tool("codex-reply"));
    let result = r#"{"content":[],"structuredContent":{"threadId":"t","content":${arguments}}}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("codex", [Act::answer(result)])
        .on_call("codex-reply", [Act::refuse(-32001, "no such thread")])
}

/// With Codex as the only server, and more in the person's own file.
fn with_codex(more: &str) -> World {
    let world = World::new();
    // What is listed first is everything, however busy the machine is.
    world.write(World::GLOBAL, &format!("{more}\n[limits]\nlist_wait_ms = 30000\n"));
    world.local("codex", &codex());
    world
}

fn listed(gate: &Gate) -> Value {
    gate.ask("/mcp", "tools/list", json!({}))["result"]["tools"].take()
}

/// Shows: S3-57, S3-59, S3-60, S3-61.
#[test]
fn both_tools_of_codex_have_their_names_and_definitions_on_either_side_of_the_switch() {
    let open = with_codex("[gateway]\nnaming = \"bare\"\n");
    let opened = Gate::on_free_port(&open);
    // A name that was chosen, a client's or the gateway's, is no matter there.
    let by_file = with_codex("[gateway]\nenable_mcp_server_surface = false\nnaming = \"dotted\"\n");
    let closed = Gate::on_free_port(&by_file);
    let by_variable = with_codex("").with(VARIABLE, "off");
    let closed_too = Gate::on_free_port(&by_variable);
    assert_eq!(opened.tools("/mcp"), ["codex", "codex-reply"]);
    let tools = listed(&opened);
    assert_eq!(tools[0]["description"], "Runs.");
    assert_eq!(tools[1]["x-own"].to_string(), "1.0");
    assert_eq!(listed(&closed), tools);
    assert_eq!(listed(&closed_too), tools);
    assert!(open.run(&["config", "schema"]).ok().stdout.contains("enable_mcp_server_surface"));
    assert_eq!(opened.end().stderr, "");
    assert!(closed.end().stderr.contains(WARNING));
}

/// Shows: S3-61, S3-62.
#[test]
fn what_is_asked_of_codex_and_what_it_answers_passes_whole_on_either_side_of_the_switch() {
    let arguments = json!({"prompt": "go", "approval-policy": "never", "config": {"a": [1, null]}});
    for switch in ["on", "off"] {
        let world = with_codex("[gateway]\nnaming = \"bare\"\n").with(VARIABLE, switch);
        let gate = Gate::on_free_port(&world);
        let answer = gate.call("/mcp", "codex", &arguments);
        let content = &answer["result"]["structuredContent"];
        assert_eq!(*content, json!({"threadId": "t", "content": arguments}), "{answer}");
        let refused = gate.call("/mcp", "codex-reply", &json!({"prompt": "go"}));
        assert_eq!(refused["error"]["code"], -32001, "{refused}");
        let wrong = gate.call("/mcp", "codex", &json!({"prompt": "go", "approval-policy": "x"}));
        assert!(wrong["result"]["structuredContent"].is_null(), "{wrong}");
    }
}

/// Shows: S3-57, S3-59, S4-45, C21.
#[test]
fn closed_there_is_nothing_that_toolgate_brings_itself() {
    // A bare file of command tools closes it, and says of no server.
    let world = World::new();
    world.write("project/.toolgate/config.toml", "[mcp.lint]\ncommand = \"true\"\n");
    let gate = Gate::on_free_port(&world);
    assert_eq!(gate.tools("/mcp"), Vec::<String>::new());
    assert!(gate.end().stderr.contains(WARNING));
    // Nothing configured at all is open, unless somebody closes it.
    let nothing = World::new();
    let suite = Gate::on_free_port(&nothing).tools("/mcp");
    for server in ["repo__", "docs__", "workflow__"] {
        assert!(suite.iter().any(|tool| tool.starts_with(server)), "{server}: {suite:?}");
    }
    let nothing = nothing.with(VARIABLE, "off");
    assert_eq!(Gate::on_free_port(&nothing).tools("/mcp"), Vec::<String>::new());
    let own = with_codex("[servers.repo]\ntransport = \"builtin\"\n");
    let tools = Gate::on_free_port(&own).tools("/mcp");
    assert!(tools.contains(&"repo__read_file".to_owned()), "{tools:?}");
    assert!(tools.contains(&"codex__codex".to_owned()), "{tools:?}");
    let own = own.with(VARIABLE, "off");
    assert_eq!(Gate::on_free_port(&own).tools("/mcp"), ["codex", "codex-reply"]);
}
