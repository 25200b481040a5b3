//! What a task asks, and the answers to it.

use serde_json::json;

use super::{able, begin, building, get, knowing, report};
use crate::gate::{Gate, asked_by, within};
use crate::modern::Caller;

const FORM: &str = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}}"#;

fn asking(requests: &str) -> String {
    report("t-1", "input_required", &format!(r#","inputRequests":{{{requests}}}"#))
}

/// Shows: S1-16, S4-40, E-8.
#[tokio::test]
async fn what_a_task_asks_reaches_its_caller_under_its_servers_name_and_the_answer_the_server() {
    let script = building(&[asking(&format!(r#""who":{FORM}"#)), report("t-1", "working", "")]);
    let gate = Gate::with("one", script).run().await;
    let caller = knowing(&gate);
    let id = begin(&caller, "one__build").await;
    let asked = get(&caller, &id).await;
    let result = &asked["result"];
    assert_eq!(result["status"], "input_required", "{asked}");
    let named = format!("\"{}\"", asked_by("one", "Who?"));
    assert_eq!(result["inputRequests"]["who"]["params"]["message"].to_string(), named);
    let members = format!(
        r#""taskId":"{id}","inputResponses":{{"who":{{"action":"accept","content":{{"n":1.50}}}}}}"#
    );
    let told = caller.raw(json!(2), "tasks/update", &members).await.answer().await;
    assert_eq!(told["result"]["resultType"], "complete", "{told}");
    let seen = within(gate.peers.last("one").await.received("tasks/update")).await;
    let answers = r#""inputResponses":{"who":{"action":"accept","content":{"n":1.50}}}"#;
    assert!(seen.contains(answers) && seen.contains(r#""taskId":"t-1""#), "{seen}");
    assert_eq!(get(&caller, &id).await["result"]["status"], "working");
}

/// Shows: S4-40.
#[tokio::test]
async fn what_a_caller_cannot_be_asked_is_not_asked_for_a_task_either() {
    let sample =
        r#""s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;
    let odd = r#""o":{"method":"odd/ask","params":{}}"#;
    let form = format!(r#""who":{FORM}"#);
    for (requests, may_sample, able, code) in [
        (&*form, false, json!({"extensions": able()["extensions"]}), json!(-32021)),
        (sample, true, able(), json!(-32021)),
        (odd, false, able(), json!(-32603)),
        // Nobody's model is asked by a server that may not.
        (sample, false, json!({"sampling": {}, "extensions": able()["extensions"]}), json!(-32603)),
    ] {
        let gate = Gate::empty()
            .server_with("one", building(&[asking(requests)]), |one| one.sampling = may_sample)
            .run()
            .await;
        let caller = Caller::of(&gate).able(able);
        let id = begin(&caller, "one__build").await;
        let answer = get(&caller, &id).await;
        assert_eq!(answer["error"]["code"], code, "{requests}: {answer}");
    }
}

#[tokio::test]
async fn answers_have_to_be_an_object() {
    let gate = Gate::with("one", building(&[])).run().await;
    let caller = knowing(&gate);
    let id = begin(&caller, "one__build").await;
    for members in ["", r#","inputResponses":[]"#, r#","inputResponses":null"#] {
        let members = format!(r#""taskId":"{id}"{members}"#);
        let answer = caller.raw(json!(1), "tasks/update", &members).await.answer().await;
        assert_eq!(answer["error"]["code"], -32602, "{members}: {answer}");
    }
    assert_eq!(gate.peers.received("one", "tasks/update"), 0);
}
