//! Servers behind a URL that are not what they should be, or not there.

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, Site};
use toolgate_types::config::RemoteKind;
use toolgate_upstream::ConnectError;

use crate::{Bench, GRACE, call, within};

async fn site() -> Site {
    Script::legacy().on_call("hello", [Act::say("hi")]).over_http(WebManners::default()).await
}

async fn refused(site: &Site, path: &str, kind: RemoteKind) -> ConnectError {
    within(Bench::remote(&site.url(path), kind).open()).await.unwrap_err()
}

#[tokio::test]
async fn each_way_of_being_no_server_has_its_own_name() {
    let site = site().await;
    let error = refused(&site, "/status/401", RemoteKind::Auto).await;
    let ConnectError::Unauthorized { status: 401, challenge: Some(challenge), .. } = &error else {
        panic!("{error:?}")
    };
    assert!(challenge.starts_with("Bearer resource_metadata="), "{challenge}");
    let error = refused(&site, "/html", RemoteKind::Auto).await;
    assert!(matches!(error, ConnectError::Html), "{error:?}");
    for status in [404, 405, 500, 503] {
        let error = refused(&site, &format!("/status/{status}"), RemoteKind::Http).await;
        assert!(matches!(error, ConnectError::Status { status: s } if s == status), "{error:?}");
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_refused() {
    let url = site().await.url("/mcp");
    // The site is gone with its statement.
    let error = within(Bench::remote(&url, RemoteKind::Http).open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Http(_)), "{error:?}");
}

/// Shows: C14.
#[tokio::test]
async fn the_oldest_manner_is_tried_after_405_and_only_where_nothing_else_was_asked_for() {
    let site = site().await;
    let connection =
        within(Bench::remote(&site.url("/sse"), RemoteKind::Auto).open()).await.unwrap();
    within(call(&connection, "hello")).await.unwrap();
    connection.close(GRACE).await;
    let error = refused(&site, "/sse", RemoteKind::Http).await;
    assert!(matches!(error, ConnectError::Status { status: 405 }), "{error:?}");
}

/// Shows: S0-5, C14, S4-26.
#[tokio::test]
async fn the_oldest_manner_is_tried_after_400_404_and_405_and_after_nothing_else() {
    let site = site().await;
    for (status, is_tried) in [(400, true), (404, true), (405, true), (401, false), (500, false)] {
        let path = format!("/status/{status}");
        refused(&site, &path, RemoteKind::Auto).await;
        let tried = site.visits().iter().any(|visit| visit.method == "GET" && visit.path == path);
        assert_eq!(tried, is_tried, "{status}");
    }
}

/// Shows: E-3.
#[tokio::test]
async fn a_redirect_is_followed_to_the_same_origin_only() {
    let site = site().await;
    let moved = within(Bench::remote(&site.url("/moved"), RemoteKind::Http).open()).await.unwrap();
    within(call(&moved, "hello")).await.unwrap();
    moved.close(GRACE).await;
    let before = visits_to(&site, "/mcp");
    let error = refused(&site, "/elsewhere", RemoteKind::Http).await;
    assert!(error.to_string().contains("another origin"), "{error}");
    assert_eq!(visits_to(&site, "/mcp"), before, "nothing went there");
}

/// Shows: E-3.
#[tokio::test]
async fn an_address_of_another_origin_is_not_posted_to() {
    let site = site().await;
    let error = refused(&site, "/sse-elsewhere", RemoteKind::Sse).await;
    assert!(error.to_string().contains("another origin"), "{error}");
    assert_eq!(visits_to(&site, "/messages"), 0);
}

/// Shows: E-3.
#[tokio::test]
async fn a_forgotten_session_is_begun_anew_once_and_the_request_asked_again() {
    let site = site().await;
    let connection =
        within(Bench::remote(&site.url("/mcp"), RemoteKind::Http).open()).await.unwrap();
    within(call(&connection, "hello")).await.unwrap();
    site.forget_sessions();
    let both = async { tokio::join!(call(&connection, "hello"), call(&connection, "hello")) };
    let (one, other) = within(both).await;
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    let begun = site.visits().iter().filter(|visit| visit.posts("initialize")).count();
    assert_eq!(begun, 2, "one new session for both");
    let last = site.visits().into_iter().rfind(|visit| visit.posts("tools/call")).unwrap();
    assert_eq!(last.header("mcp-session-id"), "session-2");
}

/// Shows: E-3.
#[tokio::test]
async fn an_answer_beyond_the_limit_costs_its_request_only() {
    for streams in [false, true] {
        let script = Script::legacy()
            .on_call("hello", [Act::say("hi")])
            .on_call("huge", [Act::Huge(300_000)]);
        let site = script.over_http(WebManners { streams, ..WebManners::default() }).await;
        let mut bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
        bench.limits.bytes = 100_000;
        let connection = within(bench.open()).await.unwrap();
        let error = within(call(&connection, "huge")).await.unwrap_err();
        assert!(error.to_string().contains("too large"), "streams {streams}: {error:?}");
        within(call(&connection, "hello")).await.unwrap();
    }
}

fn visits_to(site: &Site, path: &str) -> usize {
    site.visits().iter().filter(|visit| visit.path == path).count()
}
