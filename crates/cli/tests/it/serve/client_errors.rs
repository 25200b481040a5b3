//! What an agent reads when something of ours goes wrong: short, without a path, and with a word by which the
//! person finds the rest.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::gate::Gate;
use crate::support::World;

const LOG: &str = "home/.local/state/toolgate/logs/toolgate.log";

const LIST: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;

/// What an answer says went wrong, and its reference.
fn told(answer: &Value) -> (String, String) {
    let (result, error) = (&answer["result"], &answer["error"]);
    let text = result["content"][0]["text"].as_str().or(error["message"].as_str());
    let reference = result["_meta"]["toolgate/correlationId"].as_str();
    let reference = reference.or(error["data"]["correlationId"].as_str());
    (text.unwrap_or_default().to_owned(), reference.unwrap_or_default().to_owned())
}

/// Programs, folders and files that are not there, a server that dies in a trace, and one that breaks off.
///
/// Shows: S3-53.
#[test]
fn errors_are_short_without_paths_or_traces_and_the_rest_is_in_the_log() {
    let world = World::new();
    let trace = "Traceback (most recent call last):\n  File \"/srv/secret/app.py\", line 3";
    let dying = Script::legacy()
        .on("tools/list", [Act::answer(LIST)])
        .on_call("t", [Act::Complain(trace.to_owned()), Act::Exit(3)]);
    world.local("dying", &dying);
    world.server("gone", "command = \"/srv/secret/program\"\napproval = \"approve\"");
    world.server("lost", "command = \"true\"\ncwd = \"/srv/secret\"\napproval = \"approve\"");
    let own = world.read(World::GLOBAL);
    let tools = "[tools.absent]\ncommand = \"/srv/secret/tool\"\nside_effects = []\n\
                 requires_approval = false\nsandbox_profile = \"none\"\n";
    world.write(World::GLOBAL, &format!("{own}{tools}"));
    let gate = Gate::on_free_port(&world);
    let listed = gate.tools("/mcp");
    let absent = listed.iter().find(|name| name.contains("absent")).unwrap();
    for (name, detail) in [
        ("dying__t", "/srv/secret/app.py"),
        (absent.as_str(), "/srv/secret/tool"),
        ("gone__t", "gone__t"),
        ("lost__t", "lost__t"),
    ] {
        let answer = gate.call("/mcp", name, &json!({}));
        let (text, reference) = told(&answer);
        assert!(!text.is_empty() && text.len() < 300, "{name}: {answer}");
        for never in ["/srv", "secret", "Traceback", "app.py", ".rs:", "home/", "project/"] {
            assert!(!answer.to_string().contains(never), "{name}: {never}: {answer}");
        }
        let log = world.read(LOG);
        assert!(log.contains(&format!("\"call\":\"{reference}\"")), "{name}: {reference}: {log}");
        // How it ended is written soon after the answer.
        let show = || world.run(&["audit", "show", &reference]).stdout;
        let shown = (0..200).map(|_| show()).find(|shown| shown.contains("· end ·"));
        let shown = shown.expect("how it ended");
        assert!(shown.contains(detail), "{name}: {detail}: {shown}");
    }
}

/// It may be what the model has to know, and only the server knows whether it is.
///
/// Shows: C32.
#[test]
fn what_a_server_says_of_its_own_error_is_passed_on() {
    let world = World::new();
    let words = "no such file: /srv/data/table.csv";
    let failed = format!(r#"{{"isError":true,"content":[{{"type":"text","text":"{words}"}}]}}"#);
    let script =
        Script::legacy().on("tools/list", [Act::answer(LIST)]).on_call("t", [Act::answer(&failed)]);
    world.local("one", &script);
    let gate = Gate::on_free_port(&world);
    gate.tools("/mcp");
    let answer = gate.call("/mcp", "one__t", &json!({}));
    assert_eq!(answer["result"]["content"][0]["text"], words, "{answer}");
}
