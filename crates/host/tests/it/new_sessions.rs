//! What a server was asked to tell is asked again when it forgot the session that it was asked in.

use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::LogLevel;

use crate::gate::{Gate, id, list, within};

/// Shows: E-1.
#[tokio::test]
async fn subscriptions_and_log_level_survive_a_new_session_upstream() {
    let site = Script::legacy()
        .offering(r#"{"tools":{},"resources":{"subscribe":true},"logging":{}}"#)
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("logging/setLevel", [Act::answer("{}")])
        .on("resources/subscribe", [Act::answer("{}")])
        .on_call("t", [Act::say("done")])
        .over_http(WebManners::default())
        .await;
    let gate = Gate::open()
        .remote("one", &site.url("/mcp"))
        .building(|host| host.log_level(LogLevel::Info))
        .run();
    let call = || Call::new(CallTarget::exact(id("one"), "t"));
    within(gate.host.call(call())).await.unwrap();
    within(gate.host.subscribe(&id("one"), "x:1", CallOptions::default())).await.unwrap();
    let posted = |method: &str| site.visits().iter().filter(|visit| visit.posts(method)).count();
    within(site.visited(|visit| visit.posts("logging/setLevel"))).await;
    let before = ["resources/subscribe", "logging/setLevel"].map(posted);
    assert_eq!(before, [1, 1]);
    site.forget_sessions();
    within(gate.host.call(call())).await.unwrap();
    let again = || ["resources/subscribe", "logging/setLevel"].map(posted) == [2, 2];
    let all = async {
        while !again() {
            tokio::task::yield_now().await;
            within(site.visited(|_| true)).await;
        }
    };
    within(all).await;
}
