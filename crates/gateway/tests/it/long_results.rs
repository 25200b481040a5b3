//! Results that nobody holds, and that pass whole: from their file to the client, over every way there is.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_store::{ArtifactStore, SqliteStore};
use toolgate_testkit::{Act, Script, peak_memory};

use crate::gate::{Gate, Running, list, within};
use crate::lines::Window;
use crate::modern::Caller;

/// More than is held of a message, and than is read of a file at once.
const LONG: usize = 3 << 20;

struct LongGate {
    gate: Running,
    store: Arc<SqliteStore>,
    _folder: tempfile::TempDir,
}

fn text() -> String {
    let line = "line 😀 \"quoted\" \\ é\n";
    line.repeat(LONG / line.len())
}

/// A tool's result with everything that a gate has to look at or to change in one.
fn result() -> String {
    let text = serde_json::to_string(&text()).unwrap();
    format!(
        "{{\n  \"content\": [{{\"type\":\"text\",\"text\":{text}}}],\n  \"odd\": 1.50, \"ttlMs\": 5, \"_meta\": {{\"own\":1}} }}"
    )
}

async fn gate(script: Script) -> LongGate {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let gate = Gate::with("one", script)
        .limits(|limits| {
            limits.message_bytes = 256 << 10;
            limits.result_bytes = 64 << 20;
        })
        .keeping(Arc::clone(&store) as _)
        .run()
        .await;
    LongGate { gate, store, _folder: folder }
}

fn giving(acts: Vec<Act>) -> Script {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["long", "short"]))]);
    script.on_call("long", acts).on_call("short", [Act::say("short")])
}

fn has_whole_text(answer: &Value) {
    let told = answer["result"]["content"][0]["text"].as_str();
    assert!(told.is_some_and(|told| *told == text()), "{}", &answer.to_string()[..400]);
    assert_eq!(answer["result"]["odd"].to_string(), "1.5");
    assert_eq!(answer["result"]["_meta"]["own"], 1);
}

async fn is_not_kept(long: &LongGate) {
    assert_eq!(long.store.artifact_bytes().await.unwrap(), 0, "nobody has to read it again");
}

#[tokio::test]
async fn a_long_result_passes_whole_over_http_in_both_eras() {
    let result = result().replace('\n', " ");
    let long = gate(giving(vec![Act::answer(result)])).await;
    let client = long.gate.client().initialize().await;
    let reply = client.calling("one__long", json!({})).await;
    assert!(!reply.is_stream());
    let announced: usize = reply.header("content-length").unwrap().parse().unwrap();
    let body = reply.text().await;
    assert_eq!(body.len(), announced);
    assert!(body.contains(r#""odd":1.50"#), "as it is spelled");
    let answer: Value = serde_json::from_str(&body).unwrap();
    has_whole_text(&answer);
    assert_eq!(answer["result"]["ttlMs"], Value::Null, "only the modern era has that");
    let answer = Caller::of(&long.gate).call("one__long", json!({})).await;
    has_whole_text(&answer);
    assert_eq!(answer["result"]["resultType"], "complete");
    let info = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "toolgate");
    is_not_kept(&long).await;
}

#[tokio::test]
async fn a_long_result_is_one_event_of_a_stream_and_can_be_picked_up_again() {
    let result = result().replace('\n', " ");
    let acts = vec![Act::progress(1), Act::hold("go"), Act::answer(result)];
    let long = gate(giving(acts)).await;
    let client = long.gate.client().initialize().await;
    let params = json!({"name": "one__long", "_meta": {"progressToken": "t"}});
    let begin = async || {
        let mut stream = client.request(json!(1), "tools/call", params.clone()).await;
        loop {
            let event = within(stream.event()).await.unwrap();
            if event.data.contains("progress") {
                return (stream, event);
            }
        }
    };
    let (mut stream, _) = begin().await;
    long.gate.peers.last("one").await.signal("go");
    let answer = within(stream.event()).await.unwrap();
    has_whole_text(&answer.json());
    assert_eq!(stream.event().await, None, "the stream ends with the answer");
    // Who is gone before the answer finds it when it comes back.
    let (stream, seen) = begin().await;
    drop(stream);
    long.gate.peers.last("one").await.signal("go");
    long.gate.events.heard(&["CallEnded", "long"], 2).await;
    let mut again = client.resume(seen.id.as_deref().unwrap()).await;
    has_whole_text(&within(again.event()).await.unwrap().json());
    drop(again);
    // A stream of the modern era is nobody's but its own.
    let caller = Caller::of(&long.gate).saying("progressToken", json!("t"));
    let mut stream = caller.calling("one__long", json!({})).await;
    assert!(within(stream.event()).await.unwrap().data.contains("progress"));
    long.gate.peers.last("one").await.signal("go");
    has_whole_text(&within(stream.event()).await.unwrap().json());
    is_not_kept(&long).await;
}

#[tokio::test]
async fn a_long_result_is_one_line_and_others_come_before_it_and_after_it() {
    let result = result().replace('\n', " ");
    let long = gate(giving(vec![Act::answer(result)])).await;
    let mut window = Window::open(&long.gate).await;
    for round in 0..2 {
        window.calling(format!("long {round}"), "one__long", json!({})).await;
        window.calling(format!("short {round}"), "one__short", json!({})).await;
        has_whole_text(&window.answer(format!("long {round}")).await);
        let short = window.answer(format!("short {round}")).await;
        assert_eq!(short["result"]["content"][0]["text"], "short");
    }
    is_not_kept(&long).await;
}

/// One that reads its batch in one piece gets what it always got.
#[tokio::test]
async fn in_a_batch_a_long_result_is_cut() {
    let result = result().replace('\n', " ");
    let long = gate(giving(vec![Act::answer(result)])).await;
    let client = long.gate.client().initialize_as("2025-03-26", &json!({})).await;
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "one__long"}});
    let answers = client.post(json!([call])).await.json().await;
    let told = answers[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("[cut here: ") && told.len() < LONG / 4, "{}", told.len());
}

#[tokio::test]
async fn a_resource_under_another_address_passes_at_length_with_the_address_that_was_asked_for() {
    let text = serde_json::to_string(&text()).unwrap();
    let contents = format!(r#"{{"contents":[{{"uri":"doc:a","text":{text}}}]}}"#);
    let library = || {
        Script::legacy()
            .offering(r#"{"tools":{},"resources":{}}"#)
            .on("tools/list", [Act::answer(list(&[]))])
            .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"doc:a","name":"a"}]}"#)])
            .on("resources/read", [Act::answer(contents.clone())])
    };
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let gate = Gate::with("one", library())
        .server("two", library())
        .limits(|limits| {
            limits.message_bytes = 256 << 10;
            limits.result_bytes = 64 << 20;
        })
        .keeping(store)
        .run()
        .await;
    let client = gate.client().initialize().await;
    let listed = client.request(json!(1), "resources/list", json!({})).await.answer().await;
    let resources = listed["result"]["resources"].as_array().unwrap();
    let asked: Vec<_> = resources.iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert!(asked.len() == 2 && !asked.contains(&"doc:a"), "{listed}");
    for uri in asked {
        let read = client.request(json!(2), "resources/read", json!({"uri": uri})).await;
        let answer = read.answer().await;
        assert_eq!(answer["result"]["contents"][0]["uri"], uri);
        let told = answer["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(*told == self::text());
    }
}

/// 200 MiB, of which neither the server nor the client of this test holds more than a piece.
#[tokio::test]
async fn two_hundred_megabytes_pass_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["huge", "short"]))])
        .on_call("short", [Act::say("short")])
        .on_call("huge", [Act::Huge(200 << 20)]);
    let gate = Gate::with("one", script)
        .limits(|limits| limits.result_bytes = 1 << 30)
        .keeping(store)
        .run()
        .await;
    let client = gate.client().initialize().await;
    client.call("one__short", json!({})).await;
    let before = peak_memory(std::process::id());
    let reply = client.calling("one__huge", json!({})).await;
    let announced: usize = reply.header("content-length").unwrap().parse().unwrap();
    assert!(announced > 200 << 20);
    assert_eq!(reply.length().await, announced);
    let grown = peak_memory(std::process::id()).saturating_sub(before);
    // Whoever held it whole would need 200 MiB at least; the rest is room for other tests.
    assert!(grown < 128 * 1024, "{grown} KiB");
}

/// Its file goes with it, and the connection is not held up for anybody else.
#[tokio::test]
async fn who_stops_reading_a_long_result_holds_up_nobody() {
    let result = result().replace('\n', " ");
    let long = gate(giving(vec![Act::answer(result)])).await;
    let (slow, other) =
        (long.gate.client().initialize().await, long.gate.client().initialize().await);
    let unread = slow.calling("one__long", json!({})).await;
    assert!(unread.header("content-length").is_some());
    for _ in 0..3 {
        let answer = other.call("one__short", json!({})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "short");
    }
    drop(unread);
    has_whole_text(&slow.call("one__long", json!({})).await);
}
