//! Servers behind a URL that behave: Streamable HTTP in both eras, and the oldest manner.

use std::sync::Arc;

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Answering, Recorded, Script, Site};
use toolgate_types::config::RemoteKind;
use toolgate_types::{ListKind, QuestionKind};
use toolgate_upstream::{PageLimits, UpstreamConnection};
use toolgate_wire::{Era, ListMethod as WireList, ProtocolRevision};

use crate::{Bench, GRACE, call, within};

const PLAIN: WebManners = WebManners { streams: false, sessions: true, listens: true };
const STREAMED: WebManners = WebManners { streams: true, sessions: true, listens: true };

fn polite(script: Script) -> Script {
    script.on_call("hello", [Act::say("hi")])
}

async fn connected(script: Script, manners: WebManners) -> (UpstreamConnection, Site, Bench) {
    let site = script.over_http(manners).await;
    let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
    let connection = within(bench.open()).await.unwrap();
    (connection, site, bench)
}

/// Shows: S0-4, S0-8, S1-62, S1-90.
#[tokio::test]
async fn a_url_is_spoken_to_in_either_era_and_answers_in_either_way() {
    for (script, era) in [(Script::legacy(), Era::Legacy), (Script::modern(), Era::Modern)] {
        for manners in [PLAIN, STREAMED] {
            let (connection, _site, _) = connected(polite(script.clone()), manners).await;
            assert_eq!(connection.handshake().era(), era);
            let answer = within(call(&connection, "hello")).await.unwrap();
            assert!(answer.get().contains("hi"));
            connection.close(GRACE).await;
        }
    }
}

/// Shows: S1-91.
#[tokio::test]
async fn after_the_handshake_each_request_names_version_and_session() {
    let (connection, site, _) = connected(polite(Script::legacy()), STREAMED).await;
    within(call(&connection, "hello")).await.unwrap();
    within(site.visited(|visit| visit.method == "GET")).await;
    connection.close(GRACE).await;
    let visits = site.visits();
    let after = visits.iter().skip_while(|visit| !visit.posts("initialize")).skip(1);
    let after: Vec<_> = after.collect();
    let methods: Vec<_> = after.iter().map(|visit| visit.method.as_str()).collect();
    assert!(methods.len() == 4 && methods.contains(&"GET"), "{methods:?}");
    assert_eq!(methods.last(), Some(&"DELETE"), "the session is ended");
    for visit in after {
        assert_eq!(visit.header("mcp-protocol-version"), "2025-11-25", "{visit:?}");
        assert_eq!(visit.header("mcp-session-id"), "session-1", "{visit:?}");
        assert_eq!(visit.header("x-key"), "s3cret", "the entry's own header");
    }
}

#[tokio::test]
async fn a_modern_request_says_in_its_headers_what_its_body_says() {
    let (connection, site, _) = connected(polite(Script::modern()), STREAMED).await;
    within(call(&connection, "hello")).await.unwrap();
    connection.close(GRACE).await;
    let sent = site.visited(|visit| visit.posts("tools/call")).await;
    assert_eq!(sent.header("mcp-method"), "tools/call");
    assert_eq!(sent.header("mcp-name"), "hello");
    assert_eq!(sent.header("mcp-protocol-version"), "2026-07-28");
    assert_eq!(sent.header("mcp-session-id"), "");
    assert!(site.visits().iter().all(|visit| visit.method == "POST"), "no stream, no session");
}

#[tokio::test]
async fn a_server_without_sessions_is_given_none() {
    let manners = WebManners { sessions: false, ..STREAMED };
    let (connection, site, _) = connected(polite(Script::legacy()), manners).await;
    within(call(&connection, "hello")).await.unwrap();
    connection.close(GRACE).await;
    assert!(site.visits().iter().all(|visit| visit.header("mcp-session-id").is_empty()));
    assert!(site.visits().iter().all(|visit| visit.method != "DELETE"));
}

/// Shows: S1-90.
#[tokio::test]
async fn what_a_server_says_unasked_comes_over_its_own_stream() {
    let (_connection, site, bench) = connected(polite(Script::legacy()), PLAIN).await;
    site.announce(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    let changed = Recorded::ListChanged(ListKind::Tools);
    within(bench.events.heard(|event| *event == changed)).await;
}

#[tokio::test]
async fn a_server_without_such_a_stream_works_as_well() {
    let manners = WebManners { listens: false, ..STREAMED };
    let (connection, site, _) = connected(polite(Script::legacy()), manners).await;
    within(site.visited(|visit| visit.method == "GET")).await;
    within(call(&connection, "hello")).await.unwrap();
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_question_is_answered_whichever_stream_it_comes_on() {
    for manners in [PLAIN, STREAMED] {
        let ask = [Act::ask("roots/list", "{}"), Act::answer(r#"{"reply":${answer}}"#)];
        let site = Script::legacy().on_call("ask", ask).over_http(manners).await;
        let asker = Answering::new().with(QuestionKind::Roots, r#"{"roots":[]}"#);
        let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http).asking(Arc::new(asker));
        let connection = within(bench.open()).await.unwrap();
        let result = within(call(&connection, "ask")).await.unwrap();
        assert!(result.get().contains(r#""result":{"roots":[]}"#), "{result}");
        connection.close(GRACE).await;
    }
}

#[tokio::test]
async fn an_answer_whose_stream_breaks_is_picked_up_where_it_broke() {
    let acts = [Act::progress(1), Act::Cut, Act::hold("go"), Act::say("after all")];
    let script = Script::legacy().on_call("long", acts);
    let (connection, site, _) = connected(script, STREAMED).await;
    let (answer, ()) = within(async {
        tokio::join!(call(&connection, "long"), async {
            site.visited(|visit| !visit.header("last-event-id").is_empty()).await;
            site.signal("go");
        })
    })
    .await;
    assert!(answer.unwrap().get().contains("after all"));
    let calls = site.visits().iter().filter(|visit| visit.posts("tools/call")).count();
    assert_eq!(calls, 1, "the call itself is not made again");
    connection.close(GRACE).await;
}

/// Shows: S1-11.
#[tokio::test]
async fn a_dropped_request_is_noticed_in_either_era() {
    for (script, era) in [(Script::legacy(), Era::Legacy), (Script::modern(), Era::Modern)] {
        let script = script.on_call("never", [Act::hold("nothing")]);
        let (connection, site, _) = connected(script, STREAMED).await;
        tokio::select! {
            _ = call(&connection, "never") => panic!("there is no answer"),
            _ = within(site.visited(|visit| visit.posts("tools/call"))) => {}
        }
        match era {
            Era::Legacy => {
                within(site.visited(|visit| visit.posts("notifications/cancelled"))).await;
            }
            Era::Modern => within(site.hung_up()).await,
        }
        connection.close(GRACE).await;
    }
}

/// Shows: S4-38.
#[tokio::test]
async fn the_oldest_manner_works_where_it_is_asked_for() {
    let site = polite(Script::legacy().speaking("2024-11-05")).over_http(STREAMED).await;
    let connection =
        within(Bench::remote(&site.url("/sse"), RemoteKind::Sse).open()).await.unwrap();
    assert!(within(call(&connection, "hello")).await.unwrap().get().contains("hi"));
    assert!(site.visits().iter().all(|visit| visit.header("x-key") == "s3cret"));
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_tool_whose_parameters_cannot_be_mirrored_is_set_aside_and_the_rest_stays() {
    let tools = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[
        {"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}},
        {"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"no good"}}}},
        {"name":"plain","inputSchema":{"type":"object"}}]}"#;
    let script = Script::modern().on("tools/list", [Act::answer(tools)]);
    let (connection, _site, _) = connected(script, PLAIN).await;
    let listed = within(connection.list(WireList::Tools, PageLimits::default())).await.unwrap();
    let names: Vec<&str> = listed.items.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["good", "plain"]);
    assert!(listed.set_aside[0].starts_with("bad: "), "{:?}", listed.set_aside);
}

#[tokio::test]
async fn an_answer_to_a_question_names_the_agreed_version() {
    let ask = [Act::ask("roots/list", "{}"), Act::say("thanks")];
    let script = Script::legacy().speaking("2025-06-18").on_call("ask", ask);
    let site = script.over_http(STREAMED).await;
    let asker = Answering::new().with(QuestionKind::Roots, r#"{"roots":[]}"#);
    let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http).asking(Arc::new(asker));
    let connection = within(bench.open()).await.unwrap();
    within(call(&connection, "ask")).await.unwrap();
    let answer = site.visits().into_iter().find(|visit| visit.body.contains(r#""roots":[]"#));
    assert_eq!(answer.unwrap().header("mcp-protocol-version"), "2025-06-18");
}

#[tokio::test]
async fn a_server_that_spoke_the_older_way_and_does_not_any_more_is_asked_anew() {
    let site = polite(Script::modern()).over_http(PLAIN).await;
    let bench =
        Bench::remote(&site.url("/mcp"), RemoteKind::Http).knowing(ProtocolRevision::V2025_11_25);
    let connection = within(bench.open()).await.unwrap();
    assert_eq!(connection.handshake().era(), Era::Modern);
    within(call(&connection, "hello")).await.unwrap();
}
