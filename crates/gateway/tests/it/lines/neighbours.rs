//! Windows that are slow, silent or many cost the others nothing, and hear nothing of them.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Window;
use crate::gate::{Gate, list};

/// CVE-2026-25536: answers found by the client's own id went to whoever asked first.
#[tokio::test]
async fn cross_client_leak_windows_that_all_start_at_0_each_get_their_own() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["echo"]))]).on_call(
        "echo",
        [Act::progress(1), Act::answer(r#"{"content":[],"structuredContent":${arguments}}"#)],
    );
    let gate = Gate::with("one", script).run().await;
    let mut all = tokio::task::JoinSet::new();
    for number in 0..50 {
        let mut window = Window::of(&gate);
        all.spawn(async move {
            window.initialize("2025-11-25", json!({})).await;
            for id in 0..4 {
                window.calling(id, "one__echo", json!({"tag": format!("{number}-{id}")})).await;
            }
            for id in 0..4 {
                let answer = window.answer(id).await;
                let tag = &answer["result"]["structuredContent"]["tag"];
                assert_eq!(tag, &json!(format!("{number}-{id}")), "{answer}");
            }
            let reports = window.unread();
            assert_eq!(reports.len(), 4, "one for each call: {reports:?}");
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}

/// More than lies unread anywhere, of what is dropped and of what is not.
#[tokio::test]
async fn a_window_that_never_reads_holds_up_neither_its_server_nor_another() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["echo", "flood", "huge"]))])
        .on_call("echo", [Act::say("echo")])
        .on_call("flood", [Act::Flood(20_000), Act::say("done")])
        .on_call("huge", [Act::Huge(40_000)]);
    let gate = Gate::with("one", script).run().await;
    let mut deaf = Window::open(&gate).await;
    let mut other = Window::open(&gate).await;
    deaf.calling(1, "one__flood", json!({})).await;
    gate.events.heard(&["CallEnded", "flood"], 1).await;
    for id in 0..200 {
        deaf.calling(id, "one__huge", json!({})).await;
    }
    gate.events.heard(&["CallEnded", "huge"], 200).await;
    let answer = other.call(1, "one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo", "{answer}");
    // Every answer waited for it to read.
    for id in 0..200 {
        assert!(deaf.answer(id).await["result"].is_object());
    }
}

/// What is not read is not kept without end: who has so much under way is refused more.
#[tokio::test]
async fn a_window_has_so_many_requests_under_way_and_no_more() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait", "echo"]))])
        .on_call("wait", [Act::hold("never")])
        .on_call("echo", [Act::say("echo")]);
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::open(&gate).await;
    for id in 0..256 {
        window.calling(id, "one__wait", json!({})).await;
    }
    let refused = window.call("more", "one__echo", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let mut other = Window::open(&gate).await;
    assert!(other.call(1, "one__echo", json!({})).await["result"].is_object());
    window.cancel(3).await;
    gate.events.heard(&["CallEnded", "wait", "Failed(Cancelled)"], 1).await;
    while window.call("more", "one__echo", json!({})).await["result"].is_null() {}
}

/// What may be missed leaves room for what may not.
#[tokio::test]
async fn news_find_room_where_reports_fill_the_queue() {
    let changed = Act::notify("notifications/tools/list_changed", "{}");
    let script = Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::answer(list(&["flood"]))])
        .on_call("flood", [Act::Flood(20_000), changed, Act::say("done")]);
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::open(&gate).await;
    window.ask(0, "tools/list", json!({})).await;
    window.calling(1, "one__flood", json!({})).await;
    gate.events.heard(&["CallEnded", "flood"], 1).await;
    window.answer(1).await;
    let told = window.unread();
    assert!(told.len() < 20_000, "nothing was missed, so nothing is shown");
    let is_it = |message: &&Value| message["method"] == "notifications/tools/list_changed";
    assert_eq!(told.iter().filter(is_it).count(), 1);
}
