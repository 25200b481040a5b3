//! Which tools a client is shown: as it is configured for it by name, and not another list in the middle
//! of its session.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{ClientSettings, Exposure};

use crate::gate::{Gate, list, tools, within};
use crate::lines::Window;

const META: [&str; 4] =
    ["mcp_call_tool", "mcp_get_tool_schema", "mcp_list_tools", "mcp_search_tools"];

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("t{number:03}")).collect()
}

fn with(names: &[String]) -> Script {
    tools(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_client_is_shown_what_is_configured_for_its_name() {
    let gate = Gate::with("s", with(&many(120)))
        .token("one", "one", None)
        .of_client("one", "codex")
        .token("two", "two", None)
        .of_client("two", "claude-code")
        .token("three", "three", None)
        .of_client("three", "cursor")
        .configured(|config| {
            let settings = |exposure| ClientSettings { exposure, ..ClientSettings::default() };
            let clients = &mut config.gateway.clients;
            clients.insert("cursor".to_owned(), settings(Some(Exposure::Direct)));
        })
        .run()
        .await;
    for (token, expected) in [("one", META.len()), ("two", 120), ("three", 120)] {
        let client = gate.client().bearer(token).initialize().await;
        let answer = client.request(json!(1), "tools/list", json!({})).await.answer().await;
        assert_eq!(names(&answer).len(), expected, "{token}");
    }
    // What is not listed is called by its name all the same.
    let client = gate.client().bearer("one").initialize().await;
    let called = client.call("s__t007", json!({})).await;
    assert_eq!(called["result"]["content"][0]["text"], "t007", "{called}");
}

#[tokio::test]
async fn what_is_configured_anew_is_told_to_sessions_that_are_open() {
    let gate = Gate::with("s", with(&many(5))).run().await;
    let mut window = Window::open(&gate).await;
    assert_eq!(names(&window.ask(1, "tools/list", json!({})).await).len(), 5);
    window.unread();
    let mut config = gate.config.clone();
    config.gateway.exposure = Exposure::Meta;
    let host = gate.hosts.lock().unwrap()[0].clone();
    within(host.reload(&config, &toolgate_types::Acceptances::default(), None)).await;
    assert_eq!(window.next().await["method"], "notifications/tools/list_changed");
    let tools = window.ask(2, "tools/list", json!({})).await;
    assert_eq!(names(&tools), META);
    let hints = &tools["result"]["tools"][0]["annotations"];
    let worst = json!({
        "readOnlyHint": false,
        "destructiveHint": true,
        "idempotentHint": false,
        "openWorldHint": true,
    });
    assert_eq!(*hints, worst, "mcp_call_tool may do whatever another can");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_late_makes_no_open_session_lose_its_list() {
    let late = many(150);
    let late = list(&late.iter().map(String::as_str).collect::<Vec<_>>());
    let slow = Script::legacy().on("tools/list", [Act::hold("go"), Act::answer(late)]);
    let gate = Gate::with("slow", slow).server("fast", with(&many(10))).run().await;
    let mut first = Window::open(&gate).await;
    assert_eq!(names(&first.ask(1, "tools/list", json!({})).await).len(), 10);
    gate.peers.last("slow").await.signal("go");
    let all = async |window: &mut Window| loop {
        let seen = names(&window.ask(2, "tools/list", json!({})).await);
        if seen.len() != 10 {
            return seen;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(within(all(&mut first)).await.len(), 160);
    // Somebody else at the same time sees the same.
    let mut second = Window::open(&gate).await;
    assert_eq!(names(&second.ask(1, "tools/list", json!({})).await).len(), 160);
    for mut window in [first, second] {
        window.fall_silent().await;
        within(window.over()).await;
    }
    let mut third = Window::open(&gate).await;
    assert_eq!(names(&third.ask(1, "tools/list", json!({})).await), META);
}
