//! The older era: one session for each connection, with everything on one stream.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};
use toolgate_types::Acceptances;

use super::Window;
use crate::gate::{Gate, asked_by, id, list, tools, within};

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn a_session_is_opened_and_its_tools_are_listed_and_called() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut window = Window::of(&gate);
    let answer = window.initialize("2025-06-18", json!({})).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
    assert_eq!(answer["result"]["serverInfo"]["name"], "toolgate");
    let listed = window.ask(1, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "one__echo", "{listed}");
    assert_eq!(text(&window.call("two", "one__echo", json!({})).await), "echo");
    let unknown = window.ask(3, "no/such", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
}

#[tokio::test]
async fn nothing_but_a_ping_is_answered_before_the_session_is_open_and_it_is_opened_once() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut window = Window::of(&gate);
    assert_eq!(window.ask(1, "ping", json!({})).await["result"], json!({}));
    for method in ["tools/list", "resources/subscribe", "server/discover"] {
        let refused = window.ask(2, method, json!({"uri": "x:1"})).await;
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("`initialize`"));
    }
    window.initialize("2025-11-25", json!({})).await;
    let again = window.ask(3, "initialize", json!({"protocolVersion": "2024-11-05"})).await;
    assert_eq!(again["error"]["code"], -32600, "{again}");
    assert!(window.ask(4, "tools/list", json!({})).await["result"].is_object());
}

/// A server whose tools wait for a signal of their own name and report before.
fn waiting(names: &[&str]) -> Script {
    let script = Script::legacy().on("tools/list", [Act::answer(list(names))]);
    names.iter().fold(script, |script, name| {
        script.on_call(name, [Act::progress(1), Act::hold(name), Act::say(name)])
    })
}

#[tokio::test]
async fn requests_run_beside_each_other_and_are_answered_as_they_are_done() {
    let gate = Gate::with("one", waiting(&["slow", "fast"])).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(1, "one__slow", json!({})).await;
    window.calling(2, "one__fast", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("fast")).await;
    within(peer.received("slow")).await;
    peer.signal("fast");
    assert_eq!(text(&window.answer(2).await), "fast");
    peer.signal("slow");
    assert_eq!(text(&window.answer(1).await), "slow");
}

#[tokio::test]
async fn what_a_server_says_of_a_call_comes_before_its_answer_and_in_order() {
    let log = |n: u32| {
        let params = format!(r#"{{"level":"info","data":{n}}}"#);
        Act::notify("notifications/message", &params)
    };
    let script = Script::legacy()
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("tools/list", [Act::answer(list(&["work"]))])
        .on_call("work", [Act::progress(1), log(2), Act::progress(3), Act::say("done")]);
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(1, "one__work", json!({})).await;
    let (mut reports, mut logs) = (Vec::new(), Vec::new());
    let answer = loop {
        let message = window.next().await;
        match message["method"].as_str() {
            Some("notifications/progress") => {
                assert_eq!(message["params"]["progressToken"], "t");
                reports.push(message["params"]["progress"].clone());
            }
            Some(_) => logs.push(message["params"]["data"].clone()),
            None => break message,
        }
    };
    assert_eq!((reports, logs), (vec![json!(1), json!(3)], vec![json!(2)]));
    assert_eq!(text(&answer), "done");
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_its_server_and_not_answered() {
    let gate = Gate::with("one", waiting(&["stays", "goes"])).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(1, "one__stays", json!({})).await;
    window.calling(2, "one__goes", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("goes")).await;
    within(peer.received("stays")).await;
    window.cancel("2").await;
    window.cancel(7).await;
    window.cancel(2).await;
    gate.events.heard(&["CallEnded", "goes", "Failed(Cancelled)"], 1).await;
    within(peer.received("notifications/cancelled")).await;
    peer.signal("stays");
    assert_eq!(text(&window.answer(1).await), "stays");
    // As opencode does: it cancels what it has the answer to.
    window.cancel(1).await;
    window.ask(3, "ping", json!({})).await;
    let reports = window.unread();
    assert!(reports.iter().all(|message| message["method"] == "notifications/progress"));
    assert_eq!(gate.peers.received("one", "notifications/cancelled"), 1);
}

/// As over HTTP: the later one counts, and the end of the earlier one takes nothing from it.
#[tokio::test]
async fn of_two_requests_with_one_id_the_later_can_be_cancelled() {
    let gate = Gate::with("one", waiting(&["first", "second"])).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(0, "one__first", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("first")).await;
    window.calling(0, "one__second", json!({})).await;
    within(peer.received("second")).await;
    peer.signal("first");
    assert_eq!(text(&window.answer(0).await), "first");
    window.cancel(0).await;
    gate.events.heard(&["CallEnded", "second", "Failed(Cancelled)"], 1).await;
}

#[tokio::test]
async fn a_question_reaches_the_window_whose_call_it_is_about_and_its_answer_the_server() {
    let form = r#"{"message":"${message:/params/arguments/who}?","requestedSchema":{}}"#;
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [
            Act::ask("elicitation/create", form),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let gate = Gate::with("one", script).run().await;
    let (mut ada, mut bob) = (Window::of(&gate), Window::of(&gate));
    for window in [&mut ada, &mut bob] {
        window.initialize("2025-11-25", json!({"elicitation": {}})).await;
    }
    for (window, name) in [(&mut ada, "ada"), (&mut bob, "bob")] {
        window.calling(1, "one__ask", json!({"who": name})).await;
        let asked = window.next().await;
        assert_eq!(asked["method"], "elicitation/create");
        let message = asked_by("one", &format!("{name}?")).replace("\\n", "\n");
        assert_eq!(asked["params"]["message"], message);
        let given = json!({"action": "accept", "content": {"name": name}});
        // What nobody asked is nothing.
        window.say(json!({"jsonrpc": "2.0", "id": "tg-99", "result": {"action": "no"}})).await;
        window.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": given})).await;
        let answer = window.answer(1).await;
        assert_eq!(answer["result"]["structuredContent"]["result"], given, "{answer}");
    }
}

#[tokio::test]
async fn a_window_that_can_be_asked_nothing_is_asked_nothing() {
    let form = r#"{"message":"who?","requestedSchema":{}}"#;
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [
            Act::ask("elicitation/create", form),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::open(&gate).await;
    let answer = window.call(1, "one__ask", json!({})).await;
    assert_eq!(answer["result"]["structuredContent"]["result"], json!({"action": "cancel"}));
    window.heard_nothing_else().await;
}

/// A server with everything that can be listed, whose tools make it say that something changed.
fn talkative() -> Script {
    let resources = r#"{"resources":[{"uri":"x:1","name":"1"},{"uri":"x:2","name":"2"}]}"#;
    Script::legacy()
        .offering(r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{}}"#)
        .on("tools/list", [Act::answer(list(&["change", "update"]))])
        .on("resources/list", [Act::answer(resources)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("prompts/list", [Act::answer(r#"{"prompts":[]}"#)])
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on_call(
            "change",
            [Act::notify("notifications/tools/list_changed", "{}"), Act::say("done")],
        )
        .on_call(
            "update",
            [
                Act::notify(
                    "notifications/resources/updated",
                    r#"{"uri":"${message:/params/arguments/uri}"}"#,
                ),
                Act::say("done"),
            ],
        )
}

#[tokio::test]
async fn a_changed_list_is_told_to_the_windows_that_were_given_it() {
    let gate = Gate::with("one", talkative()).run().await;
    let (mut lists, mut other) = (Window::open(&gate).await, Window::open(&gate).await);
    lists.ask(1, "tools/list", json!({})).await;
    other.ask(1, "prompts/list", json!({})).await;
    other.call(2, "one__change", json!({})).await;
    let told = lists.next().await;
    assert_eq!(told, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    other.heard_nothing_else().await;
}

#[tokio::test]
async fn after_a_reload_each_list_is_told_once_to_those_who_were_given_it() {
    let gate = Gate::with("one", talkative()).server("two", tools(&["gone"])).run().await;
    let (mut all, mut none) = (Window::open(&gate).await, Window::open(&gate).await);
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        all.ask(method, method, json!({})).await;
    }
    let over_http = gate.client().initialize().await;
    over_http.request(json!(1), "resources/templates/list", json!({})).await.answer().await;
    let mut stream = over_http.get_stream().await;
    none.call(1, "two__gone", json!({})).await;
    let mut config = gate.config.clone();
    config.servers.shift_remove(&id("two"));
    let host = gate.hosts.lock().unwrap()[0].clone();
    host.reload(&config, &Acceptances::default(), None).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(all.next().await["method"].as_str().unwrap().to_owned());
    }
    told.sort_unstable();
    let each = ["prompts", "resources", "tools"];
    assert_eq!(told, each.map(|list| format!("notifications/{list}/list_changed")));
    all.heard_nothing_else().await;
    none.heard_nothing_else().await;
    assert_eq!(stream.message().await["method"], "notifications/resources/list_changed");
    let listed = all.ask(1, "tools/list", json!({})).await;
    assert!(!listed.to_string().contains("two__gone"), "{listed}");
}

#[tokio::test]
async fn a_resource_is_subscribed_to_until_the_connection_ends() {
    let gate = Gate::with("one", talkative()).run().await;
    let (mut reader, mut other) = (Window::open(&gate).await, Window::open(&gate).await);
    let subscribed = reader.ask(1, "resources/subscribe", json!({"uri": "x:1"})).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    for uri in ["x:2", "x:1"] {
        other.call(1, "one__update", json!({"uri": uri})).await;
    }
    let told = reader.next().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"], json!({"uri": "x:1"}), "and nothing of the other");
    other.heard_nothing_else().await;
    assert_eq!(gate.peers.received("one", "resources/unsubscribe"), 0);
    reader.fall_silent().await;
    let peer = gate.peers.last("one").await;
    within(peer.received("resources/unsubscribe")).await;
}

#[tokio::test]
async fn a_batch_is_answered_with_a_batch_where_the_revision_has_them() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "one__echo"}},
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        {"jsonrpc": "2.0", "id": "two", "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 4},
    ]);
    let mut window = Window::of(&gate);
    window.say(&batch).await;
    assert_eq!(window.next().await["error"]["code"], -32600, "there is no session yet");
    window.initialize("2025-03-26", json!({})).await;
    window.say(&batch).await;
    let answers = window.next().await;
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4, "{answers:?}");
    let of = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(text(of(json!(1))), "echo");
    assert_eq!(of(json!("two"))["result"], json!({}));
    assert_eq!(of(json!(3))["error"]["code"], -32601);
    assert_eq!(of(json!(4))["error"]["code"], -32600);
    window.say(json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}])).await;
    window.heard_nothing_else().await;
    let mut newer = Window::open(&gate).await;
    newer.say(&batch).await;
    assert_eq!(newer.next().await["error"]["code"], -32600);
    assert_eq!(gate.peers.received("one", "tools/call"), 1);
}

/// A session lasts as long as its connection, however many others come.
#[tokio::test]
async fn an_idle_window_keeps_its_session_where_there_is_no_room_for_another() {
    let gate = Gate::with("one", tools(&["echo"])).limits(|limits| limits.sessions = 1);
    let gate = gate.run().await;
    let mut window = Window::open(&gate).await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let reply = gate.client().request(json!(1), "initialize", params.clone()).await;
    assert_eq!(reply.status, http::StatusCode::SERVICE_UNAVAILABLE);
    let mut late = Window::of(&gate);
    let refused = late.ask(1, "initialize", params.clone()).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(text(&window.call(1, "one__echo", json!({})).await), "echo");
    drop(window);
    // Its room is free once the gateway is through with it.
    while late.ask(1, "initialize", params.clone()).await["result"].is_null() {}
    assert_eq!(text(&late.call(1, "one__echo", json!({})).await), "echo");
}
