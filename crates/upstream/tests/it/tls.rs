//! Servers behind TLS: whom to believe, and how few connections it takes.

mod front;
mod http2;
mod pooling;
mod relay;

use std::io::Write as _;
use std::path::Path;

use tempfile::NamedTempFile;
pub(crate) use toolgate_testkit::CertificateAuthority as Authority;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, Site};
use toolgate_types::ConfigText;
use toolgate_types::config::{RemoteKind, Transport};
use toolgate_upstream::{ConnectError, HttpFailure};

pub(crate) use self::front::Front;
pub(crate) use self::relay::Relay;
use crate::{Bench, GRACE, call, within};

pub(crate) async fn site() -> Site {
    let manners = WebManners { streams: false, ..WebManners::default() };
    Script::modern().on_call("hello", [Act::say("hi")]).over_http(manners).await
}

pub(crate) fn entry(url: &str, ca_file: Option<&Path>) -> Bench {
    let mut bench = Bench::remote(url, RemoteKind::Http);
    let Transport::Remote(remote) = &mut bench.server.transport else { unreachable!() };
    remote.ca_file = ca_file.map(|file| ConfigText::Plain(file.to_str().unwrap().to_owned()));
    bench
}

async fn failure(bench: Bench) -> HttpFailure {
    match within(bench.open()).await {
        Err(ConnectError::Http(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_the_entrys_own_authority_certifies_is_believed() {
    let (site, authority) = (site().await, Authority::new());
    let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
    let bench = entry(&front.url("/mcp"), Some(authority.file()));
    let connection = within(bench.open()).await.unwrap();
    assert!(within(call(&connection, "hello")).await.unwrap().get().contains("hi"));
    connection.close(GRACE).await;
    assert!(site.visits().iter().all(|visit| visit.header("x-key") == "s3cret"));
}

#[tokio::test]
async fn a_server_that_nobody_known_certifies_is_told_nothing() {
    let (site, authority) = (site().await, Authority::new());
    let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
    let stranger = Authority::new();
    for ca_file in [None, Some(stranger.file())] {
        let failure = failure(entry(&front.url("/mcp"), ca_file)).await;
        let HttpFailure::Tls(why) = &failure else { panic!("{failure:?}") };
        assert!(why.starts_with("invalid peer certificate"), "{why}");
        assert!(!failure.may_retry());
    }
    assert!(front.accepted() >= 2, "it was dialled");
    assert!(site.visits().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_believed() {
    let (site, authority) = (site().await, Authority::new());
    let front = Front::before(&site.url(""), authority.acceptor("elsewhere.test", &[])).await;
    let failure = failure(entry(&front.url("/mcp"), Some(authority.file()))).await;
    let HttpFailure::Tls(why) = failure else { panic!("{failure:?}") };
    assert!(why.contains("not valid for name"), "{why}");
    assert!(site.visits().is_empty());
}

#[tokio::test]
async fn a_server_without_tls_behind_an_https_url_is_a_failure_of_tls() {
    let site = site().await;
    let failure = failure(entry(&site.url("/mcp").replace("http:", "https:"), None)).await;
    assert!(matches!(failure, HttpFailure::Tls(_)), "{failure:?}");
    assert!(site.visits().is_empty());
}

#[tokio::test]
async fn a_ca_file_that_is_of_no_use_is_said_before_anything_is_dialled() {
    let (site, authority) = (site().await, Authority::new());
    let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
    let empty = NamedTempFile::new().unwrap();
    let mut broken = NamedTempFile::new().unwrap();
    broken.write_all(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    let folder = empty.path().parent().unwrap();
    for file in [empty.path(), broken.path(), folder, Path::new("/nonexistent/ca.pem")] {
        let failure = failure(entry(&front.url("/mcp"), Some(file))).await;
        let HttpFailure::Setup(why) = &failure else { panic!("{failure:?}") };
        assert!(why.contains("`ca_file`"), "{why}");
        assert!(!failure.may_retry());
    }
    assert_eq!(front.accepted(), 0);
}
