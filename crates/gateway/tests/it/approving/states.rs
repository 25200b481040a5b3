//! The state that a modern client carries between its two requests: whose it is, what for, and how
//! often it is worth something.

use serde_json::{Value, json};

use super::rounds::ask;
use super::{Person, Speaker, Way, accept, acting, assert_done, assert_refused, forms, gate, runs};
use crate::gate::Gate;

/// What came back is not what was given, so nobody knows what it is about.
#[track_caller]
fn assert_not_ours(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["data"]["reason"], "state", "{answer}");
}

/// Shows: S4-20.
#[tokio::test]
async fn what_was_approved_may_be_written_differently_and_not_be_something_else() {
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let first = json!({"b": 100.0, "a": {"x": 1, "y": [true, "é"]}});
        let (asked, waiting) = ask(&mut client, &mut person, first.clone()).await;
        for changed in [
            json!({"b": 100.5, "a": {"x": 1, "y": [true, "é"]}}),
            json!({"b": 100, "a": {"x": 1, "y": ["é", true]}}),
            json!({"b": "100", "a": {"x": 1, "y": [true, "é"]}}),
            json!({"b": 100, "a": {"x": 1, "y": [true, "é"]}, "c": null}),
            json!({"b": 100}),
            json!({}),
        ] {
            client.retry(2, changed, &asked, accept("once")).await;
            assert_refused(&client.answer(2).await, "expired");
        }
        assert_eq!(runs(&gate), 0);
        assert_eq!(gate.approvals.waiting()[0].reference, waiting.reference, "it still waits");
        let written_anew = json!({"a": {"y": [true, "\u{e9}"], "x": 1.0}, "b": 1e2});
        client.retry(3, written_anew, &asked, accept("once")).await;
        assert_done(&client.answer(3).await);
        assert_eq!(runs(&gate), 1);
    }
}

/// Shows: C18, S4-20.
#[tokio::test]
async fn a_state_is_used_once_and_as_it_was_given() {
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        for (said, times) in [("once", 1), ("deny", 1)] {
            let (asked, _) = ask(&mut client, &mut person, json!({})).await;
            let state = asked["result"]["requestState"].as_str().unwrap();
            let (body, seal) = state.rsplit_once('.').unwrap();
            let other_seal: String = seal.chars().rev().collect();
            for forged in [format!("{body}.{other_seal}"), format!("{body}x.{seal}"), body.into()] {
                let forged = json!({"result": {"requestState": forged}});
                client.retry(2, json!({}), &forged, accept("once")).await;
                assert_not_ours(&client.answer(2).await);
            }
            client.retry(3, json!({}), &asked, accept(said)).await;
            match said {
                "once" => assert_done(&client.answer(3).await),
                _ => assert_refused(&client.answer(3).await, "denied"),
            }
            client.retry(4, json!({}), &asked, accept("once")).await;
            assert_refused(&client.answer(4).await, "expired");
            assert_eq!(runs(&gate), times);
        }
    }
}

/// Shows: C18.
#[tokio::test]
async fn session_theft_a_state_is_of_the_caller_that_was_asked() {
    let gate = Gate::with("one", acting()).guarded();
    let gate = gate.token("ada", "ada", None).token("eve", "eve", None).run().await;
    let mut person = Person::at_the_queue(&gate);
    let mut ada = Speaker::with_token(&gate, Way::ModernHttp, forms(), "ada").await;
    let mut eve = Speaker::with_token(&gate, Way::ModernHttp, forms(), "eve").await;
    let (asked, _) = ask(&mut ada, &mut person, json!({})).await;
    eve.retry(2, json!({}), &asked, accept("once")).await;
    assert_not_ours(&eve.answer(2).await);
    assert_eq!(runs(&gate), 0);
    ada.retry(3, json!({}), &asked, accept("once")).await;
    assert_done(&ada.answer(3).await);
}

/// A connection is a session: a state does not go from one to another.
///
/// Shows: C18.
#[tokio::test]
async fn session_theft_a_state_is_of_the_connection_that_was_asked() {
    let gate = gate().await;
    let mut person = Person::at_the_queue(&gate);
    let mut ada = Speaker::open(&gate, Way::ModernLines, forms()).await;
    let mut eve = Speaker::open(&gate, Way::ModernLines, forms()).await;
    let (asked, _) = ask(&mut ada, &mut person, json!({})).await;
    eve.retry(2, json!({}), &asked, accept("once")).await;
    assert_refused(&eve.answer(2).await, "expired");
    assert_eq!(runs(&gate), 0);
    ada.retry(3, json!({}), &asked, accept("session")).await;
    assert_done(&ada.answer(3).await);
    ada.call(4, json!({"other": 1})).await;
    assert_done(&ada.answer(4).await);
    eve.call(5, json!({})).await;
    assert_eq!(eve.answer(5).await["result"]["resultType"], "input_required");
}
