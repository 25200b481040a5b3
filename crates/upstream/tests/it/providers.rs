//! Credentials from a provider that the embedding program brought.

use std::sync::Arc;

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, Site, Tokens};
use toolgate_types::config::{HeaderValue, RemoteKind, RemoteServer, Transport};
use toolgate_types::{ConfigText, EnvName, HeaderName};
use toolgate_upstream::{ConnectError, RequestError};

use crate::{Bench, GRACE, call, within};

fn polite(script: Script) -> Script {
    script.on_call("hello", [Act::say("hi")])
}

async fn site(script: Script) -> Site {
    polite(script).over_http(WebManners::default()).await
}

/// An entry that names the provider `corp`, which gives these tokens.
fn bench(site: &Site, path: &str, kind: RemoteKind, tokens: &Arc<Tokens>) -> Bench {
    let mut bench = Bench::remote(&site.url(path), kind);
    remote(&mut bench).auth_provider = Some(ConfigText::Plain("corp".to_owned()));
    bench.providers.insert("corp".to_owned(), Arc::clone(tokens) as _);
    bench
}

fn remote(bench: &mut Bench) -> &mut RemoteServer {
    match &mut bench.server.transport {
        Transport::Remote(remote) => remote,
        _ => panic!("not remote"),
    }
}

/// Shows: S0-40, S0-41.
#[tokio::test]
async fn every_request_carries_the_token_of_the_provider_that_the_entry_names() {
    for (script, path, kind, methods) in [
        (Script::modern(), "/mcp", RemoteKind::Http, ["POST"].as_slice()),
        (Script::legacy(), "/mcp", RemoteKind::Http, &["POST", "GET", "DELETE"]),
        (Script::legacy(), "/sse", RemoteKind::Sse, &["POST", "GET"]),
        (Script::modern(), "/moved", RemoteKind::Http, &["POST"]),
    ] {
        let tokens = Arc::new(Tokens::new(&["t0ken"]));
        let site = site(script).await;
        site.let_in_only("t0ken");
        let mut bench = bench(&site, path, kind, &tokens);
        // Neither of the entry's own goes before it, and the variable is not even set.
        let own = HeaderName::parse("Authorization").unwrap();
        let value = HeaderValue::Given(ConfigText::hidden("Basic b3du".to_owned()));
        remote(&mut bench).headers.insert(own, value);
        remote(&mut bench).bearer_token_env = Some(EnvName::parse("UNSET_TOKEN").unwrap());
        let connection = within(bench.open()).await.unwrap();
        within(call(&connection, "hello")).await.unwrap();
        connection.close(GRACE).await;
        let visits = site.visits();
        assert!(visits.iter().all(|visit| visit.header("authorization") == "Bearer t0ken"));
        assert!(
            visits.iter().all(|visit| visit.headers.get_all("authorization").iter().count() == 1)
        );
        assert!(methods.iter().all(|method| visits.iter().any(|visit| visit.method == *method)));
        let sent = visits.iter().filter(|visit| visit.path != "/moved").count();
        assert_eq!(tokens.asked().len(), sent, "asked for each");
        assert!(tokens.asked().iter().all(|server| server.as_str() == "peer"));
        assert_eq!(tokens.refusals(), 0);
    }
}

/// Shows: S0-40.
#[tokio::test]
async fn a_provider_that_nobody_brought_is_an_error_that_names_it_and_the_server() {
    let site = site(Script::modern()).await;
    let mut bench = bench(&site, "/mcp", RemoteKind::Auto, &Arc::new(Tokens::new(&["t"])));
    remote(&mut bench).auth_provider = Some(ConfigText::Plain("other".to_owned()));
    let error = within(bench.open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Setup { .. }), "{error:?}");
    assert_eq!(error.to_string(), "Missing auth provider 'other' for MCP server 'peer'");
    assert!(site.visits().is_empty(), "nothing was dialled");
}

#[tokio::test]
async fn a_refused_token_is_replaced_once_where_there_is_another() {
    for path in ["/mcp", "/sse"] {
        let kind = if path == "/sse" { RemoteKind::Sse } else { RemoteKind::Http };
        let tokens = Arc::new(Tokens::new(&["stale", "fresh", "newer"]));
        let site = site(Script::legacy()).await;
        // With the oldest manner the first request is a GET, otherwise a POST.
        site.let_in_only("fresh");
        let connection = within(bench(&site, path, kind, &tokens).open()).await.unwrap();
        assert_eq!(tokens.refusals(), 1, "{path}");
        let first: Vec<_> = site.visits().into_iter().take(2).collect();
        assert_eq!(first[0].header("authorization"), "Bearer stale");
        assert_eq!(first[1].header("authorization"), "Bearer fresh");
        assert!(first[0].method == first[1].method && first[0].body == first[1].body);
        // Later, in the middle of things.
        site.let_in_only("newer");
        within(call(&connection, "hello")).await.unwrap();
        assert_eq!(tokens.refusals(), 2, "{path}");
        connection.close(GRACE).await;
    }
}

#[tokio::test]
async fn a_second_refusal_is_not_followed_by_a_third_try() {
    // Either there is no other token, or the other is no better.
    for (given, tries) in [(["one"].as_slice(), 1), (&["one", "two", "three", "four"], 2)] {
        let tokens = Arc::new(Tokens::new(given));
        let site = site(Script::modern()).await;
        site.let_in_only("another");
        let error = within(bench(&site, "/mcp", RemoteKind::Auto, &tokens).open()).await;
        let error = error.unwrap_err();
        assert!(matches!(error, ConnectError::Unauthorized { status: 401, .. }), "{error:?}");
        assert_eq!(site.visits().len(), tries);
        assert_eq!(tokens.refusals(), 1);
    }
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_the_provider_says_why() {
    let site = site(Script::legacy()).await;
    for given in [[].as_slice(), &["line\nbreak"]] {
        let tokens = Arc::new(Tokens::new(given));
        let error = within(bench(&site, "/mcp", RemoteKind::Auto, &tokens).open()).await;
        let error = error.unwrap_err();
        assert!(matches!(error, ConnectError::NoCredential(_)), "{error:?}");
        let said =
            if given.is_empty() { "nobody is logged in" } else { "cannot stand in a header" };
        assert!(error.to_string().contains(said), "{error}");
        assert!(!format!("{error:?}").contains("break"));
    }
    assert!(site.visits().is_empty());

    let tokens = Arc::new(Tokens::new(&["t0ken"]));
    let connection = within(bench(&site, "/mcp", RemoteKind::Http, &tokens).open()).await.unwrap();
    let before = site.visits().iter().filter(|visit| visit.posts("tools/call")).count();
    let url = url::Url::parse(&site.url("/mcp")).unwrap();
    toolgate_types::AuthProvider::refused(&*tokens, &tokens.asked()[0], &url).await;
    let error = within(call(&connection, "hello")).await.unwrap_err();
    assert!(matches!(error, RequestError::NoCredential(_)), "{error:?}");
    assert!(!error.ends_connection());
    let after = site.visits().iter().filter(|visit| visit.posts("tools/call")).count();
    assert_eq!(after, before);
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_token_appears_nowhere_but_in_the_request() {
    let tokens = Arc::new(Tokens::new(&["s3cr3t-t0ken"]));
    let site = site(Script::legacy()).await;
    let bench = bench(&site, "/mcp", RemoteKind::Http, &tokens);
    let connection = within(bench.open()).await.unwrap();
    within(call(&connection, "hello")).await.unwrap();
    site.let_in_only("another");
    let error = within(call(&connection, "hello")).await.unwrap_err();
    let opening = bench.opening(async |opening| format!("{opening:?}")).await;
    for shown in [
        format!("{connection:?}"),
        format!("{error:?} {error}"),
        format!("{:?}", bench.events.all()),
        format!("{:?}", bench.server),
        opening,
    ] {
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
    connection.close(GRACE).await;
}
