//! A modern server that wants to know something after a person approved the call.

use serde_json::value::RawValue;
use toolgate_host::{ApprovalChoice, Call, CallOptions, CallTarget};
use toolgate_testkit::{Act, Script};
use toolgate_types::{InputRequired, OperationOutcome, RetryAnswers};

use super::{Says, Shop, asking, caller, options};
use crate::gate::{id, json, list, within};
use crate::rounds::wants_a_name;

const BOB: &str = r#"{"action":"accept","content":{"name":"Bob"}}"#;

fn hello() -> Call {
    let call = Call::new(CallTarget::exact(id("git"), "hello")).arguments(json(r#"{"n":1}"#));
    call.options(options(caller(None)))
}

fn again(call: Call, state: &RawValue, answers: &[(&str, &str)]) -> Call {
    let responses = answers.iter().map(|(key, answer)| ((*key).to_owned(), json(answer)));
    let state = Some(state.to_owned());
    let retry = RetryAnswers { responses: responses.collect(), state, approval: None };
    let options = CallOptions { retry: Some(retry), ..call.options.clone() };
    call.options(options)
}

async fn required(shop: &Shop, call: Call) -> InputRequired {
    match within(shop.host.call(call)).await.unwrap() {
        OperationOutcome::InputRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

/// A call that was approved, and about which its server now asks something.
async fn interrupted(script: Script) -> (Shop, InputRequired) {
    let shop = Shop::around(Says::Defers, asking().server("git", script)).with_queue();
    let first = within(shop.host.call(hello())).await.unwrap();
    let OperationOutcome::ApprovalRequired(approval) = first else { panic!("{first:?}") };
    let mut approved = again(hello(), &approval.state, &[("toolgate.approval", "\"once\"")]);
    let retry = approved.options.retry.as_mut().unwrap();
    retry.approval = Some(toolgate_types::FormAnswer::Chose(ApprovalChoice::Once));
    let asks = required(&shop, approved).await;
    (shop, asks)
}

#[tokio::test(start_paused = true)]
async fn it_is_not_asked_for_again_and_the_server_gets_its_own_state_back() {
    let (shop, asks) = interrupted(wants_a_name("hello")).await;
    let mut keys: Vec<_> = asks.questions.iter().map(|question| &*question.key).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["where", "who"], "these are the server's questions, and no other");
    let result: serde_json::Value = serde_json::from_str(asks.result.get()).unwrap();
    assert_eq!(result["resultType"], "input_required");
    let message = "The server `git` asks. These are its own words:\n> Who?";
    assert_eq!(result["inputRequests"]["who"]["params"]["message"], message);
    let state = asks.state.unwrap();
    assert!(!state.get().contains("u00e4"), "what the caller carries is ours: {state}");
    assert_eq!(result["requestState"], serde_json::from_str::<String>(state.get()).unwrap());
    let answers = [("who", BOB), ("where", r#"{"roots":[]}"#)];
    let done = within(shop.host.call(again(hello(), &state, &answers))).await.unwrap();
    let OperationOutcome::Done(done) = done else { panic!("{done:?}") };
    assert!(done.result.get().contains("Hello Bob"), "{}", done.result);
    assert_eq!(shop.person.times(), 1, "nobody was asked a second time");
    assert!(shop.approvals.waiting().is_empty());
    let sent = within(shop.gate.peers.last("git").received("inputResponses")).await;
    assert!(sent.contains(r#""requestState":"st\u00e4te""#), "exactly as it came: {sent}");
    assert!(!sent.contains("toolgate1.") && !sent.contains("toolgate.approval"), "{sent}");
}

#[tokio::test(start_paused = true)]
async fn approval_replay_what_goes_on_does_so_once_and_unchanged() {
    let (shop, asks) = interrupted(wants_a_name("hello")).await;
    let state = asks.state.unwrap();
    let answers = [("who", BOB), ("where", r#"{"roots":[]}"#)];
    let changed = hello().arguments(json(r#"{"n":2}"#));
    assert_eq!(shop.call(again(changed, &state, &answers)).await, "expired");
    let mut bob = caller(None);
    bob.principal = toolgate_types::Principal::named("bob");
    let foreign = again(hello().options(options(bob)), &state, &answers);
    assert_eq!(shop.call(foreign).await, "state");
    let before = shop.calls();
    assert_eq!(shop.call(again(hello(), &state, &answers)).await, "done");
    for _ in 0..2 {
        assert_eq!(shop.call(again(hello(), &state, &answers)).await, "expired");
    }
    assert_eq!(shop.calls(), before + 1);
    assert_eq!(shop.person.times(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_may_ask_more_than_once_and_without_a_state() {
    let asks = |key: &str| {
        let roots = r#"{"method":"roots/list"}"#;
        let requests = format!(r#""inputRequests":{{"{key}":{roots}}}"#);
        Act::answer(format!(r#"{{"x-\u00e4":1.50,"resultType":"input_required",{requests}}}"#))
    };
    let turns = vec![asks("one"), asks("two"), Act::say("at last")];
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["hello"]))])
        .on_call("hello", [Act::InTurn(turns)]);
    let (shop, first) = interrupted(script).await;
    assert_eq!(first.questions[0].key, "one");
    assert!(first.result.get().contains(r#":1.50"#), "the rest stays: {}", first.result);
    let state = first.state.unwrap();
    let roots = r#"{"roots":[]}"#;
    let second = required(&shop, again(hello(), &state, &[("one", roots)])).await;
    assert_eq!(second.questions[0].key, "two");
    let last = again(hello(), &second.state.unwrap(), &[("two", roots)]);
    assert_eq!(shop.call(last).await, "done");
    assert_eq!((shop.person.times(), shop.calls()), (1, 3));
    let seen = shop.gate.peers.last("git").seen();
    assert!(!seen.iter().any(|line| line.contains("requestState")), "it gave none, it gets none");
}
