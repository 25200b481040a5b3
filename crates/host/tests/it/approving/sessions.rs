//! An answer that is kept for the session, and everything that it does not hold for.

use toolgate_host::ApprovalChoice;
use toolgate_types::{Principal, SessionId};

use super::{DENY, ONCE, SESSION, Says, Shop, call_in, caller, options, push, say_seen, word};
use crate::gate::within;

/// Shows: S3-26, C18, S4-19.
#[tokio::test(start_paused = true)]
async fn an_answer_for_the_session_holds_for_the_same_tool_in_the_same_session() {
    let shop = Shop::of(SESSION);
    for _ in 0..3 {
        assert_eq!(shop.call(push()).await, "done");
    }
    assert_eq!((shop.person.times(), shop.calls()), (1, 3));
}

/// Shows: S3-26, C18.
#[tokio::test(start_paused = true)]
async fn it_holds_for_no_other_tool_session_or_caller() {
    let shop = Shop::of(SESSION);
    assert_eq!(shop.call(push()).await, "done");
    shop.person.says(DENY);
    assert_eq!(shop.call(call_in(Some("s"), "pull")).await, "denied", "another tool");
    assert_eq!(shop.call(call_in(Some("t"), "push")).await, "denied", "another session");
    assert_eq!(shop.call(call_in(None, "push")).await, "denied", "no session");
    let mut bob = caller(Some("s"));
    bob.principal = Principal::named("bob");
    assert_eq!(shop.call(push().options(options(bob))).await, "denied", "another caller");
    assert_eq!(shop.person.times(), 5);
    assert_eq!(shop.call(push()).await, "done", "and it still holds for its own");
    assert_eq!(shop.person.times(), 5);
}

/// Shows: S3-26, C18.
#[tokio::test(start_paused = true)]
async fn it_ends_with_the_session() {
    let shop = Shop::of(SESSION);
    for of in ["s", "t"] {
        assert_eq!(shop.call(call_in(Some(of), "push")).await, "done");
    }
    within(shop.host.end_session(&SessionId("s".to_owned()))).await;
    shop.person.says(DENY);
    assert_eq!(shop.call(push()).await, "denied");
    assert_eq!(shop.call(call_in(Some("t"), "push")).await, "done", "the other one goes on");
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn it_ends_when_the_server_defines_the_tool_otherwise() {
    let shop = Shop::of(SESSION);
    assert_eq!(shop.call(push()).await, "done");
    assert_eq!(shop.call(call_in(Some("s"), "poke")).await, "done");
    shop.gate.events.heard("git changed Tools").await;
    shop.person.says(DENY);
    assert_eq!(shop.call(push()).await, "denied");
    assert_eq!(shop.person.times(), 2);
}

/// Shows: S3-26.
#[tokio::test(start_paused = true)]
async fn what_waits_when_its_session_ends_is_withdrawn() {
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let one = shop.asked().await;
    let other = shop.begin(call_in(Some("t"), "push"));
    let two = shop.asked().await;
    within(shop.host.end_session(&SessionId("s".to_owned()))).await;
    assert_eq!(word(&within(call).await.unwrap()), "cancelled");
    assert!(say_seen(&shop.approvals, &one.reference, ApprovalChoice::Session).is_err());
    assert_eq!(shop.approvals.waiting().len(), 1);
    say_seen(&shop.approvals, &two.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(other).await.unwrap()), "done");
    shop.person.says(ONCE);
    assert_eq!(shop.call(push()).await, "done");
    assert_eq!(shop.person.times(), 3, "nothing was granted by the answer that came too late");
}
