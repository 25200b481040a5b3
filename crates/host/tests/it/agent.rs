//! The example in `examples/agent.rs`, run as a person would.

use std::process::Command;

use toolgate_testkit::{Act, Script};

use crate::gate::{list, peer_path};

/// Shows: S4-46, S1-17, S1-7.
#[test]
fn an_agent_of_one_page_uses_the_tools_of_the_configured_servers() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["add", "fail"]))])
        .on_call("add", [Act::say("${message:/params/arguments/a} and more")])
        .on_call(
            "fail",
            [Act::answer(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#)],
        );
    let (peer, argument) = (peer_path(), serde_json::to_string(&script.to_argument()).unwrap());
    let config = folder.path().join("config.json");
    let text = format!(r#"{{"servers":{{"sums":{{"command":{peer:?},"args":[{argument}]}}}}}}"#);
    std::fs::write(&config, text).unwrap();
    let mut agent = Command::new(peer.with_file_name("agent"));
    agent.current_dir(folder.path()).env_clear().env("TOOLGATE_GLOBAL_CONFIG", &config).args([
        r#"add={"a":2}"#,
        "fail",
        "absent",
        "add=[1]",
    ]);
    let output = agent.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complained = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "I heard: 2 and more | failed: no | there is no tool `absent` | \
         invalid_argument: invalid arguments: the arguments must be an object, not an array\n",
        "{complained}"
    );
}

#[test]
fn the_example_stays_on_one_page() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/agent.rs"));
    assert!(text.unwrap().lines().count() < 80);
}
