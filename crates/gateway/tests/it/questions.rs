//! What a server asks in the middle of a call goes to the client whose call it is.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};

use crate::client::{Client, Reply};
use crate::gate::{Gate, Running, asked_by, list, within};

const FORM: &str = r#"{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0}}}}"#;
const URL: &str =
    r#"{"mode":"url","message":"log in","url":"https://x.example/","elicitationId":"e1"}"#;
const SAMPLE: &str = r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10,"temperature":0.50}"#;

/// A server whose tools ask for something and answer with what they were told.
fn asking() -> Script {
    let asks = [
        ("form", "elicitation/create", FORM),
        ("url", "elicitation/create", URL),
        ("sample", "sampling/createMessage", SAMPLE),
        ("roots", "roots/list", "{}"),
    ];
    let names: Vec<_> = asks.iter().map(|(name, ..)| *name).collect();
    let script = Script::legacy().on("tools/list", [Act::answer(list(&names))]);
    asks.iter().fold(script, |script, (name, method, params)| {
        let told = Act::answer(r#"{"content":[],"structuredContent":${answer}}"#);
        script.on_call(name, [Act::ask(method, params), told])
    })
}

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": true}})
}

async fn client(gate: &Running, capabilities: &Value) -> Client {
    gate.client().initialize_as("2025-11-25", capabilities).await
}

fn quoted(words: &str) -> String {
    format!("\"{}\"", asked_by("one", words))
}

/// The question on the stream of a call, as text and as JSON.
async fn question(stream: &mut Reply) -> (String, Value) {
    assert!(stream.is_stream());
    loop {
        let event = within(stream.event()).await.unwrap();
        if !event.data.is_empty() {
            return (event.data.clone(), event.json());
        }
    }
}

async fn reply(client: &Client, answer: Value) {
    assert_eq!(client.post(answer).await.status, StatusCode::ACCEPTED);
}

/// What the server was told, in the end.
async fn told(stream: Reply) -> Value {
    stream.answer().await["result"]["structuredContent"].clone()
}

/// A form that nobody fills in is cancelled; anything else is an error.
fn is_refused(told: &Value) -> bool {
    told["error"]["code"].is_i64() || told["result"] == json!({"action": "cancel"})
}

/// Shows: S4-20, E-8.
#[tokio::test]
async fn every_kind_of_question_reaches_the_caller_and_its_answer_the_server() {
    let gate = Gate::with("one", asking()).run().await;
    let client = client(&gate, &everything()).await;
    let kinds = [
        ("form", "elicitation/create", FORM, json!({"action": "accept", "content": {"n": 1.5}})),
        ("url", "elicitation/create", URL, json!({"action": "decline"})),
        ("sample", "sampling/createMessage", SAMPLE, json!({"role": "assistant", "model": "m"})),
        ("roots", "roots/list", "", json!({"roots": [{"uri": "file:///x"}]})),
    ];
    for (tool, method, params, answer) in kinds {
        let mut stream = client.calling(&format!("one__{tool}"), json!({})).await;
        let (text, asked) = question(&mut stream).await;
        assert_eq!(asked["method"], method);
        let named = |words: &str| params.replace(&format!("{words:?}"), &quoted(words));
        let params = if params == URL { named("log in") } else { named("who?") };
        assert!(text.contains(&params), "as the server wrote it, under its name: {text}");
        reply(&client, json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        assert_eq!(told(stream).await["result"], answer, "{tool}");
    }
}

#[tokio::test]
async fn an_error_of_the_client_is_passed_back_as_the_answer() {
    let gate = Gate::with("one", asking()).run().await;
    let client = client(&gate, &everything()).await;
    let mut stream = client.calling("one__sample", json!({})).await;
    let (_, asked) = question(&mut stream).await;
    let error = json!({"code": -1, "message": "user said no", "data": {"why": [1]}});
    reply(&client, json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
    assert_eq!(told(stream).await["error"], error);
}

/// Shows: S4-20, S4-40.
#[tokio::test]
async fn a_client_that_declared_nothing_is_not_asked() {
    let gate = Gate::with("one", asking()).run().await;
    let client = client(&gate, &json!({})).await;
    for tool in ["form", "url", "sample"] {
        let reply = client.calling(&format!("one__{tool}"), json!({})).await;
        assert!(!reply.is_stream(), "{tool}: nothing is said");
        assert!(is_refused(&told(reply).await), "{tool}");
    }
    // Where it works is known without asking.
    let reply = client.calling("one__roots", json!({})).await;
    assert!(!reply.is_stream(), "nothing is said");
    assert_eq!(told(reply).await["result"], json!({"roots": [{"uri": "file:///"}]}));
}

/// A server that was not told of the caller's model asks it all the same.
#[tokio::test]
async fn a_callers_model_is_not_asked_by_a_server_that_may_not() {
    let gate = Gate::empty().server_with("one", asking(), |server| server.sampling = false);
    let gate = gate.run().await;
    let client = client(&gate, &everything()).await;
    let reply = client.calling("one__sample", json!({})).await;
    assert!(!reply.is_stream(), "nothing is said");
    assert!(is_refused(&told(reply).await));
}

/// `elicitation: {}` means forms, as it did before there was anything else.
#[tokio::test]
async fn a_client_is_asked_in_the_manner_it_declared_and_in_no_other() {
    let gate = Gate::with("one", asking()).run().await;
    for (declared, taken, refused) in [
        (json!({}), "form", "url"),
        (json!({"form": {}}), "form", "url"),
        (json!({"url": {}}), "url", "form"),
    ] {
        let client = client(&gate, &json!({"elicitation": declared})).await;
        let unasked = client.calling(&format!("one__{refused}"), json!({})).await;
        assert!(!unasked.is_stream(), "{refused} with {declared}");
        assert!(is_refused(&told(unasked).await));
        let mut stream = client.calling(&format!("one__{taken}"), json!({})).await;
        let (_, asked) = question(&mut stream).await;
        assert_eq!(asked["params"]["mode"], taken);
        let answer = json!({"action": "accept"});
        reply(&client, json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        assert_eq!(told(stream).await["result"], answer);
    }
}

/// Two callers at once, each at a server that says which request it asks about.
#[tokio::test]
async fn cross_client_leak_a_question_goes_to_the_caller_that_caused_it() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [
            Act::hold("both"),
            Act::ask(
                "elicitation/create",
                r#"{"mode":"form","message":"${message:/params/arguments/tag}","requestedSchema":{}}"#,
            ),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let site = script.over_http(WebManners::default()).await;
    let gate = Gate::empty().remote("one", &site.url("/mcp")).run().await;
    let mut calls = Vec::new();
    for tag in ["ada", "bob"] {
        let client = client(&gate, &everything()).await;
        calls.push(tokio::spawn(async move {
            let mut stream = client.calling("one__ask", json!({"tag": tag})).await;
            let (_, asked) = question(&mut stream).await;
            let message = asked_by("one", tag).replace("\\n", "\n");
            assert_eq!(asked["params"]["message"], message);
            let answer = json!({"action": "accept", "content": {"by": tag}});
            reply(&client, json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
            assert_eq!(told(stream).await["result"]["content"]["by"], tag);
        }));
        within(site.visited(|visit| visit.body.contains(tag))).await;
    }
    site.signal("both");
    site.signal("both");
    // One signal is kept, and taken by whoever comes second.
    tokio::task::yield_now().await;
    site.signal("both");
    for call in calls {
        within(call).await.unwrap();
    }
}

/// Both have a question open with the same id, as each counts for itself.
#[tokio::test]
async fn session_theft_an_answer_counts_in_its_own_session_only() {
    let gate = Gate::with("one", asking()).run().await;
    let (ada, eve) = (client(&gate, &everything()).await, client(&gate, &everything()).await);
    let mut stream = ada.calling("one__form", json!({})).await;
    let (_, asked) = question(&mut stream).await;
    let answer = |content: &str| {
        let result = json!({"action": "accept", "content": {"by": content}});
        json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})
    };
    reply(&eve, answer("eve")).await;
    reply(&ada, json!({"jsonrpc": "2.0", "id": "tg-999", "result": {}})).await;
    reply(&ada, answer("ada")).await;
    // Answered is answered.
    reply(&ada, answer("again")).await;
    assert_eq!(told(stream).await["result"]["content"]["by"], "ada");
}

/// Nothing was said before, so the client has no event to come back with.
#[tokio::test]
async fn a_client_that_went_away_before_it_could_be_asked_is_not_waited_for() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [Act::hold("gone"), Act::ask("elicitation/create", FORM), Act::say("done")],
    );
    let gate = Gate::with("one", script).run().await;
    let client = client(&gate, &everything()).await;
    let calling = {
        let client = client.clone();
        tokio::spawn(async move { client.calling("one__ask", json!({})).await })
    };
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    calling.abort();
    assert!(calling.await.is_err());
    // The gate has seen that it is gone when the same thread has answered somebody else.
    for _ in 0..3 {
        client.request(json!(1), "ping", json!({})).await;
    }
    peer.signal("gone");
    gate.events.heard(&["CallEnded", "ask", "ending: Done"], 1).await;
}

/// When a person is done at a server's page, the client that sent them there is told, and no other.
#[tokio::test]
async fn that_a_person_is_done_at_a_page_is_told_to_the_client_that_was_asked() {
    let done = r#"{"elicitationId":"e1","odd":[1.0]}"#;
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["url", "other"]))]);
    let script = script.on_call("other", [Act::say("done")]).on_call(
        "url",
        [
            Act::ask("elicitation/create", URL),
            Act::say("done"),
            Act::hold("person"),
            Act::notify("notifications/elicitation/complete", r#"{"elicitationId":"e2"}"#),
            Act::notify("notifications/elicitation/complete", done),
        ],
    );
    let gate = Gate::with("one", script).run().await;
    let (mine, other) = (client(&gate, &everything()).await, client(&gate, &everything()).await);
    let (mut heard, mut theirs) = (mine.get_stream().await, other.get_stream().await);
    let mut stream = mine.calling("one__url", json!({})).await;
    let (_, asked) = question(&mut stream).await;
    let accepted = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}});
    reply(&mine, accepted).await;
    stream.answer().await;
    gate.peers.last("one").await.signal("person");
    let told = within(heard.event()).await.unwrap();
    assert!(told.data.contains(done), "only what is its own, and as it came: {}", told.data);
    // Whatever else was told to the other one came before this.
    let listed = other.request(json!(1), "tools/list", json!({})).await.answer().await;
    assert!(listed["result"].is_object(), "{listed}");
    gate.stop.cancel();
    assert!(within(theirs.event()).await.is_none(), "the other client is told nothing");
}

/// The official server for files allows what it is told so, and asks when it was greeted.
#[tokio::test]
async fn folders_asked_for_outside_a_request_are_the_workspaces() {
    let tool = r#"{"tools":[{"name":"t","description":"${answer:/result/roots/0/uri}","inputSchema":{"type":"object"}}]}"#;
    let script =
        Script::legacy().on("tools/list", [Act::ask("roots/list", "{}"), Act::answer(tool)]);
    let gate = Gate::with("one", script).run().await;
    let client = client(&gate, &json!({})).await;
    let listed = client.request(json!(1), "tools/list", json!({})).await.json().await;
    let described = listed["result"]["tools"][0]["description"].as_str().unwrap();
    assert!(described.starts_with("file:///"), "{listed}");
}

/// They are the same whose request it is about, so nothing has to come one after another for it.
#[tokio::test]
async fn folders_are_told_where_several_requests_are_under_way() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait", "roots"]))])
        .on_call("wait", [Act::hold("go"), Act::say("waited")])
        .on_call(
            "roots",
            [
                Act::ask("roots/list", "{}"),
                Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
                Act::release("go"),
            ],
        );
    let gate = Gate::with("one", script).run().await;
    let (one, other) = (client(&gate, &json!({})).await, client(&gate, &everything()).await);
    let waiting = tokio::spawn(async move { other.call("one__wait", json!({})).await });
    within(gate.peers.last("one").await.received(r#""name":"wait""#)).await;
    let reply = one.call("one__roots", json!({})).await;
    let told = &reply["result"]["structuredContent"]["result"];
    assert_eq!(told["roots"][0]["uri"], "file:///", "{reply}");
    waiting.await.unwrap();
}
