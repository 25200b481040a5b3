//! Clients that share no code with ours: the official SDK, over HTTP, in both eras. In the modern era
//! it goes the rounds by itself: it shows what an answer asks for to its handler and sends the
//! request again.

use serde_json::{Value, json};
use toolgate_host::ApprovalChoice;
use toolgate_testkit::foreign::{Filled, WithPerson};

use super::{Person, gate, runs};
use crate::gate::{Running, within};

/// One client of each era whose person does this.
async fn clients(gate: &Running, filled: &Filled) -> [WithPerson; 2] {
    let url = format!("http://{}/mcp", gate.address);
    let legacy = within(WithPerson::legacy(&url, filled.clone())).await.unwrap();
    let modern = within(WithPerson::modern(&url, filled.clone())).await.unwrap();
    [legacy, modern]
}

async fn call(client: &WithPerson, arguments: Value) -> Value {
    within(client.call("one__act", arguments)).await.unwrap()
}

#[track_caller]
fn assert_denied(result: &Value) {
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["_meta"]["toolgate/code"], "permission_denied", "{result}");
    assert_eq!(result["_meta"]["toolgate/reason"], "denied", "{result}");
}

/// Shows: S4-20, S1-82, G4.
#[tokio::test]
async fn a_foreign_client_shows_the_question_and_its_call_runs() {
    let gate = gate().await;
    let clients = clients(&gate, &Filled::With(json!({"decision": "once"}))).await;
    for (client, times) in clients.into_iter().zip(1..) {
        let result = call(&client, json!({"path": "/tmp/x"})).await;
        assert_eq!(result["content"][0]["text"], "done", "{result}");
        assert_eq!(runs(&gate), times);
        let shown = client.shown();
        assert_eq!(shown.len(), 1, "{shown:?}");
        let shown: Value = serde_json::from_str(&shown[0]).unwrap();
        let message = shown["message"].as_str().unwrap();
        assert!(message.contains("one/act") && message.contains("/tmp/x"), "{message}");
        assert_eq!(shown["schema"]["required"], json!(["decision"]), "{shown}");
        client.close().await;
    }
}

/// Shows: S4-20, G4.
#[tokio::test]
async fn a_foreign_client_that_declines_or_leaves_the_form_empty_is_denied() {
    let gate = gate().await;
    for filled in [
        Filled::Declined,
        Filled::With(json!({"decision": "deny"})),
        Filled::With(json!({})),
        Filled::With(json!({"decision": "yes"})),
    ] {
        for client in clients(&gate, &filled).await {
            assert_denied(&call(&client, json!({})).await);
            assert_eq!(client.shown().len(), 1);
            client.close().await;
        }
    }
    assert_eq!(runs(&gate), 0);
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_foreign_client_takes_the_form_away_when_the_queue_was_faster() {
    let gate = gate().await;
    let mut person = Person::at_the_queue(&gate);
    let [legacy, modern] = clients(&gate, &Filled::Never).await;
    // What it asks for in the modern era is not under way any more: nothing can be taken back.
    modern.close().await;
    let answered = async {
        let waiting = person.asked().await;
        within(legacy.saw("one/act")).await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
    };
    let (result, ()) = tokio::join!(call(&legacy, json!({})), answered);
    assert_eq!(result["content"][0]["text"], "done", "{result}");
    within(legacy.saw("taken back")).await;
    assert_eq!(runs(&gate), 1);
    legacy.close().await;
}

/// Shows: S3-26, C18.
#[tokio::test]
async fn an_answer_for_the_session_spares_a_foreign_client_the_next_question() {
    let gate = gate().await;
    let [legacy, modern] = clients(&gate, &Filled::With(json!({"decision": "session"}))).await;
    for _ in 0..2 {
        call(&legacy, json!({})).await;
    }
    assert_eq!((legacy.shown().len(), runs(&gate)), (1, 2));
    // Over HTTP the modern era has no session, so this was not offered.
    assert_denied(&call(&modern, json!({})).await);
    assert_eq!((modern.shown().len(), runs(&gate)), (1, 2));
    for client in [legacy, modern] {
        client.close().await;
    }
}
