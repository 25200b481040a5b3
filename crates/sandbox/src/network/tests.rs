//! Both ends of a sandbox's network in one process: names lie in 127.18.0.0/16, servers on 127.0.0.1.

mod attacks;
mod scene;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use self::scene::{NetworkScene, within};
use super::client_hello::tests::hello;
use toolgate_types::{NetworkRefusal, NetworkVerdict};

#[tokio::test]
async fn a_listed_name_resolves_inside_and_leads_to_its_host() {
    let mut scene = NetworkScene::begin().await;
    for name in ["api.example.com", "API.Example.COM", "api.example.com"] {
        let address = scene.asked(name).await.unwrap();
        assert_eq!(address, scene.named_address);
    }
    let mut connection = scene.connect().await;
    connection.write_all(b"ping").await.unwrap();
    assert_eq!(scene.server_got().await, b"ping");
    let mut answer = [0; 5];
    within(connection.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"+ping");
    let decision = scene.decided().await;
    assert_eq!((decision.host.as_str(), decision.port), ("api.example.com", Some(scene.port)));
    assert_eq!(decision.verdict, NetworkVerdict::Connected(scene.server));
}

#[tokio::test]
async fn dns_is_answered_over_tcp_too_and_has_nothing_but_addresses() {
    let scene = NetworkScene::begin().await;
    assert_eq!(scene.asked_over_tcp(&["api.example.com"]).await, [(0, Some(scene.named_address))]);
    let several =
        scene.asked_over_tcp(&["api.example.com", "evil.example", "api.example.com"]).await;
    assert_eq!(
        several,
        [(0, Some(scene.named_address)), (3, None), (0, Some(scene.named_address))]
    );
    assert_eq!(scene.asked_for("api.example.com", 28).await, (0, None), "no IPv6");
    assert_eq!(scene.asked_for("api.example.com", 16).await, (0, None));
    assert_eq!(scene.asked_for("_acme.secret-data.evil.example", 16).await, (3, None));
}

#[tokio::test]
async fn tls_for_the_dialled_name_passes_and_so_does_what_is_no_tls() {
    let scene = NetworkScene::begin().await;
    scene.asked("api.example.com").await.unwrap();
    let whole = hello(&["api.example.com"]);
    let mut connection = scene.connect().await;
    for byte in &whole {
        connection.write_all(&[*byte]).await.unwrap();
    }
    assert_eq!(scene.server_got_all(whole.len()).await, whole);
    let mut other = scene.connect().await;
    other.write_all(b"SSH-2.0-x\r\n").await.unwrap();
    assert_eq!(scene.server_got_all(11).await, b"SSH-2.0-x\r\n");
}

#[tokio::test]
async fn a_server_may_speak_first_and_each_side_may_end_its_half() {
    let scene = NetworkScene::begin().await;
    scene.asked("api.example.com").await.unwrap();
    let mut connection = scene.connect().await;
    let mut accepted = scene.accepted().await;
    accepted.write_all(b"220 hello\r\n").await.unwrap();
    let mut greeting = [0; 11];
    within(connection.read_exact(&mut greeting)).await.unwrap();
    connection.write_all(b"bye").await.unwrap();
    connection.shutdown().await.unwrap();
    let mut said = Vec::new();
    within(accepted.read_to_end(&mut said)).await.unwrap();
    assert_eq!(said, b"bye");
    accepted.write_all(b"still here").await.unwrap();
    drop(accepted);
    let mut rest = Vec::new();
    within(connection.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"still here");
}

#[tokio::test]
async fn a_program_with_a_proxy_reaches_what_is_listed_and_is_told_why_not() {
    let mut scene = NetworkScene::begin().await;
    let port = scene.port;
    let mut tunnel =
        scene.proxied(&format!("CONNECT api.example.com:{port} HTTP/1.1\r\n\r\n")).await;
    let head = scene::head(&mut tunnel).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    tunnel.write_all(b"through").await.unwrap();
    assert_eq!(scene.server_got_all(7).await, b"through");
    let mut refused = scene.proxied("CONNECT evil.example:443 HTTP/1.1\r\n\r\n").await;
    let told = scene::all(&mut refused).await;
    assert!(told.starts_with("HTTP/1.1 403 "), "{told}");
    assert!(told.contains("not in allow_network"), "{told}");
    let request =
        format!("GET http://api.example.com:{port}/x HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    let _plain = scene.proxied(&request).await;
    let meant =
        format!("GET /x HTTP/1.1\r\nHost: api.example.com:{port}\r\nConnection: close\r\n\r\n");
    assert_eq!(String::from_utf8(scene.server_got_all(meant.len()).await).unwrap(), meant);
    let mut nonsense = scene.proxied("GET / HTTP/1.1\r\n\r\n").await;
    assert!(scene::all(&mut nonsense).await.starts_with("HTTP/1.1 400 "));
    scene.refused_as(&NetworkRefusal::NotListed).await;
    scene.refused_as(&NetworkRefusal::Garbled).await;
}
