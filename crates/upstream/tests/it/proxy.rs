//! The proxy that the environment names: who goes through it, and what it gets to see.

use std::collections::BTreeMap;
use std::net::TcpListener;

use toolgate_testkit::Site;
use toolgate_types::EnvName;
use toolgate_types::config::Transport;
use toolgate_upstream::{ConnectError, HttpFailure, ServerOpening, UpstreamConnection};

use crate::tls::{Authority, Front, Relay, entry, site};
use crate::{Bench, GRACE, call, within};

/// A server behind TLS, and an entry for it with a token.
struct Scene {
    site: Site,
    front: Front,
    authority: Authority,
}

impl Scene {
    async fn new() -> Self {
        let (site, authority) = (site().await, Authority::new());
        let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
        Self { site, front, authority }
    }

    async fn open(&self, variables: &[(&str, &str)]) -> Result<UpstreamConnection, ConnectError> {
        let mut bench = entry(&self.front.url("/mcp"), Some(self.authority.file()));
        let Transport::Remote(remote) = &mut bench.server.transport else { unreachable!() };
        remote.bearer_token_env = Some(EnvName::parse("TOKEN").unwrap());
        open(&bench, variables).await
    }

    async fn failure(&self, proxy: &str) -> HttpFailure {
        match self.open(&[("HTTPS_PROXY", proxy)]).await {
            Err(ConnectError::Http(failure)) => failure,
            other => panic!("{other:?}"),
        }
    }
}

async fn open(
    bench: &Bench,
    variables: &[(&str, &str)],
) -> Result<UpstreamConnection, ConnectError> {
    let all = variables.iter().chain(&[("TOKEN", "t0ken")]);
    let variables: BTreeMap<_, _> =
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let open = bench
        .opening(async |opening| ServerOpening { variables: &variables, ..opening }.open().await);
    within(open).await
}

async fn use_it(connection: UpstreamConnection) {
    assert!(within(call(&connection, "hello")).await.unwrap().get().contains("hi"));
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_server_behind_tls_is_reached_through_the_proxy_which_reads_nothing() {
    let (scene, relay) = (Scene::new().await, Relay::willing().await);
    for name in ["HTTPS_PROXY", "https_proxy"] {
        use_it(scene.open(&[(name, &relay.url())]).await.unwrap()).await;
    }
    let heads = relay.heads();
    assert_eq!(heads.len(), scene.front.accepted(), "nothing went past it");
    let target = format!("CONNECT {} HTTP/1.1\r\n", scene.front.authority());
    assert!(heads.iter().all(|head| head.starts_with(&target)), "{heads:?}");
    let visits = scene.site.visits();
    assert!(!visits.is_empty());
    for visit in visits {
        assert_eq!(visit.header("authorization"), "Bearer t0ken");
        assert_eq!(visit.header("proxy-authorization"), "");
    }
    let passed = relay.passed().to_ascii_lowercase();
    for secret in ["t0ken", "s3cret", "authorization", "x-key", "jsonrpc"] {
        assert!(!passed.contains(secret), "{secret} in clear");
    }
}

#[tokio::test]
async fn what_no_proxy_names_is_reached_directly() {
    let (scene, relay) = (Scene::new().await, Relay::willing().await);
    let proxy = relay.url();
    for (name, exempt) in
        [("NO_PROXY", "localhost"), ("no_proxy", "a.test, localhost"), ("NO_PROXY", "*")]
    {
        use_it(scene.open(&[("HTTPS_PROXY", &proxy), (name, exempt)]).await.unwrap()).await;
    }
    assert!(relay.heads().is_empty());
    use_it(scene.open(&[("HTTPS_PROXY", &proxy), ("NO_PROXY", "a.test")]).await.unwrap()).await;
    assert!(!relay.heads().is_empty());
}

#[tokio::test]
async fn plain_http_and_no_proxy_at_all_are_direct() {
    let (scene, relay) = (Scene::new().await, Relay::willing().await);
    let proxy = relay.url();
    let plain = entry(&scene.site.url("/mcp"), None);
    let all = [("HTTPS_PROXY", &*proxy), ("HTTP_PROXY", &*proxy), ("http_proxy", &*proxy)];
    use_it(open(&plain, &all).await.unwrap()).await;
    use_it(scene.open(&[("HTTPS_PROXY", "")]).await.unwrap()).await;
    assert!(relay.heads().is_empty());
}

#[tokio::test]
async fn a_proxy_gets_the_credentials_of_its_url_and_the_server_does_not() {
    let (scene, relay) = (Scene::new().await, Relay::willing().await);
    let proxy = relay.url().replace("://", "://user:pass%20word@");
    use_it(scene.open(&[("HTTPS_PROXY", &proxy)]).await.unwrap()).await;
    // user:pass word
    let credential = "\r\nProxy-Authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n";
    assert!(relay.heads().iter().all(|head| head.contains(credential)), "{:?}", relay.heads());
    let visits = scene.site.visits();
    assert!(visits.iter().all(|visit| visit.header("proxy-authorization").is_empty()));
}

#[tokio::test]
async fn a_proxy_behind_tls_is_asked_behind_tls() {
    let (scene, relay) = (Scene::new().await, Relay::willing().await);
    let certified = scene.authority.acceptor("localhost", &["http/1.1"]);
    let outer = Front::before(&relay.url(), certified).await;
    let proxy = outer.url("").replace("://", "://user:pass@");
    use_it(scene.open(&[("HTTPS_PROXY", &proxy)]).await.unwrap()).await;
    assert!(outer.accepted() > 0);
    assert_eq!(relay.heads().len(), outer.accepted());
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_as_the_one_who_does() {
    let scene = Scene::new().await;
    for (status, words) in [
        ("407 Proxy Authentication Required", "the proxy wants a login (HTTP 407)"),
        ("403 Forbidden", "the proxy refused to connect to the server"),
    ] {
        let relay = Relay::refusing(status).await;
        let failure = scene.failure(&relay.url()).await;
        assert_eq!(failure.to_string(), words);
        assert!(!failure.may_retry());
        assert!(!relay.heads().is_empty());
    }
    // The port is free again with this statement.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let failure = scene.failure(&format!("http://{gone}")).await;
    assert_eq!(failure.to_string(), "the proxy cannot be reached: the connection was refused");
    assert!(failure.may_retry());
    assert_eq!(scene.front.accepted(), 0, "the server was not dialled without it");
}

#[tokio::test]
async fn what_is_no_http_proxy_is_said_and_not_passed_over() {
    let scene = Scene::new().await;
    for proxy in ["socks5://user:s3cret@localhost:1", "ftp://localhost", "http://", "a b"] {
        let failure = scene.failure(proxy).await;
        assert!(matches!(failure, HttpFailure::Setup(_)), "{failure:?}");
        assert_eq!(failure.to_string(), "HTTPS_PROXY is not the URL of an HTTP proxy");
    }
    assert_eq!(scene.front.accepted(), 0);
}
