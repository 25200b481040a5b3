//! Servers that say odd things of their tasks.

use serde_json::json;
use toolgate_testkit::Act;

use super::{begin, begun, building, get, knowing, report};
use crate::gate::Gate;

/// Shows: S1-16.
#[tokio::test]
async fn what_cannot_be_a_report_of_the_task_is_the_servers_fault() {
    let long = format!(r#","statusMessage":"{}""#, "x".repeat(3_000_000));
    for odd in [
        report("t-2", "working", ""),
        report("t-1", "sleeping", ""),
        report("t-1", "completed", ""),
        report("t-1", "completed", r#","result":"text""#),
        report("t-1", "failed", r#","error":"text""#),
        report("t-1", "input_required", ""),
        report("t-1", "input_required", r#","inputRequests":[]"#),
        report("t-1", "working", r#","Result":{"content":[]}"#),
        report("t-1", "working", &long),
        r#"{"resultType":"complete","status":"working"}"#.to_owned(),
        r#"{"resultType":"complete","taskId":"t-1"}"#.to_owned(),
        r#"{"resultType":"task","taskId":"t-1","status":"working"}"#.to_owned(),
        r#"{"resultType":"input_required","requestState":"s","taskId":"t-1"}"#.to_owned(),
        "null".to_owned(),
    ] {
        let gate = Gate::with("one", building(std::slice::from_ref(&odd))).run().await;
        let caller = knowing(&gate);
        let id = begin(&caller, "one__build").await;
        let answer = get(&caller, &id).await;
        assert_eq!(answer["error"]["code"], -32603, "{odd}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().len() < 1000);
    }
}

/// Nobody looks at what does not belong to a state, so nobody is given it.
#[tokio::test]
async fn what_belongs_to_another_state_is_left_out() {
    let smuggled = r#","result":{"content":[]},"error":{"code":1},"inputRequests":{}"#;
    let script = building(&[report("t-1", "working", smuggled)]).on_when(
        "tools/call build",
        "smuggle",
        [Act::answer(begun("t-1").replace(r#""later""#, r#""result":{},"later""#))],
    );
    let gate = Gate::with("one", script).run().await;
    let caller = knowing(&gate);
    let begun = caller.call("one__build", json!({"how": "smuggle"})).await;
    let id = begin(&caller, "one__build").await;
    for answer in [begun, get(&caller, &id).await] {
        assert_eq!(answer["result"]["status"], "working", "{answer}");
        for member in ["result", "error", "inputRequests"] {
            assert!(answer["result"].get(member).is_none(), "{member}: {answer}");
        }
    }
}

#[tokio::test]
async fn an_id_that_no_task_can_have_is_the_servers_fault() {
    for id in ["x".repeat(5000), String::new()] {
        let script = building(&[]).on_when("tools/call build", "odd", [Act::answer(begun(&id))]);
        let gate = Gate::with("one", script).run().await;
        let caller = knowing(&gate);
        let answer = caller.call("one__build", json!({"how": "odd"})).await;
        match id.is_empty() {
            true => assert_eq!(answer["result"]["resultType"], "task", "{answer}"),
            false => assert_eq!(answer["error"]["code"], -32603, "{answer}"),
        }
    }
}
