//! When servers start, stop, fail and come back.

use std::time::Duration;

use tokio::task::JoinSet;
use toolgate_host::{Call, CallTarget};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Config, Server, Startup, Transport};
use toolgate_types::{
    Acceptances, Code, EntryStanding, LayerGrade, Milliseconds, ServerState, Trust,
};

use crate::gate::{Gate, entry, id, list, server, tools, within};

fn exact(server: &str, tool: &str) -> Call {
    Call::new(CallTarget::exact(id(server), tool.to_owned()))
}

/// Shows: S0-35, S0-42, C12, S0-2.
#[tokio::test(start_paused = true)]
async fn building_a_host_starts_nothing_and_the_first_use_starts_only_what_is_used() {
    let gate = Gate::open().server("one", tools(&["a"])).server("two", tools(&["b"])).run();
    assert_eq!((gate.peers.starts("one"), gate.peers.starts("two")), (0, 0));
    assert_eq!(gate.state("one"), ServerState::Idle);
    within(gate.host.call(exact("one", "a"))).await.unwrap();
    assert_eq!((gate.peers.starts("one"), gate.peers.starts("two")), (1, 0));
    assert_eq!((gate.state("one"), gate.state("two")), (ServerState::Ready, ServerState::Idle));
}

/// Shows: S0-39.
#[tokio::test(start_paused = true)]
async fn those_who_come_first_at_the_same_time_share_one_connection() {
    let gate = Gate::open().server("one", tools(&["a"])).run();
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let host = gate.host.clone();
        calls.spawn(async move { host.call(exact("one", "a")).await.is_ok() });
    }
    assert_eq!(within(calls.join_all()).await, [true; 50]);
    assert_eq!(gate.peers.starts("one"), 1);
    assert_eq!(gate.peers.received("one", "\"tools/list\""), 1);
}

/// Shows: S0-39, S4-7, E-9.
#[tokio::test(start_paused = true)]
async fn a_failure_is_not_kept_for_ever_but_the_next_try_waits() {
    let broken = Script::legacy().on("initialize", [Act::Exit(1)]);
    let gate = Gate::open().scripts("one", vec![broken, tools(&["a"])], |_| {}).run();
    let failed = within(gate.host.call(exact("one", "a"))).await.unwrap_err();
    assert_eq!(failed.code, Code::Unavailable);
    assert_eq!(gate.state("one"), ServerState::Error);
    for _ in 0..20 {
        let waiting = within(gate.host.call(exact("one", "a"))).await.unwrap_err();
        assert_eq!(waiting.code, Code::Unavailable);
        assert!(waiting.retry_after.is_some(), "{waiting}");
    }
    assert_eq!(gate.peers.starts("one"), 1, "nothing is tried meanwhile");
    let status = gate.status("one");
    assert_eq!(status.failures, 1);
    assert!(status.last_error.is_some());
    tokio::time::sleep(status.retry_in.unwrap()).await;
    within(gate.host.call(exact("one", "a"))).await.unwrap();
    assert_eq!(gate.state("one"), ServerState::Ready);
    assert!(gate.status("one").last_error.is_some(), "what went wrong can still be read");
}

/// Shows: S1-68, S1-69.
#[tokio::test(start_paused = true)]
async fn a_server_that_dies_in_a_call_fails_that_call_and_no_other_server() {
    let dying = Script::legacy()
        .on("tools/list", [Act::answer(list(&["die"]))])
        .on_call("die", [Act::Exit(1)]);
    let gate = Gate::open().server("bad", dying).server("good", tools(&["a"])).run();
    let error = within(gate.host.call(exact("bad", "die"))).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    gate.events.heard("bad is error").await;
    within(gate.host.call(exact("good", "a"))).await.unwrap();
    assert_eq!(gate.state("good"), ServerState::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_lost_server_comes_back_when_it_is_used_again() {
    let gate = Gate::open()
        .scripts("one", vec![tools(&["a"]).on("ping", [Act::Exit(0)]), tools(&["a", "b"])], |_| {})
        .run();
    assert_eq!(gate.names().await, ["a"]);
    // Long enough to have been a good connection.
    tokio::time::sleep(Duration::from_secs(61)).await;
    gate.peers.last("one").end();
    gate.events.heard("one is error").await;
    within(gate.host.call(exact("one", "b"))).await.unwrap();
    assert_eq!(gate.peers.starts("one"), 2);
    assert_eq!(gate.names().await, ["a", "b"], "the lists of the lost one are not used on");
}

/// Shows: E-9.
#[tokio::test(start_paused = true)]
async fn a_server_nobody_uses_is_stopped_and_started_again_when_needed() {
    let gate = Gate::open()
        .server_with("one", tools(&["a"]), |server| {
            server.idle_timeout = Milliseconds::at_least_one(1_000);
        })
        .server_with("stays", tools(&["b"]), |server| {
            server.idle_timeout = Milliseconds::at_least_one(1_000);
            server.startup = Startup::Eager;
        })
        .run();
    gate.host.start().await.unwrap();
    within(gate.host.call(exact("one", "a"))).await.unwrap();
    gate.events.heard("one is idle").await;
    assert_eq!(gate.state("one"), ServerState::Idle);
    assert_eq!(gate.state("stays"), ServerState::Ready, "an eager one stays");
    assert_eq!(gate.names().await, ["a", "b"], "still listed");
    assert_eq!(gate.peers.starts("one"), 1, "and not started for a list");
    within(gate.host.call(exact("one", "a"))).await.unwrap();
    assert_eq!(gate.peers.starts("one"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_in_use_is_not_stopped_however_long_the_call_takes() {
    let slow = Script::legacy()
        .on("tools/list", [Act::answer(list(&["slow"]))])
        .on_call("slow", [Act::hold("go"), Act::say("done")]);
    let gate = Gate::open()
        .server_with("one", slow, |server| server.idle_timeout = Milliseconds::at_least_one(100))
        .run();
    let host = gate.host.clone();
    let call = tokio::spawn(async move { host.call(exact("one", "slow")).await });
    gate.events.heard("began call slow").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    gate.peers.last("one").signal("go");
    within(call).await.unwrap().unwrap();
    assert_eq!(gate.peers.starts("one"), 1);
}

/// Shows: S0-37, S0-38, S0-2.
#[tokio::test(start_paused = true)]
async fn closing_is_idempotent_and_one_that_hangs_holds_up_no_other() {
    let gate = Gate::open()
        .server("hangs", tools(&["a"]).ignoring_end())
        .server("one", tools(&["b"]))
        .server("broken", Script::legacy().on("initialize", [Act::Exit(1)]))
        .run();
    gate.host.close(&id("one")).await;
    gate.host.close(&id("unknown")).await;
    assert_eq!(gate.names().await, ["a", "b"]);
    within(gate.host.close_all()).await;
    for opened in ["one", "broken"] {
        within(gate.peers.last(opened).has_ended()).await;
    }
    within(gate.host.close_all()).await;
    assert_eq!((gate.state("hangs"), gate.state("one")), (ServerState::Idle, ServerState::Idle));
    within(gate.host.call(exact("one", "b"))).await.unwrap();
    assert_eq!(gate.state("one"), ServerState::Ready, "reopening works");
}

/// Shows: S4-16, S4-8, S4-4.
#[tokio::test(start_paused = true)]
async fn eager_servers_start_together_and_a_failure_is_only_its_own() {
    let eager = |server: &mut Server| server.startup = Startup::Eager;
    let gate = Gate::open()
        .server_with("one", tools(&["a"]), eager)
        .server_with("two", tools(&["a"]), eager)
        .server_with("bad", Script::legacy().on("initialize", [Act::Exit(1)]), eager)
        .server("lazy", tools(&["z"]))
        .run();
    within(gate.host.start()).await.unwrap();
    let events = gate.events.all();
    assert!(
        events.contains(&r#"started: ["one", "two"] failed: ["bad"]"#.to_owned()),
        "{events:?}"
    );
    let position = |line: &str| events.iter().position(|event| event.starts_with(line)).unwrap();
    let last_begin = ["one", "two", "bad"].map(|name| position(&format!("{name} is connecting")));
    let first_end = ["one is ready", "two is ready", "bad is error"].map(position);
    assert!(
        last_begin.iter().max() < first_end.iter().min(),
        "all began before one ended: {events:?}"
    );
    assert_eq!(gate.peers.starts("lazy"), 0);
}

/// Shows: S4-16.
#[tokio::test(start_paused = true)]
async fn closing_ends_those_that_started_and_breaks_off_those_that_still_do() {
    let eager = |server: &mut Server| server.startup = Startup::Eager;
    let hangs = || Script::legacy().on("initialize", [Act::hold("never")]);
    let gate = Gate::open()
        .server_with("up", tools(&["a"]), eager)
        .server_with("hangs", hangs(), eager)
        .server_with("hangs_too", hangs(), eager)
        .run();
    let host = gate.host.clone();
    let starting = tokio::spawn(async move { host.start().await });
    gate.events.heard("up is ready").await;
    let all = ["up", "hangs", "hangs_too"];
    for name in &all[1..] {
        gate.events.heard(&format!("{name} is connecting")).await;
    }
    let began = tokio::time::Instant::now();
    within(gate.host.close_all()).await;
    within(starting).await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "long before their time to start is over");
    gate.events.heard(r#"started: ["up"] failed: ["hangs", "hangs_too"]"#).await;
    assert_eq!(all.map(|name| gate.state(name)), [ServerState::Idle; 3]);
    for name in all {
        within(gate.peers.last(name).has_ended()).await;
    }
}

/// Shows: S1-53.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_off_is_not_connected_at_the_start_nor_when_everything_is_listed() {
    let gate = Gate::open()
        .server_with("on", tools(&["a"]), |server| server.startup = Startup::Eager)
        .server_with("off", tools(&["b"]), |server| {
            server.startup = Startup::Eager;
            server.required = true;
            server.enabled = false;
        })
        .run();
    within(gate.host.start()).await.unwrap();
    assert_eq!(gate.names().await, ["a"]);
    assert_eq!((gate.peers.starts("on"), gate.peers.starts("off")), (1, 0));
    assert_eq!(gate.state("off"), ServerState::Disabled);
}

#[tokio::test(start_paused = true)]
async fn a_required_server_that_fails_fails_the_start() {
    let gate = Gate::open()
        .server_with("must", Script::legacy().on("initialize", [Act::Exit(1)]), |server| {
            server.required = true;
        })
        .server_with("other", tools(&["a"]), |server| server.startup = Startup::Eager)
        .run();
    let error = within(gate.host.start()).await.unwrap_err();
    assert_eq!(error.server, id("must"));
    assert_eq!(gate.state("other"), ServerState::Idle, "what had started was closed again");
}

/// Shows: E-9.
#[tokio::test(start_paused = true)]
async fn an_eager_server_comes_back_by_itself() {
    let gate = Gate::open()
        .scripts("one", vec![tools(&["a"]), tools(&["a"])], |server| {
            server.startup = Startup::Eager;
        })
        .run();
    within(gate.host.start()).await.unwrap();
    gate.peers.last("one").end();
    gate.events.heard_times("one is ready", 2).await;
    assert_eq!(gate.peers.starts("one"), 2);
}

/// Shows: S4-34, S2-2.
#[tokio::test(start_paused = true)]
async fn servers_are_added_changed_and_removed_while_the_host_runs() {
    let gate = Gate::open()
        .scripts("one", vec![tools(&["a"]), tools(&["b"])], |_| {})
        .server("late", tools(&["c"]))
        .run();
    assert!(gate.host.remove_server(&id("late")).await);
    assert!(!gate.host.remove_server(&id("late")).await, "there is none any more");
    assert_eq!(gate.names().await, ["a"]);
    let builtin = || server(Transport::Builtin);
    let trusted = || EntryStanding::Accepted(Trust::Trusted);
    let old = gate.peers.last("one");
    let mut changed = entry("one", builtin(), LayerGrade::Person);
    changed.fingerprint.entry.0[31] = 1;
    gate.host.set_server(id("one"), changed, trusted()).await;
    within(old.has_ended()).await;
    assert_eq!(gate.peers.starts("one"), 1, "the old one is closed before a new one is opened");
    assert_eq!(gate.names().await, ["b"]);
    gate.host.set_server(id("late"), entry("late", builtin(), LayerGrade::Person), trusted()).await;
    assert_eq!(gate.names().await, ["b", "c"]);
    assert!(gate.host.remove_server(&id("one")).await);
    let error = within(gate.host.call(exact("one", "b"))).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_reload_disturbs_only_what_changed() {
    let gate = Gate::open().server("same", tools(&["a"])).server("gone", tools(&["b"])).run();
    assert_eq!(gate.names().await.len(), 2);
    let mut config = Config::default();
    let builtin = || server(Transport::Builtin);
    config.servers.insert(id("same"), entry("same", builtin(), LayerGrade::Person));
    gate.host.reload(&config, &Acceptances::default(), None).await;
    assert_eq!(gate.names().await, ["a"]);
    assert_eq!(gate.peers.starts("same"), 1);
    let mut off = builtin();
    off.enabled = false;
    config.servers.insert(id("same"), entry("same", off, LayerGrade::Person));
    gate.host.reload(&config, &Acceptances::default(), None).await;
    assert_eq!(gate.state("same"), ServerState::Disabled);
    assert!(gate.names().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_closed_host_stays_closed_also_where_a_server_was_about_to_come_back() {
    let gate = Gate::open()
        .server_with("one", tools(&["a"]), |server| server.startup = Startup::Eager)
        .run();
    within(gate.host.start()).await.unwrap();
    gate.peers.last("one").end();
    gate.events.heard("one is error").await;
    gate.host.close_all().await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(gate.peers.starts("one"), 1);
}

#[tokio::test(start_paused = true)]
async fn closing_breaks_off_a_start_that_hangs() {
    let hangs = Script::legacy().on("initialize", [Act::hold("never")]);
    let gate = Gate::open().server("one", hangs).run();
    let host = gate.host.clone();
    let call = tokio::spawn(async move { host.call(exact("one", "a")).await });
    gate.events.heard("one is connecting").await;
    within(gate.host.close_all()).await;
    assert_eq!(within(call).await.unwrap().unwrap_err().code, Code::Unavailable);
    assert_eq!(gate.state("one"), ServerState::Idle);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_served_well_is_started_again_at_once_and_no_call_is_made_twice() {
    let script = || {
        Script::legacy()
            .on("tools/list", [Act::answer(list(&["a", "die"]))])
            .on_call("a", [Act::say("a")])
            .on_call("die", [Act::Exit(1)])
    };
    let gate = Gate::open().server("one", script()).run();
    let serve_well = async || {
        for _ in 0..100 {
            within(gate.host.call(exact("one", "a"))).await.unwrap();
        }
    };
    serve_well().await;
    let failed = within(gate.host.call(exact("one", "die"))).await.unwrap_err();
    assert_eq!(failed.code, Code::Unavailable, "what was under way is over");
    assert_eq!(gate.state("one"), ServerState::Error);
    serve_well().await;
    assert_eq!(gate.peers.starts("one"), 2, "and the next call does not wait");
    within(gate.host.call(exact("one", "die"))).await.unwrap_err();
    let waiting = within(gate.host.call(exact("one", "a"))).await.unwrap_err();
    assert!(waiting.retry_after.is_some(), "once in a minute: {waiting}");
    assert_eq!(gate.peers.received("one", r#""name":"die""#), 2);
    tokio::time::sleep(Duration::from_secs(60)).await;
    serve_well().await;
    within(gate.host.call(exact("one", "die"))).await.unwrap_err();
    serve_well().await;
    assert_eq!(gate.peers.starts("one"), 4);
}
