//! What agents are told of command tools before they call one.

use serde_json::{Value, json};
use toolgate_host::Audience;

use super::Bench;

async fn listed(bench: &Bench, name: &str) -> Value {
    bench.gate.names().await;
    let view = bench.gate.host.view(&Audience::MODEL);
    let mut tools = view.tools();
    let tool = tools.find(|tool| tool.origin().is_some_and(|origin| origin.name == name)).unwrap();
    serde_json::from_str(tool.definition().unwrap().raw.get()).unwrap()
}

/// Shows: S3-1, S3-2, S3-3, S3-4, S3-5.
#[tokio::test]
async fn a_tool_is_listed_with_its_schemas_as_written_and_what_its_entry_says() {
    let own = r#"
        [tools.run_tests]
        display_name = "Run tests"
        description = "Run the test suite"
        command = "cargo"
        args = ["nextest", "run", "{{filter}}"]
        side_effects = ["fs_read"]
        requires_approval = false
        timeout_ms = 60000
        streaming = true
        env_overrides = ["RUST_LOG"]
        input_schema = { properties = { filter = { type = "string", x-odd = 1.50 } }, type = "object" }

        [tools.bare]
        command = "true"
    "#;
    let bench = Bench::open(own);
    let tool = listed(&bench, "run_tests").await;
    assert_eq!((&tool["name"], &tool["title"]), (&json!("run_tests"), &json!("Run tests")));
    assert_eq!(tool["description"], "Run the test suite");
    assert_eq!(
        tool["inputSchema"].to_string(),
        r#"{"properties":{"filter":{"type":"string","x-odd":1.5}},"type":"object"}"#
    );
    assert_eq!(
        tool["_meta"]["toolgate/command"],
        json!({
            "display_name": "Run tests", "requires_approval": false, "sandbox_profile": "default",
            "sandboxed": true, "allow_network": false, "default_timeout_ms": 60000,
            "allows_streaming": true, "side_effects": ["fs_read"], "cwd_override": false,
            "env_overrides": ["RUST_LOG"],
        })
    );
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    let bare = listed(&bench, "bare").await;
    assert_eq!(bare["inputSchema"], json!({ "type": "object" }));
    assert_eq!(bare.get("annotations"), None, "what is not declared may be anything");
    let said = &bare["_meta"]["toolgate/command"];
    assert_eq!((&said["requires_approval"], &said["side_effects"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn what_is_disabled_denied_or_not_accepted_is_not_there() {
    let own = "[tools.on]\ncommand = \"true\"\n[tools.off]\ncommand = \"true\"\nenabled = false\n\
               [tools.denied]\ncommand = \"true\"\n[policy]\ndeny_tools = [\"local:denied\"]\n";
    let bench = Bench::guarded(own);
    assert_eq!(bench.gate.names().await, ["on"]);
    // What a project brings waits for a person.
    std::fs::write(bench.work().join("toolgate.toml"), "[tools.theirs]\ncommand = \"true\"\n")
        .unwrap();
    bench.reload(own, &[]).await;
    assert_eq!(bench.gate.names().await, ["on"]);
    let error = bench.call("theirs", "{}").await.unwrap_err();
    assert_eq!(error.code, toolgate_types::Code::NotFound);
}
