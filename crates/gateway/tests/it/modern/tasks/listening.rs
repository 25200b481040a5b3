//! Tasks on the long stream: what changes is told there, to whom it belongs.

use serde_json::{Value, json};

use super::{able, begin, building, done, report};
use crate::gate::{Gate, within};
use crate::modern::Caller;

/// Shows: S1-16, E-8.
#[tokio::test]
async fn what_becomes_of_a_task_is_told_on_the_stream_by_the_callers_id() {
    let quick = |text: String| text.replace(":5000", ":1");
    let working = quick(report("t-1", "working", ""));
    let asks = r#","inputRequests":{"o":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}"#;
    let script = building(&[working.clone(), working, quick(done("built"))]);
    let gate = Gate::with("one", script)
        .server_with("two", building(&[report("t-1", "input_required", asks)]), |two| {
            two.sampling = true;
        })
        .token("a", "ada", None)
        .token("b", "bob", None)
        .run()
        .await;
    let of = |token: &str| Caller::new(gate.client().bearer(token)).able(able());
    let (ada, bob) = (of("a"), of("b"));
    let (mine, asking) = (begin(&ada, "one__build").await, begin(&ada, "two__build").await);
    let theirs = begin(&bob, "one__build").await;
    let ids = json!([mine, theirs, "t-1", asking, mine]);
    let params = json!({"notifications": {"taskIds": ids}});
    let mut stream = ada.request(json!("l"), "subscriptions/listen", params).await;
    let agreed = within(stream.message()).await;
    assert_eq!(agreed["params"]["notifications"], json!({"taskIds": [mine, asking]}), "{agreed}");
    // What it asks is nothing that this caller can be asked, so that is not told.
    let mut states: Vec<Value> = Vec::new();
    while states.last() != Some(&json!("completed")) {
        let told = within(stream.message()).await;
        assert_eq!(told["method"], "notifications/tasks", "{told}");
        let params = &told["params"];
        assert_eq!(params["taskId"], mine.as_str(), "{told}");
        assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], "l");
        assert!(params.get("resultType").is_none(), "{told}");
        states.push(params["status"].clone());
        if params["status"] == "completed" {
            assert_eq!(params["result"]["content"][0]["text"], "built", "{told}");
        }
    }
    assert_eq!(states, ["working", "completed"], "each state once");
}

#[tokio::test]
async fn ids_have_to_be_a_list_of_texts_and_not_too_many() {
    let gate = Gate::with("one", building(&[])).run().await;
    let caller = Caller::of(&gate).able(able());
    for ids in [json!("t"), json!([1]), json!(vec!["t"; 33])] {
        let params = json!({"notifications": {"taskIds": ids}});
        let reply = caller.request(json!(1), "subscriptions/listen", params).await;
        assert_eq!(reply.answer().await["error"]["code"], -32602, "{ids}");
    }
}
