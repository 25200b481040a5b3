//! Streams of events: sent at once, numbered, and picked up again where they broke.

use serde_json::json;
use toolgate_testkit::{Act, Script};

use crate::client::{Client, Event, Reply};
use crate::gate::{Gate, Running, list, within};

/// A tool that reports three times, each after a signal, and then answers.
fn reporting() -> Script {
    Script::legacy().on("tools/list", [Act::answer(list(&["work"]))]).on_call(
        "work",
        [
            Act::progress(1),
            Act::hold("second"),
            Act::progress(2),
            Act::hold("third"),
            Act::progress(3),
            Act::say("done"),
        ],
    )
}

async fn begin(client: &Client) -> Reply {
    let params = json!({"name": "one__work", "_meta": {"progressToken": "t"}});
    client.request(json!(1), "tools/call", params).await
}

async fn gate() -> (Running, Client) {
    let gate = Gate::with("one", reporting()).run().await;
    let client = gate.client().initialize().await;
    (gate, client)
}

/// The next event with something in it, and how far the report in it is.
async fn report(stream: &mut Reply) -> (Event, i64) {
    let event = loop {
        let event = within(stream.event()).await.unwrap();
        if !event.data.is_empty() {
            break event;
        }
    };
    let done = event.json()["params"]["progress"].as_i64().unwrap();
    (event, done)
}

async fn rest(mut stream: Reply) -> Vec<Event> {
    let mut all = Vec::new();
    while let Some(event) = stream.event().await {
        all.push(event);
    }
    all
}

fn is_answer(event: &Event) -> bool {
    let message = event.json();
    message["id"] == 1 && message["result"]["content"][0]["text"] == "done"
}

#[tokio::test]
async fn what_is_said_before_the_answer_is_sent_at_once_and_numbered() {
    let (gate, client) = gate().await;
    let mut stream = begin(&client).await;
    assert!(stream.is_stream());
    assert_eq!(stream.header("cache-control"), Some("no-cache"));
    let mut ids = std::collections::HashSet::new();
    let peer = gate.peers.last("one").await;
    for (done, signal) in [(1, "second"), (2, "third"), (3, "")] {
        // The server waits for the signal, so nothing that follows could have pushed it out.
        let (event, reported) = report(&mut stream).await;
        assert_eq!(reported, done);
        assert!(ids.insert(event.id.unwrap()));
        peer.signal(signal);
    }
    let last = stream.event().await.unwrap();
    assert!(is_answer(&last) && ids.insert(last.id.unwrap()));
    assert_eq!(stream.event().await, None, "the stream ends with the answer");
}

#[tokio::test]
async fn a_stream_that_broke_is_picked_up_after_the_last_event_that_came() {
    let (gate, client) = gate().await;
    let mut stream = begin(&client).await;
    let (first, _) = report(&mut stream).await;
    drop(stream);
    let peer = gate.peers.last("one").await;
    peer.signal("second");
    let mut again = client.resume(first.id.as_deref().unwrap()).await;
    let (second, reported) = report(&mut again).await;
    assert_eq!(reported, 2);
    drop(again);
    peer.signal("third");
    gate.events.heard(&["CallEnded", "work"], 1).await;
    // The answer is there, and whoever missed it can have it, more than once.
    for _ in 0..2 {
        let events = rest(client.resume(second.id.as_deref().unwrap()).await).await;
        assert_eq!(events.len(), 2, "{events:?}");
        assert_eq!(events[0].json()["params"]["progress"], 3);
        assert!(is_answer(&events[1]), "{events:?}");
    }
    let all = rest(client.resume(first.id.as_deref().unwrap()).await).await;
    assert_eq!(all.len(), 3, "{all:?}");
}

#[tokio::test]
async fn the_first_event_of_the_newest_revision_is_empty_and_older_ones_get_none() {
    for (version, is_primed) in [("2025-11-25", true), ("2025-06-18", false), ("2025-03-26", false)]
    {
        let gate = Gate::with("one", reporting()).run().await;
        let client = gate.client().initialize_as(version, &json!({})).await;
        let mut stream = begin(&client).await;
        let first = stream.event().await.unwrap();
        assert_eq!(first.data.is_empty(), is_primed, "{version}");
        assert!(first.id.is_some());
    }
}

/// What an event id leads to is looked for in one's own session only.
#[tokio::test]
async fn session_theft_an_event_id_of_another_session_leads_to_nothing_of_it() {
    let (gate, client) = gate().await;
    let mut stream = begin(&client).await;
    let (first, _) = report(&mut stream).await;
    let peer = gate.peers.last("one").await;
    let other = gate.client().initialize().await;
    let mut theirs = other.resume(first.id.as_deref().unwrap()).await;
    peer.signal("second");
    assert_eq!(report(&mut stream).await.1, 2, "the owner reads on");
    peer.signal("third");
    assert_eq!(report(&mut stream).await.1, 3);
    assert!(is_answer(&stream.event().await.unwrap()));
    other.send("DELETE", "").await;
    assert_eq!(theirs.event().await, None, "and nobody else got any of it");
}

#[tokio::test]
async fn an_answer_that_nothing_was_said_before_comes_alone() {
    let gate = Gate::with("one", crate::gate::tools(&["echo"])).run().await;
    let client = gate.client().initialize().await;
    let reply = client.calling("one__echo", json!({})).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert!(reply.header("content-length").is_some());
}
