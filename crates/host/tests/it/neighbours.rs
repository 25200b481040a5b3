//! Bad servers beside a good one: what they do is only their own.

use std::time::Duration;

use toolgate_host::{Call, CallTarget};
use toolgate_testkit::{Act, Script};
use toolgate_types::{Code, Milliseconds, OperationOutcome, ServerState};

use crate::gate::{Gate, id, json, list, tools, within};

fn call(server: &str) -> Call {
    Call::new(CallTarget::exact(id(server), "t".to_owned()))
}

/// The order is the proof: the good server's calls all end while the bad ones are still at it.
///
/// Shows: S1-68, S4-7, S4-36.
#[tokio::test]
async fn a_hanging_a_crashing_and_a_flooding_server_never_hold_up_a_fourth() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let hangs = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::hold("never")]);
    let floods = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::Flood(1_000_000), Act::hold("never")]);
    let crash = format!("echo started >> {}; exit 3", starts.display());
    let gate = Gate::open()
        .process("hangs", &hangs)
        .entry("crashes", crate::gate::stdio("/bin/sh", &["-c", &crash]), |_| {})
        .process("floods", &floods)
        .process("good", &tools(&["t"]))
        .run();
    let mut bad = tokio::task::JoinSet::new();
    for server in ["hangs", "floods"] {
        let host = gate.host.clone();
        bad.spawn(async move { host.call(call(server)).await.map(|_| ()) });
    }
    let crashed = within(gate.host.call(call("crashes"))).await.unwrap_err();
    assert_eq!(crashed.code, Code::Unavailable);
    gate.events.heard_times("began call t", 2).await;
    for _ in 0..200 {
        within(gate.host.call(call("good"))).await.unwrap();
        let waiting = within(gate.host.call(call("crashes"))).await.unwrap_err();
        assert_eq!(waiting.code, Code::Unavailable);
    }
    assert!(bad.try_join_next().is_none(), "both are still at it");
    let started = std::fs::read_to_string(&starts).unwrap().lines().count();
    assert!(started <= 4, "started {started} times for 201 calls");
    let states = ["hangs", "floods", "good"].map(|server| gate.state(server));
    assert_eq!(states, [ServerState::Ready; 3]);
    let status = gate.status("crashes");
    assert_eq!(status.state, ServerState::Error);
    assert!(status.retry_in.is_some() && status.failures > 0 && status.last_error.is_some());
    within(gate.host.close_all()).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_waits_for_a_hanging_server_once_and_then_goes_on_without_it() {
    let hangs = Script::legacy().on("tools/list", [Act::hold("never")]);
    let gate = Gate::open()
        .server_with("hangs", hangs, |server| {
            server.timeouts.request = Milliseconds::at_least_one(600_000);
        })
        .server("good", tools(&["t"]))
        .run();
    let began = tokio::time::Instant::now();
    assert_eq!(gate.names().await, ["t"]);
    assert_eq!(began.elapsed().as_secs(), 10, "ten seconds in all");
    assert_eq!(gate.names().await, ["t"]);
    assert_eq!(began.elapsed().as_secs(), 10, "and not again for the same wait");
    // Nobody waited, and still it arrives.
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// Shows: C25, S1-74.
#[tokio::test]
async fn an_odd_tool_is_listed_and_called_and_comes_out_as_it_went_in() {
    let odd = r#"{"name":"t","annotations":{"readOnlyHint":true,"x-mood":"calm"},"icons":[{"src":"data:,","theme":"sepia"}],"x-new":{"n":1.50,"b":2,"a":1},"execution":{"taskSupport":"later"}}"#;
    let broken = [r#"{"description":"no name"}"#, r#"{"name":7}"#, "null", r#"{"name":""}"#];
    let neighbour = r#"{"name":"u","inputSchema":{"type":"object"}}"#;
    let listed = format!(r#"{{"tools":[{},{odd},{neighbour}]}}"#, broken.join(","));
    let script = || {
        Script::legacy().on("tools/list", [Act::answer(listed.clone())]).on(
            "tools/call",
            [Act::answer(r#"{"content":[],"x":1.0,"structuredContent":${arguments}}"#)],
        )
    };
    let site = script().over_http(Default::default()).await;
    let gate = Gate::open()
        .server("pipe", script())
        .process("process", &script())
        .remote("site", &site.url("/mcp"))
        .run();
    assert_eq!(gate.names().await, ["t", "t", "t", "u", "u", "u"]);
    let view = gate.host.list_tools(&Default::default()).await;
    for server in ["pipe", "process", "site"] {
        let entry = view.resolve(&format!("{server}__t")).unwrap();
        assert_eq!(entry.definition().unwrap().raw.get(), odd);
        assert_eq!(entry.parameters().get(), r#"{"type":"object","additionalProperties":true}"#);
        let call = call(server).arguments(json(r#"{"n":1.50}"#));
        let OperationOutcome::Done(done) = within(gate.host.call(call)).await.unwrap() else {
            panic!()
        };
        assert_eq!(done.result.get(), r#"{"content":[],"x":1.0,"structuredContent":{"n":1.50}}"#);
    }
    assert_eq!(view.set_aside().len(), 12, "{:?}", view.set_aside());
    within(gate.host.close_all()).await;
}
