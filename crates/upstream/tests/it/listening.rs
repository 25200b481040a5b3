//! Listening for changes, and telling a server how much to say.

use std::time::Duration;

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Recorded, Script};
use toolgate_types::config::RemoteKind;
use toolgate_types::{ListKind, LogLevel};
use toolgate_upstream::{HttpFailure, RequestError, WantedChanges};

use crate::{Bench, GRACE, agreeable, connected, parsed, within};

const LISTEN: &str = "subscriptions/listen";

/// Whatever is wanted, that is told of.
fn acknowledge() -> Act {
    let params = r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":{}}"#;
    Act::notify("notifications/subscriptions/acknowledged", params)
}

fn told(method: &str, params: &str) -> Act {
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":${id}}"#;
    Act::notify(method, &format!("{{{params}{meta}}}"))
}

/// Tells of everything there is to tell of.
fn changes() -> Vec<Act> {
    vec![
        acknowledge(),
        told("notifications/tools/list_changed", ""),
        told("notifications/resources/list_changed", ""),
        told("notifications/prompts/list_changed", ""),
        told("notifications/resources/updated", r#""uri":"file:///a","#),
    ]
}

fn heard() -> [Recorded; 4] {
    [
        Recorded::ListChanged(ListKind::Tools),
        Recorded::ListChanged(ListKind::Resources),
        Recorded::ListChanged(ListKind::Prompts),
        Recorded::ResourceUpdated("file:///a".to_owned()),
    ]
}

fn everything() -> WantedChanges {
    WantedChanges {
        tools: true,
        resources: true,
        prompts: true,
        uris: vec!["file:///a".to_owned()],
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_is_asked_for_what_is_wanted_and_for_nothing_else() {
    let script = Script::modern().on(LISTEN, [acknowledge(), Act::answer("{}")]);
    let (connection, peer) = connected(script).await;
    for (wanted, filter) in [
        (WantedChanges::default(), "{}"),
        (WantedChanges { tools: true, ..WantedChanges::default() }, r#"{"toolsListChanged":true}"#),
        (
            everything(),
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}"#,
        ),
    ] {
        connection.listen(&wanted).await.unwrap();
        let sent = peer.seen().pop().unwrap();
        assert!(
            sent.contains(&format!(r#""params":{{"notifications":{filter},"_meta":"#)),
            "{sent}"
        );
        let meta = &parsed(&sent)["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_as_long_as_it_lasts_and_the_servers_word_ends_it() {
    let acts = [changes(), vec![Act::hold("end"), Act::answer("{}")]].concat();
    let bench = Bench::new().answering_within(1_000);
    let (connection, peer) = bench.play(Script::modern().on(LISTEN, acts)).await;
    let connection = connection.unwrap();
    let (wanted, begun) = (everything(), tokio::time::Instant::now());
    let (ended, ()) = tokio::join!(connection.listen(&wanted), async {
        tokio::time::sleep(Duration::from_secs(86_400)).await;
        peer.signal("end");
    });
    ended.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 86_400, "no limit but the server's own");
    assert_eq!(bench.events.all(), heard(), "the acknowledgement is no event");
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_must_come_within_the_time_of_a_request() {
    let another = r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":4711},"notifications":{}}"#;
    let another = Act::notify("notifications/subscriptions/acknowledged", another);
    let token = Act::notify("notifications/progress", r#"{"progressToken":${id},"progress":1}"#);
    for acts in [vec![], vec![another], vec![token]] {
        let bench = Bench::new().answering_within(5_000);
        let (connection, peer) = bench.play(Script::modern().on(LISTEN, acts)).await;
        let begun = tokio::time::Instant::now();
        let error = connection.unwrap().listen(&everything()).await.unwrap_err();
        assert!(matches!(error, RequestError::TimedOut(_)), "{error:?}");
        assert_eq!(begun.elapsed().as_secs(), 5);
        let sent = parsed(&peer.received(LISTEN).await);
        let cancelled = parsed(&within(peer.received("notifications/cancelled")).await);
        assert_eq!(cancelled["params"]["requestId"], sent["id"]);
        assert_eq!(bench.events.all(), []);
    }
}

#[tokio::test]
async fn who_stops_listening_tells_a_process_so() {
    let acts = [acknowledge(), told("notifications/tools/list_changed", ""), Act::hold("nothing")];
    let seen = Script::modern().on(LISTEN, acts).on_call(
        "seen",
        [Act::hold("received notifications/cancelled"), Act::answer(r#"{"seen":${seen}}"#)],
    );
    let bench = Bench::process(&seen);
    let connection = within(bench.open()).await.unwrap();
    let wanted = everything();
    tokio::select! {
        ended = connection.listen(&wanted) => panic!("{ended:?}"),
        _ = within(bench.events.heard(|event| *event == heard()[0])) => {}
    }
    let result = within(crate::call(&connection, "seen")).await.unwrap();
    let seen = parsed(result.get())["seen"].as_array().unwrap().clone();
    let id = |method: &str, at: &str| {
        let message = seen.iter().find(|message| message["method"] == method).unwrap();
        message.pointer(at).unwrap().clone()
    };
    assert_eq!(id("notifications/cancelled", "/params/requestId"), id(LISTEN, "/id"));
    connection.close(GRACE).await;
}

#[tokio::test]
async fn over_http_changes_come_on_the_stream_of_the_request_and_hanging_up_ends_it() {
    let acts = [changes(), vec![Act::hold("nothing")]].concat();
    let site = Script::modern().on(LISTEN, acts).over_http(WebManners::default()).await;
    let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
    let connection = within(bench.open()).await.unwrap();
    let wanted = everything();
    tokio::select! {
        ended = connection.listen(&wanted) => panic!("{ended:?}"),
        _ = within(bench.events.heard(|event| *event == heard()[3])) => {}
    }
    assert_eq!(bench.events.all(), heard());
    within(site.hung_up()).await;
    assert!(!site.visits().iter().any(|visit| visit.posts("notifications/cancelled")));
    let sent = site.visited(|visit| visit.posts(LISTEN)).await;
    assert_eq!(sent.header("mcp-method"), LISTEN);
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_stream_that_ends_without_a_word_is_told_from_one_that_the_server_ended() {
    for (last, is_word) in [(Act::Cut, false), (Act::answer("{}"), true)] {
        let script = Script::modern().on(LISTEN, [acknowledge(), last]);
        let site = script.over_http(WebManners::default()).await;
        let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
        let connection = within(bench.open()).await.unwrap();
        match within(connection.listen(&everything())).await {
            Ok(()) => assert!(is_word),
            Err(RequestError::Http(HttpFailure::Lost)) => assert!(!is_word),
            Err(other) => panic!("{other:?}"),
        }
        connection.close(GRACE).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_listen_says_so_and_an_older_one_is_not_asked() {
    let (modern, _peer) = connected(Script::modern()).await;
    let refused = modern.listen(&everything()).await.unwrap_err();
    assert!(matches!(refused, RequestError::Refused(_)), "{refused:?}");
    let (older, peer) = connected(agreeable(Script::legacy())).await;
    let before = peer.seen().len();
    let refused = older.listen(&everything()).await.unwrap_err();
    assert!(matches!(refused, RequestError::Unsendable(_)), "{refused:?}");
    assert_eq!(peer.seen().len(), before);
}

#[tokio::test(start_paused = true)]
async fn an_older_server_is_told_once_how_much_to_say_and_a_modern_one_not_at_all() {
    let script = Script::legacy().on("logging/setLevel", [Act::answer("{}")]);
    let (older, peer) = connected(script).await;
    older.set_log_level(LogLevel::Warning).await.unwrap();
    let sent = peer.seen().pop().unwrap();
    assert!(sent.contains(r#""method":"logging/setLevel","params":{"level":"warning"}"#), "{sent}");
    let (modern, peer) = connected(Script::modern()).await;
    let before = peer.seen().len();
    modern.set_log_level(LogLevel::Warning).await.unwrap();
    assert_eq!(peer.seen().len(), before);
}
