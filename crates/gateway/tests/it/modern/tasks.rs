//! Tasks: a call that goes on after its answer, asked for by an id that only its caller can use.

mod asking;
mod hidden;
mod listening;
mod odd;

use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::gate::{Gate, Running, list, within};

pub(super) const DECLARED: &str =
    r#"{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
const CREATED: &str = r#""createdAt":"2026-11-25T10:30:00Z","lastUpdatedAt":"2026-11-25T10:40:00Z","ttlMs":60000,"pollIntervalMs":5000"#;

/// What a call is answered with that goes on as this task.
pub(super) fn begun(id: &str) -> String {
    format!(
        r#"{{"resultType":"task","taskId":"{id}","status":"working",{CREATED},"later":{{"n":1.50}}}}"#
    )
}

/// What is said of a task in this state, with what belongs to it.
pub(super) fn report(id: &str, status: &str, members: &str) -> String {
    format!(r#"{{"resultType":"complete","taskId":"{id}","status":"{status}",{CREATED}{members}}}"#)
}

/// A server whose tool `build` becomes the task `t-1`, of which these reports are given in turn.
pub(super) fn building(reports: &[String]) -> Script {
    let reports = reports.iter().map(|report| Act::answer(report.clone())).collect::<Vec<_>>();
    Script::modern()
        .offering(DECLARED)
        .on("tools/list", [Act::answer(list(&["build", "echo"]))])
        .on_call("build", [Act::answer(begun("t-1"))])
        .on_call("echo", [Act::answer(r#"{"content":[],"resultType":"complete"}"#)])
        .on("tasks/get", [Act::InTurn(reports)])
        .on("tasks/update", [Act::answer(r#"{"resultType":"complete"}"#)])
        .on("tasks/cancel", [Act::answer(r#"{"resultType":"complete","more":"words"}"#)])
}

pub(super) fn done(text: &str) -> String {
    let result = format!(r#","result":{{"content":[{{"type":"text","text":"{text}"}}],"n":1.50}}"#);
    report("t-1", "completed", &result)
}

/// A caller that knows tasks, and can be asked by forms.
pub(super) fn knowing(gate: &Running) -> Caller {
    Caller::of(gate).able(able())
}

pub(super) fn able() -> Value {
    json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

/// Begins a task and gives its id.
pub(super) async fn begin(caller: &Caller, tool: &str) -> String {
    let answer = caller.call(tool, json!({})).await;
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

pub(super) async fn get(caller: &Caller, id: &str) -> Value {
    caller.ask("tasks/get", json!({"taskId": id})).await
}

/// Shows: S1-16, E-8, E-1.
#[tokio::test]
async fn a_task_passes_untouched_but_for_its_id_and_is_asked_for_at_its_server() {
    let site = building(&[report("t-1", "working", r#","statusMessage":"half""#), done("built")]);
    let site = site.over_http(WebManners::default()).await;
    let gate = Gate::empty().remote("ci", &site.url("/mcp")).run().await;
    let caller = knowing(&gate);
    let text = caller.calling("ci__build", json!({})).await.text().await;
    let read: Value = serde_json::from_str(&text).unwrap();
    let id = read["result"]["taskId"].as_str().unwrap().to_owned();
    assert_ne!(id, "t-1");
    // But for what the gate says of itself in every result.
    let expected = begun(&id);
    let expected = expected.strip_suffix('}').unwrap();
    assert!(text.contains(expected), "{text}");
    let half = get(&caller, &id).await;
    assert_eq!(half["result"]["status"], "working", "{half}");
    assert_eq!(half["result"]["statusMessage"], "half");
    assert_eq!(half["result"]["taskId"], id.as_str());
    assert_eq!(half["result"]["resultType"], "complete");
    let whole = caller.request(json!(2), "tasks/get", json!({"taskId": id})).await.text().await;
    let result = r#""result":{"content":[{"type":"text","text":"built"}],"n":1.50}"#;
    assert!(whole.contains(result) && whole.contains(r#""status":"completed""#), "{whole}");
    let gets: Vec<_> =
        site.visits().into_iter().filter(|visit| visit.body.contains("tasks/get")).collect();
    assert_eq!(gets.len(), 2);
    for visit in gets {
        assert_eq!(visit.header("mcp-name"), "t-1", "{visit:?}");
        assert_eq!(visit.header("mcp-method"), "tasks/get");
        assert!(visit.body.contains(r#""taskId":"t-1""#), "{}", visit.body);
        assert!(visit.body.contains(r#""io.modelcontextprotocol/tasks":{}"#), "{}", visit.body);
    }
}

/// Shows: S1-16.
#[tokio::test]
async fn two_servers_tasks_of_one_name_are_two() {
    let tasks = |text: &str| building(&[done(text)]);
    let gate = Gate::with("one", tasks("first")).server("two", tasks("second")).run().await;
    let caller = knowing(&gate);
    let (one, two) = (begin(&caller, "one__build").await, begin(&caller, "two__build").await);
    assert_ne!(one, two);
    for (id, text) in [(&two, "second"), (&one, "first")] {
        let answer = get(&caller, id).await;
        assert_eq!(answer["result"]["result"]["content"][0]["text"], text, "{answer}");
    }
}

/// Whoever asks for a task that is not theirs learns nothing, and no server hears of it.
///
/// Shows: S1-16.
#[tokio::test]
async fn cross_client_leak_a_task_is_its_callers_alone() {
    let gate = Gate::with("one", building(&[done("built")]))
        .token("a", "ada", None)
        .token("b", "bob", None)
        .run()
        .await;
    let of = |token: &str| Caller::new(gate.client().bearer(token)).able(able());
    let (ada, bob) = (of("a"), of("b"));
    let id = begin(&ada, "one__build").await;
    let mut tampered = id.clone().into_bytes();
    let middle = tampered.len() / 2;
    tampered[middle] = if tampered[middle] == b'A' { b'B' } else { b'A' };
    let tampered = String::from_utf8(tampered).unwrap();
    let mut told = Vec::new();
    for (caller, id) in [(&bob, &*id), (&ada, &tampered), (&ada, "t-1"), (&ada, "")] {
        for (method, more) in
            [("tasks/get", json!({})), ("tasks/cancel", json!({})), ("tasks/update", json!({}))]
        {
            let mut params = json!({"taskId": id, "inputResponses": {}});
            params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let answer = caller.ask(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {id}: {answer}");
            told.push(answer["error"]["message"].as_str().unwrap().to_owned());
        }
    }
    told.dedup();
    assert_eq!(told, ["there is no such task"]);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(gate.peers.received("one", method), 0);
    }
    assert_eq!(get(&ada, &id).await["result"]["status"], "completed");
}

#[tokio::test]
async fn a_header_that_names_another_task_is_refused() {
    let gate = Gate::with("one", building(&[done("built")])).run().await;
    let caller = knowing(&gate);
    let id = begin(&caller, "one__build").await;
    let message = caller.message(&json!(1), "tasks/get", &format!(r#""taskId":"{id}""#));
    let reply = caller.headed("tasks/get", Some("t-1")).post(message).await;
    assert_eq!(reply.status, 400);
    assert_eq!(reply.answer().await["error"]["code"], -32020);
    assert_eq!(gate.peers.received("one", "tasks/get"), 0);
}

#[tokio::test]
async fn a_task_is_cancelled_at_its_server() {
    let gate = Gate::with("one", building(&[report("t-1", "cancelled", "")])).run().await;
    let caller = knowing(&gate);
    let id = begin(&caller, "one__build").await;
    let answer = caller.ask("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert!(answer["result"].get("more").is_none(), "an acknowledgement says nothing: {answer}");
    let seen = within(gate.peers.last("one").await.received("tasks/cancel")).await;
    assert!(seen.contains(r#""taskId":"t-1""#), "{seen}");
    assert_eq!(get(&caller, &id).await["result"]["status"], "cancelled");
}

/// What a server knows nothing of any more is its own to say.
#[tokio::test]
async fn a_task_that_its_server_forgot_is_told_in_the_servers_words() {
    let script = building(&[]).on_when(
        "tasks/get",
        "t-1",
        [Act::refuse(-32602, "Failed to retrieve task: Task has expired")],
    );
    let gate = Gate::with("one", script).run().await;
    let caller = knowing(&gate);
    let id = begin(&caller, "one__build").await;
    let answer = get(&caller, &id).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["message"], "Failed to retrieve task: Task has expired");
}
