//! A server of the older era asks in the middle of a call, and a caller of the modern one answers by
//! coming back.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::gate::{Gate, Running, asked_by, list, within};
use crate::lines::Window;

const FORM: &str =
    r#"{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}"#;
const URL: &str = r#"{"mode":"url","message":"log in","url":"https://x.example/"}"#;
const SAMPLE: &str = r#"{"messages":[],"maxTokens":1}"#;

fn ask() -> Act {
    Act::ask("elicitation/create", FORM)
}

fn told() -> Act {
    Act::answer(r#"{"content":[{"type":"text","text":"${answer:/result/content/name}"}]}"#)
}

/// A server whose tool, prompt and resource ask before they answer.
fn asking(acts: Vec<Act>) -> Script {
    let last = acts.clone();
    let with = |members: &str| {
        let mut acts = last.clone();
        acts.pop();
        acts.push(Act::answer(format!("{{{members}}}")));
        acts
    };
    Script::legacy()
        .offering(r#"{"tools":{},"resources":{},"prompts":{},"logging":{}}"#)
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p"}]}"#)])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("prompts/get", with(r#""messages":[]"#))
        .on("resources/read", with(r#""contents":[]"#))
        .on_call("t", acts)
}

async fn gate(acts: Vec<Act>) -> Running {
    let configured = |config: &mut toolgate_types::config::Config| {
        config.servers.values_mut().for_each(|entry| entry.value.sampling = true);
    };
    Gate::with("one", asking(acts)).configured(configured).run().await
}

fn able(gate: &Running) -> Caller {
    Caller::of(gate)
        .able(json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}))
}

fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

/// The same request again, with this answer to everything that was asked.
fn again(params: &Value, asked: &Value, answer: &Value) -> Value {
    let requests =
        asked["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
    let responses = requests.keys().map(|key| (key.clone(), answer.clone())).collect();
    let mut params = params.clone();
    params["inputResponses"] = Value::Object(responses);
    params["requestState"] = asked["result"]["requestState"].clone();
    params
}

fn call() -> Value {
    json!({"name": "one__t", "arguments": {"a": 1}})
}

fn calls(gate: &Running) -> usize {
    gate.peers.received("one", r#""method":"tools/call""#)
}

#[track_caller]
fn text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// Shows: E-1, E-8, C20, S4-20.
#[tokio::test]
async fn a_question_of_an_older_server_goes_back_as_the_answer_and_the_call_goes_on_with_the_retry()
{
    let gate = gate(vec![ask(), ask(), told()]).await;
    let caller = able(&gate);
    let first = caller.ask("tools/call", call()).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let requests = first["result"]["inputRequests"].as_object().unwrap();
    let (_, request) = requests.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let message = asked_by("one", "Who?").replace("\\n", "\n");
    assert_eq!(request["params"]["message"], message);
    let second = caller.ask("tools/call", again(&call(), &first, &named("Ada"))).await;
    assert_eq!(second["result"]["resultType"], "input_required", "{second}");
    let done = caller.ask("tools/call", again(&call(), &second, &named("Bob"))).await;
    assert_eq!(text(&done), "Bob");
    assert_eq!(calls(&gate), 1);
    let peer = gate.peers.last("one").await;
    assert_eq!(peer.received_times(r#""action":"accept""#, 2).await.len(), 2);
    assert_eq!(gate.peers.received("one", "requestState"), 0);
}

/// Shows: E-8, S4-20.
#[tokio::test]
async fn every_kind_of_question_is_answered_and_in_everything_that_may_ask() {
    let kinds = [
        ("elicitation/create", FORM, named("x")),
        ("elicitation/create", URL, json!({"action": "decline"})),
        ("sampling/createMessage", SAMPLE, json!({"role": "assistant", "model": "m"})),
        ("roots/list", "{}", json!({"roots": [{"uri": "file:///x"}]})),
    ];
    for (method, params, answer) in kinds {
        let gate = gate(vec![Act::ask(method, params), Act::say("done")]).await;
        let caller = able(&gate);
        let operations = [
            ("tools/call", call()),
            ("prompts/get", json!({"name": "one__p", "arguments": {"k": "v"}})),
            ("resources/read", json!({"uri": "x:1"})),
        ];
        for (operation, params) in operations {
            let asked = caller.ask(operation, params.clone()).await;
            let requests = asked["result"]["inputRequests"].as_object().unwrap();
            assert!(requests.values().all(|request| request["method"] == method), "{asked}");
            let done = caller.ask(operation, again(&params, &asked, &answer)).await;
            assert_eq!(done["result"]["resultType"], "complete", "{method} {operation}: {done}");
        }
        let peer = gate.peers.last("one").await;
        let answer = format!(r#""result":{answer}"#);
        assert_eq!(within(peer.received_times(&answer, 3)).await.len(), 3);
    }
}

/// Two questions at once are one round; one that comes later is the next.
#[tokio::test]
async fn questions_that_are_asked_together_are_answered_together() {
    let line = |id: &str| {
        Act::line(format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"elicitation/create","params":{FORM}}}"#
        ))
    };
    let gate = gate(vec![line("a"), line("b"), Act::hold("go"), Act::say("done")]).await;
    let caller = able(&gate);
    let mut asked = caller.ask("tools/call", call()).await;
    let peer = gate.peers.last("one").await;
    let both_came = async {
        within(peer.received_times(r#""action":"accept""#, 2)).await;
        peer.signal("go");
    };
    let answering = async {
        while asked["result"]["resultType"] == "input_required" {
            asked = caller.ask("tools/call", again(&call(), &asked, &named("Ada"))).await;
        }
    };
    tokio::join!(both_came, answering);
    assert_eq!(text(&asked), "done");
}

/// Shows: E-1.
#[tokio::test]
async fn a_retry_that_comes_twice_joins_the_call_or_is_told_what_came_of_it() {
    let gate = gate(vec![ask(), Act::hold("go"), told()]).await;
    let caller = able(&gate);
    let asked = caller.ask("tools/call", call()).await;
    let params = again(&call(), &asked, &named("Ada"));
    let (one, other) = (caller.clone(), caller.clone());
    let (mine, theirs) = (params.clone(), params.clone());
    let one = tokio::spawn(async move { one.ask("tools/call", mine).await });
    let peer = gate.peers.last("one").await;
    within(peer.received(r#""action":"accept""#)).await;
    let other = tokio::spawn(async move { other.ask("tools/call", theirs).await });
    // Another answer to the same question is none.
    let variant = caller.ask("tools/call", again(&call(), &asked, &named("Eve"))).await;
    assert_ne!(variant["result"]["resultType"], "input_required");
    assert!(variant.to_string().contains("answered already"), "{variant}");
    peer.signal("go");
    assert_eq!(text(&one.await.unwrap()), "Ada");
    assert_eq!(text(&other.await.unwrap()), "Ada");
    assert_eq!(text(&caller.ask("tools/call", params).await), "Ada", "and later too");
    assert_eq!((calls(&gate), gate.peers.received("one", "Eve")), (1, 0));
}

/// Shows: E-1, S4-20.
#[tokio::test]
async fn what_was_changed_on_the_way_back_is_refused_and_the_call_still_waits() {
    let gate = Gate::with("one", asking(vec![ask(), told()]))
        .token("ada-token", "ada", None)
        .token("eve-token", "eve", None)
        .run()
        .await;
    let able = |token: &str| {
        Caller::new(gate.client().bearer(token)).able(json!({"elicitation": {"form": {}}}))
    };
    let (ada, eve) = (able("ada-token"), able("eve-token"));
    let asked = ada.ask("tools/call", call()).await;
    let right = again(&call(), &asked, &named("Ada"));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut params = right.clone();
        change(&mut params);
        params
    };
    let state = right["requestState"].as_str().unwrap().to_owned();
    let (body, _) = state.rsplit_once('.').unwrap();
    let changed = [
        ("other arguments", with(&|params| params["arguments"] = json!({"a": 2}))),
        ("no arguments", with(&|params| params["arguments"] = json!({}))),
        ("a cut seal", with(&|params| params["requestState"] = json!(body))),
        ("another seal", with(&|params| params["requestState"] = json!(format!("{body}.AAAA")))),
        (
            "no answers",
            with(&|params| drop(params.as_object_mut().unwrap().remove("inputResponses"))),
        ),
        ("other keys", with(&|params| params["inputResponses"] = json!({"else": named("x")}))),
        ("no state", with(&|params| drop(params.as_object_mut().unwrap().remove("requestState")))),
    ];
    for (what, params) in changed {
        let answer = ada.ask("tools/call", params).await;
        let is_refused = answer["error"].is_object() || answer["result"]["isError"] == true;
        assert!(is_refused, "{what}: {answer}");
    }
    let answer = eve.ask("tools/call", right.clone()).await;
    assert!(answer.to_string().contains("another caller"), "{answer}");
    assert_eq!(calls(&gate), 1);
    assert_eq!(text(&ada.ask("tools/call", right).await), "Ada");
    assert_eq!(calls(&gate), 1);
}

/// Shows: E-1.
#[tokio::test]
async fn a_caller_that_goes_away_after_its_answer_cancels_the_call_at_the_server() {
    let gate = gate(vec![ask(), Act::progress(1), Act::hold("never"), told()]).await;
    let caller = able(&gate);
    let asked = caller.ask("tools/call", call()).await;
    let mut params = again(&call(), &asked, &named("Ada"));
    params["_meta"] = json!({"progressToken": "mine"});
    let caller = caller.saying("progressToken", json!("mine"));
    params.as_object_mut().unwrap().remove("_meta");
    let mut stream = caller.request(json!(2), "tools/call", params).await;
    // What is said after the answer goes to who brought it.
    let report = within(stream.message()).await;
    assert_eq!(report["params"]["progressToken"], "mine", "{report}");
    drop(stream);
    within(gate.peers.last("one").await.received("notifications/cancelled")).await;
    assert_eq!(calls(&gate), 1);
}

/// What a caller cannot be asked is answered with nobody there.
#[tokio::test]
async fn a_caller_that_cannot_be_asked_is_not_sent_away() {
    let gate = gate(vec![ask(), Act::say("done")]).await;
    assert_eq!(text(&Caller::of(&gate).ask("tools/call", call()).await), "done");
    let seen = within(gate.peers.last("one").await.received(r#""id":"q1""#)).await;
    assert!(seen.contains(r#""result":{"action":"cancel"}"#), "{seen}");
}

/// A connection is a session: a note does not go from one to another.
///
/// Shows: S4-20.
#[tokio::test]
async fn session_theft_a_parked_call_is_of_the_connection_that_was_asked() {
    let gate = gate(vec![ask(), told()]).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": super::VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "caller", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let with_meta = |mut params: Value| {
        params["_meta"] = meta.clone();
        params
    };
    let (mut ada, mut eve) = (Window::of(&gate), Window::of(&gate));
    let asked = ada.ask(1, "tools/call", with_meta(call())).await;
    let params = with_meta(again(&call(), &asked, &named("Ada")));
    let stolen = eve.ask(1, "tools/call", params.clone()).await;
    assert_eq!(stolen["result"]["isError"], true, "{stolen}");
    assert_eq!(text(&ada.ask(2, "tools/call", params).await), "Ada");
    assert_eq!(calls(&gate), 1);
}
