//! Connections that share a thread: a long message of one of them is no matter of the others.
//!
//! The host tells of a call in the thread that carries it out. Held up there until another call has ended, that
//! is a message which takes very long to read; where the other call had to wait for it, neither would end.

use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::LONG_MESSAGE;

use crate::client::Client;
use crate::events::HeldThread;
use crate::gate::{Gate, list, tools, within};

async fn says(client: &Client, tool: &str, arguments: Value) -> usize {
    let answer = within(client.call(tool, arguments)).await;
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default().len()
}

fn long_text() -> String {
    "x".repeat(LONG_MESSAGE)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_long_request_is_read_where_nobody_else_waits() {
    let script = tools(&["early", "late", "take"]);
    let gate = Gate::with("one", script).on_one_thread().run().await;
    let (one, other) = (gate.client().initialize().await, gate.client().initialize().await);
    // Both are known, and the server is up.
    assert_eq!(says(&other, "one__early", json!({})).await, "early".len());
    let (by, until) = (["CallBegan", "take"], ["CallEnded", "late"]);
    gate.events.hold_thread(HeldThread { by, until });
    let taking =
        tokio::spawn(async move { says(&one, "one__take", json!({ "text": long_text() })).await });
    gate.events.heard(&by, 1).await;
    assert_eq!(says(&other, "one__late", json!({})).await, "late".len());
    assert_eq!(within(taking).await.unwrap(), "take".len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_long_answer_is_read_where_nobody_else_waits_whatever_way_it_came() {
    let names = ["early", "give", "late-near", "late-far"];
    let script = || {
        let script = Script::legacy().on("tools/list", [Act::answer(list(&names))]);
        let script = script.on_call("give", [Act::say(&long_text())]);
        ["early", "late-near", "late-far"]
            .iter()
            .fold(script, |script, name| script.on_call(name, [Act::say(name)]))
    };
    let site = script().over_http(WebManners::default()).await;
    let gate = Gate::with("near", script()).remote("far", &site.url("/mcp"));
    let gate = gate.on_one_thread().run().await;
    for (server, late) in [("near", "late-near"), ("far", "late-far")] {
        let (one, other) = (gate.client().initialize().await, gate.client().initialize().await);
        assert_eq!(says(&other, &format!("{server}__early"), json!({})).await, "early".len());
        let (given, by) = (gate.events.count("give"), ["CallEnded", "give"]);
        gate.events.hold_thread(HeldThread { by, until: ["CallEnded", late] });
        let give = format!("{server}__give");
        let giving = tokio::spawn(async move { says(&one, &give, json!({})).await });
        gate.events.heard(&["give"], given + 2).await;
        assert_eq!(says(&other, &format!("{server}__{late}"), json!({})).await, late.len());
        assert_eq!(within(giving).await.unwrap(), LONG_MESSAGE);
    }
}
