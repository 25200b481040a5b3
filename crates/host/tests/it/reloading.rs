//! A configuration that is loaded anew while calls are under way.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_store::SqliteStore;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Config, Durability, Server, Startup, Transport};
use toolgate_types::{
    Acceptances, Code, EnvName, LayerGrade, OperationOutcome, Pattern, ServerState,
};

use crate::gate::{Gate, Running, entry, id, list, server, tools, within};
use crate::policy::{deny, written};
use crate::processes::{Slow, call, config, gone, is_running, pid, process, variables_of, worker};

fn gate(config: &Config) -> Running {
    Gate::open().configured(|own| own.servers = config.servers.clone()).run()
}

async fn load(gate: &Running, config: &Config) {
    within(gate.host.reload(config, &Acceptances::default(), None)).await;
}

/// A worker with one more argument, which it does not read.
fn changed() -> Server {
    let mut server = process(&worker());
    if let Transport::Stdio(stdio) = &mut server.transport {
        stdio.args.push(toolgate_types::ConfigText::Plain("other".to_owned()));
    }
    server
}

/// Shows: S4-34.
#[tokio::test]
async fn a_call_to_a_changed_server_is_done_to_its_end_while_new_ones_go_to_the_new() {
    let gate = gate(&config([("one", process(&worker()))]));
    let old = pid(&gate.host, "one").await;
    let slow = Slow::begin(&gate.host, "one").await;
    load(&gate, &config([("one", changed())])).await;
    let new = pid(&gate.host, "one").await;
    assert_ne!(new, old);
    assert!(is_running(old), "somebody waits for it");
    assert_eq!(slow.end().await.unwrap(), "done");
    gone(old).await;
    assert_eq!(pid(&gate.host, "one").await, new);
    gate.host.close_all().await;
}

#[tokio::test]
async fn a_call_to_a_removed_server_is_done_to_its_end_and_no_other_begins() {
    let gate = gate(&config([("one", process(&worker()))]));
    let slow = Slow::begin(&gate.host, "one").await;
    let old = gate.status("one").pid.unwrap();
    load(&gate, &Config::default()).await;
    let unknown = call(&gate.host, "one", "pid").await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound, "{unknown}");
    assert!(is_running(old));
    assert_eq!(slow.end().await.unwrap(), "done");
    gone(old).await;
}

#[tokio::test]
async fn closing_ends_what_is_on_its_way_out_too() {
    let gate = gate(&config([("one", process(&worker()))]));
    let slow = Slow::begin(&gate.host, "one").await;
    let old = gate.status("one").pid.unwrap();
    load(&gate, &Config::default()).await;
    gate.host.close_all().await;
    assert!(!is_running(old));
    assert_eq!(slow.end().await.unwrap_err().code, Code::Unavailable);
}

#[tokio::test]
async fn what_did_not_change_goes_on_undisturbed_and_nobody_hears_of_it() {
    let mut stays = process(&worker());
    stays.startup = Startup::Eager;
    let same = config([("one", process(&worker())), ("stays", stays)]);
    let gate = gate(&same);
    within(gate.host.start()).await.unwrap();
    let (one, stays) = (pid(&gate.host, "one").await, pid(&gate.host, "stays").await);
    assert_eq!(gate.names().await.len(), 8);
    let slow = Slow::begin(&gate.host, "one").await;
    let before = gate.events.all().len();
    for _ in 0..3 {
        load(&gate, &same).await;
    }
    assert_eq!(slow.end().await.unwrap(), "done");
    assert_eq!((pid(&gate.host, "one").await, pid(&gate.host, "stays").await), (one, stays));
    assert_eq!(gate.status("one").calls, 3);
    let happened = gate.events.all().split_off(before);
    let is_of_a_call = |line: &String| line.starts_with("began") || line.starts_with("ended");
    assert!(happened.iter().all(is_of_a_call), "{happened:?}");
    gate.host.close_all().await;
}

/// Shows: S4-34.
#[tokio::test]
async fn one_that_is_slow_to_end_holds_up_no_load_and_still_ends_before_its_successor_starts() {
    let gate = gate(&config([("one", process(&worker().ignoring_end()))]));
    let old = pid(&gate.host, "one").await;
    load(&gate, &config([("one", changed())])).await;
    assert!(is_running(old), "it takes its time");
    pid(&gate.host, "one").await;
    assert!(!is_running(old));
    gate.host.close_all().await;
}

/// Shows: S3-36.
#[tokio::test]
async fn rotated_secrets_reach_the_next_call_and_are_masked_as_the_old_ones_are() {
    let says = [Act::refuse(-32000, "bad token new-hunter-2222, not old-hunter-1111")];
    let listed = [Act::answer(list(&["pid", "slow", "fail"]))];
    let script = worker().on_call("fail", says).on_when("tools/list", "", listed);
    let mut with_token = process(&script);
    if let Transport::Stdio(stdio) = &mut with_token.transport {
        stdio.env_vars.push(EnvName::parse("TOKEN").unwrap());
    }
    let same = config([("one", with_token), ("other", process(&worker()))]);
    let variables = |token: &str| BTreeMap::from([("TOKEN".to_owned(), token.to_owned())]);
    let gate = Gate::open()
        .configured(|own| own.servers = same.servers.clone())
        .building(|host| host.variables(variables("old-hunter-1111")))
        .run();
    let (old, other) = (pid(&gate.host, "one").await, pid(&gate.host, "other").await);
    assert_eq!(variables_of(old)["TOKEN"], "old-hunter-1111");
    let told = call(&gate.host, "one", "fail").await.unwrap_err().message;
    assert!(told.contains("new-hunter-2222") && !told.contains("old-hunter"), "{told}");
    let slow = Slow::begin(&gate.host, "one").await;
    let rotated = Some(variables("new-hunter-2222"));
    within(gate.host.reload(&same, &Acceptances::default(), rotated)).await;
    let new = pid(&gate.host, "one").await;
    assert_eq!(variables_of(new)["TOKEN"], "new-hunter-2222");
    assert_eq!(pid(&gate.host, "other").await, other, "what does not take it goes on");
    assert_eq!(slow.end().await.unwrap(), "done", "and so does who took the old one");
    let told = call(&gate.host, "one", "fail").await.unwrap_err().message;
    assert!(told.contains("bad token") && !told.contains("hunter"), "{told}");
    gate.host.close_all().await;
}

/// Between its rounds a call uses no server, and is still under way.
#[tokio::test]
async fn a_call_between_two_rounds_goes_on_where_it_began() {
    let asks = r#"{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"?"}}}}"#;
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["slow", "pid"]))])
        .on_call("pid", [Act::say("${pid}")])
        .on_when("tools/call slow", "inputResponses", [Act::say("${pid}")])
        .on_call("slow", [Act::answer(asks)]);
    let gate = gate(&config([("one", process(&script))]));
    let old = pid(&gate.host, "one").await;
    let slow = Slow::begin(&gate.host, "one").await;
    load(&gate, &config([("one", changed())])).await;
    assert_ne!(pid(&gate.host, "one").await, old);
    assert_eq!(slow.end().await.unwrap(), old.to_string());
    gone(old).await;
    gate.host.close_all().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_server_to_start_gets_the_one_that_took_its_place() {
    let hangs = Script::legacy().on("initialize", [Act::hold("never")]);
    let gate = Gate::open().scripts("one", vec![hangs, tools(&["a"])], |_| {}).run();
    let host = gate.host.clone();
    let waiting =
        tokio::spawn(async move { host.call(Call::new(CallTarget::exact(id("one"), "a"))).await });
    gate.events.heard("one is connecting").await;
    let mut other = config([("one", server(Transport::Builtin))]);
    other.servers[0].fingerprint.entry.0[31] = 1;
    load(&gate, &other).await;
    within(waiting).await.unwrap().unwrap();
    assert_eq!(gate.peers.starts("one"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_waits_for_a_server_to_start_has_the_tools_of_the_one_that_took_its_place() {
    let hangs = Script::legacy().on("initialize", [Act::hold("never")]);
    let gate = Gate::open().scripts("one", vec![hangs, tools(&["a"])], |_| {}).run();
    let changes = async {
        gate.events.heard("one is connecting").await;
        let mut other = config([("one", server(Transport::Builtin))]);
        other.servers[0].fingerprint.entry.0[31] = 1;
        load(&gate, &other).await;
    };
    let (names, ()) = tokio::join!(gate.names(), changes);
    assert_eq!(names, ["a"]);
}

/// The servers go on, but those who were about to ask them are not their host's any more.
#[tokio::test(start_paused = true)]
async fn a_list_is_whole_though_the_same_configuration_is_loaded_in_the_middle_of_it() {
    let gate = Gate::open().server("one", tools(&["a"])).server("two", tools(&["b"])).run();
    let entry = || server(Transport::Builtin);
    let same = config([("one", entry()), ("two", entry())]);
    let (names, ()) = tokio::join!(gate.names(), load(&gate, &same));
    assert_eq!(names, ["a", "b"]);
    assert_eq!((gate.peers.starts("one"), gate.peers.starts("two")), (1, 1));
}

/// It waits for its record to be written; the server goes on.
#[tokio::test]
async fn a_resource_is_read_though_the_same_configuration_is_loaded_in_the_middle_of_it() {
    let content = r#"{"contents":[{"uri":"a:b","text":"here"}]}"#;
    let has_it = Script::legacy().on("resources/read", [Act::answer(content)]);
    let folder = tempfile::tempdir().unwrap();
    let log = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let kept = Arc::clone(&log);
    let gate = Gate::open().server("one", has_it);
    let gate = gate.configured(|config| config.audit.durability = Durability::BeforeCall);
    let gate = gate.building(|host| host.store(kept).audit(log)).run();
    let same = config([("one", server(Transport::Builtin))]);
    let server = id("one");
    let reading = gate.host.read_resource(&server, "a:b", CallOptions::default());
    let (read, ()) = tokio::join!(within(reading), load(&gate, &same));
    assert!(
        matches!(read.unwrap(), OperationOutcome::Done(done) if done.result.get().contains("here"))
    );
}

/// Shows: C13.
#[tokio::test(start_paused = true)]
async fn clients_are_told_once_and_exactly_when_what_is_listed_may_have_changed() {
    let gate = Gate::open().server("one", tools(&["a", "b"])).server("two", tools(&["c"])).run();
    assert_eq!(gate.names().await, ["a", "b", "c"]);
    let told = async |config: &Config| {
        let before = gate.events.all().len();
        load(&gate, config).await;
        let mut told = gate.events.all().split_off(before);
        told.retain(|line| line.contains(" changed "));
        told
    };
    let both =
        || config([("one", server(Transport::Builtin)), ("two", server(Transport::Builtin))]);
    assert!(told(&both()).await.is_empty(), "nothing changed");
    let mut denied = both();
    denied.policies.push(written("new", deny("b")));
    assert_eq!(told(&denied).await, ["one changed Tools"]);
    assert!(told(&denied).await.is_empty());
    let mut moved = denied.clone();
    moved.policies[0].origin.line = 7;
    assert!(told(&moved).await.is_empty(), "a line that moved changes nothing");
    let all = ["two changed Tools", "two changed Resources", "two changed Prompts"];
    let mut off = moved.clone();
    off.servers[1].value.enabled = false;
    assert_eq!(told(&off).await, all);
    off.servers.shift_remove(&id("two"));
    assert!(told(&off).await.is_empty(), "it was in no list any more");
    assert_eq!(gate.names().await, ["a"]);
    off.limits.schema_bytes = 1;
    assert_eq!(told(&off).await, ["one changed Tools"], "its schema is too long to be shown now");
    assert_eq!(gate.peers.starts("one"), 1);
}

/// What an entry inherits is not in its fingerprint.
#[tokio::test(start_paused = true)]
async fn a_deny_that_an_entry_inherits_holds_after_the_load_for_a_server_that_goes_on() {
    let gate = Gate::open().server("one", tools(&["a", "b"])).run();
    assert_eq!(gate.names().await, ["a", "b"]);
    let mut same = server(Transport::Builtin);
    same.tools.deny.push(Pattern::parse("b").unwrap());
    let mut config = Config::default();
    config.servers.insert(id("one"), entry("one", same, LayerGrade::Person));
    load(&gate, &config).await;
    assert_eq!(gate.names().await, ["a"]);
    assert_eq!(gate.peers.starts("one"), 1, "the server itself went on");
    assert_eq!(gate.state("one"), ServerState::Ready);
}
