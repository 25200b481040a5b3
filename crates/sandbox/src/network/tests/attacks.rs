//! What a program inside tries, and does not get.

use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use toolgate_types::config::{HostName, RequestedHost};

use super::scene::{self, NetworkScene, ScriptedResolver, access, gate, within};
use crate::network::client_hello::look_at;
use crate::network::client_hello::tests::hello;
use crate::network::dns_answer::tests::question;
use crate::network::dns_answer::{NameLookup, answer};
use crate::network::link::{LinkMessage, send};
use crate::network::proxy_head::parse;
use toolgate_types::{NetworkDecision, NetworkRefusal, NetworkVerdict};

/// What the gate decides about one request that comes over the link.
async fn decision_about(listed: &[&str], host: &str, port: u16) -> NetworkVerdict {
    let mut resolver = ScriptedResolver::default();
    let mut leads = |name, addresses: &[&str]| {
        let addresses = addresses.iter().map(|one| one.parse().unwrap()).collect();
        resolver.names.insert(name, vec![addresses]);
    };
    leads("loop.wild.example", &["127.0.0.1"]);
    leads("meta.wild.example", &["169.254.169.254"]);
    leads("mapped.wild.example", &["::ffff:10.0.0.1"]);
    leads("nat.wild.example", &["64:ff9b::a9fe:a9fe"]);
    leads("home.wild.example", &["192.168.1.1", "fe80::1", "fd00::1"]);
    leads("any.wild.example", &["0.0.0.0"]);
    leads("many.wild.example", &["224.0.0.1"]);
    leads("none.wild.example", &[]);
    let (link, _gate, mut decisions) = gate(access(listed, port), &Arc::new(resolver));
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let host = RequestedHost::parse(host).unwrap();
    send(link.as_fd(), &LinkMessage::Connect(host, port), Some(ours.as_fd())).unwrap();
    within(decisions.recv()).await.unwrap().verdict
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_or_its_network_is_refused() {
    for (name, leads_to) in [
        ("loop.wild.example", "127.0.0.1"),
        ("meta.wild.example", "169.254.169.254"),
        ("mapped.wild.example", "10.0.0.1"),
        ("nat.wild.example", "64:ff9b::a9fe:a9fe"),
        ("home.wild.example", "192.168.1.1"),
        ("any.wild.example", "0.0.0.0"),
        ("many.wild.example", "224.0.0.1"),
    ] {
        let verdict = decision_about(&["*.wild.example"], name, 443).await;
        let refusal = NetworkRefusal::ForbiddenAddress(leads_to.parse().unwrap());
        assert_eq!(verdict, NetworkVerdict::Refused(refusal), "{name}");
    }
    let nowhere = NetworkVerdict::Refused(NetworkRefusal::NotResolved);
    assert_eq!(decision_about(&["*.wild.example"], "none.wild.example", 443).await, nowhere);
    assert_eq!(decision_about(&["*.wild.example"], "gone.wild.example", 443).await, nowhere);
}

#[tokio::test]
async fn what_is_not_listed_is_refused_before_anything_is_resolved() {
    let not_listed = NetworkVerdict::Refused(NetworkRefusal::NotListed);
    let listed = ["api.example.com", "*.wild.example", "xn--mnchen-3ya.example"];
    for (host, port) in [
        ("evil.example", 443),
        ("api.example.com", 80),
        ("x.api.example.com", 443),
        ("wild.example", 443),
        ("notwild.example", 443),
        ("wild.example.evil.test", 443),
        ("munchen.example", 443),
        ("1.1.1.1", 443),
        ("127.0.0.1", 443),
        ("169.254.169.254", 80),
        ("::1", 443),
    ] {
        assert_eq!(decision_about(&listed, host, port).await, not_listed, "{host}:{port}");
    }
    // The same names, however they are spelt, are the same names.
    let found = NetworkVerdict::Refused(NetworkRefusal::NotResolved);
    for host in ["API.EXAMPLE.COM", "api.example.com.", "a.WILD.example", "München.example"] {
        assert_eq!(decision_about(&listed, host, 443).await, found, "{host}");
    }
    assert_eq!(decision_about(&[], "api.example.com", 443).await, not_listed);
}

#[tokio::test]
async fn a_listed_address_is_dialled_and_its_neighbours_are_not() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.3:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let listed = ["127.0.0.3:PORT", "*.wild.example:PORT"];
    let verdict = decision_about(&listed, "127.0.0.3", closed).await;
    assert_eq!(verdict, NetworkVerdict::Refused(NetworkRefusal::NotReached), "it was dialled");
    let verdict = decision_about(&listed, "127.0.0.4", closed).await;
    assert_eq!(verdict, NetworkVerdict::Refused(NetworkRefusal::NotListed));
}

/// The second answer of a rebinding name is never asked for.
#[tokio::test]
async fn a_name_is_resolved_once_and_what_was_looked_at_is_dialled() {
    let mut resolver = ScriptedResolver::default();
    let answers = vec![vec!["127.0.0.1".parse().unwrap()], vec!["127.0.0.2".parse().unwrap()]];
    resolver.names.insert("api.example.com", answers);
    let mut scene = NetworkScene::with(resolver);
    scene.asked("api.example.com").await.unwrap();
    let _connection = scene.connect().await;
    let decision = scene.decided().await;
    assert_eq!(decision.verdict, NetworkVerdict::Connected(scene.server));
    assert_eq!(scene.resolver.asked.load(Ordering::SeqCst), 1);
    let _rebound = scene.connect().await;
    let refusal = NetworkRefusal::ForbiddenAddress("127.0.0.2".parse().unwrap());
    scene.refused_as(&refusal).await;
}

#[tokio::test]
async fn a_name_that_is_not_listed_does_not_exist_inside_and_is_told_once() {
    let mut scene = NetworkScene::begin().await;
    for _ in 0..3 {
        assert_eq!(scene.asked_for("data.exfiltrated.evil.example", 1).await, (3, None));
    }
    let told = scene.decided().await;
    let verdict = NetworkVerdict::Refused(NetworkRefusal::NotListed);
    let host = "data.exfiltrated.evil.example".to_owned();
    assert_eq!(told, NetworkDecision { host, port: None, verdict });
    assert_eq!(scene.asked_for("next.evil.example", 1).await, (3, None));
    assert_eq!(scene.decided().await.host, "next.evil.example", "the first was told once");
    assert_eq!(scene.resolver.asked.load(Ordering::SeqCst), 0, "no question leaves the sandbox");
}

#[tokio::test]
async fn tls_for_another_host_or_for_none_ends_before_a_byte_of_it_arrives() {
    for (first, refusal) in [
        (hello(&["evil.example.com"]), NetworkRefusal::OtherServerName("evil.example.com".into())),
        (hello(&["127.0.0.1"]), NetworkRefusal::OtherServerName("127.0.0.1".into())),
        (hello(&[]), NetworkRefusal::NoServerName),
        (hello(&["api.example.com", "evil.example.com"]), NetworkRefusal::GarbledHello),
        (vec![22, 3, 1, 0, 0], NetworkRefusal::GarbledHello),
    ] {
        let mut scene = NetworkScene::begin().await;
        scene.asked("api.example.com").await.unwrap();
        let mut connection = scene.connect().await;
        connection.write_all(&first).await.unwrap();
        let decision = scene.refused_as(&refusal).await;
        assert_eq!((decision.host.as_str(), decision.port), ("api.example.com", Some(scene.port)));
        let mut accepted = scene.accepted().await;
        let mut got = Vec::new();
        let _ = within(accepted.read_to_end(&mut got)).await;
        assert!(got.is_empty(), "{got:?}");
        assert_eq!(scene::all(&mut connection).await, "");
    }
    // Other spellings of the name are the name.
    let scene = NetworkScene::begin().await;
    scene.asked("api.example.com").await.unwrap();
    let first = hello(&["API.example.com"]);
    let mut connection = scene.connect().await;
    connection.write_all(&first).await.unwrap();
    assert_eq!(scene.server_got_all(first.len()).await, first);
}

#[tokio::test]
async fn tls_for_another_host_ends_in_a_tunnel_of_the_proxy_too() {
    let mut scene = NetworkScene::begin().await;
    let head = format!("CONNECT api.example.com:{} HTTP/1.1\r\n\r\n", scene.port);
    let mut tunnel = scene.proxied(&head).await;
    assert!(scene::head(&mut tunnel).await.starts_with("HTTP/1.1 200 "));
    tunnel.write_all(&hello(&["evil.example.com"])).await.unwrap();
    let refusal = NetworkRefusal::OtherServerName("evil.example.com".into());
    assert_eq!(scene.refused_as(&refusal).await.host, "api.example.com");
    assert_eq!(scene::all(&mut tunnel).await, "");
    for target in ["here.wild.example", "meta.wild.example", "mapped.wild.example"] {
        let head = format!("CONNECT {target}:{} HTTP/1.1\r\n\r\n", scene.port);
        let told = scene::all(&mut scene.proxied(&head).await).await;
        assert!(told.starts_with("HTTP/1.1 403 ") && told.contains("not public"), "{told}");
    }
    for target in ["127.0.0.2", "169.254.169.254", "[::1]"] {
        let head = format!("CONNECT {target}:{} HTTP/1.1\r\n\r\n", scene.port);
        let told = scene::all(&mut scene.proxied(&head).await).await;
        assert!(told.starts_with("HTTP/1.1 403 "), "{told}");
    }
}

#[tokio::test]
async fn a_connection_to_the_inside_itself_leads_nowhere() {
    let scene = NetworkScene::begin().await;
    // Nobody looked a name up, so that this address is nobody's.
    let mut connection = scene.connect().await;
    assert_eq!(scene::all(&mut connection).await, "");
    assert!(!scene.is_reached().await);
}

/// Connections that are opened and never used take their places and no more.
#[tokio::test]
async fn a_flood_of_half_open_connections_is_bounded_and_passes() {
    let mut resolver = ScriptedResolver::default();
    resolver.names.insert("api.example.com", vec![vec!["127.0.0.1".parse().unwrap()]]);
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let listed = ["api.example.com:PORT", "127.0.0.1:PORT"];
    let (link, _gate, mut decisions) = gate(access(&listed, port), &Arc::new(resolver));
    let mut open = Vec::new();
    let mut refused = 0;
    let mut one_more = || {
        let (ours, theirs) = UnixStream::pair().unwrap();
        send(link.as_fd(), &LinkMessage::Proxy, Some(ours.as_fd())).map(|()| open.push(theirs))
    };
    // Its queue is bounded as well: whoever finds it full is closed inside.
    for _ in 0..400 {
        while one_more().is_err() {
            tokio::task::yield_now().await;
        }
        tokio::task::yield_now().await;
    }
    while refused < 400 - 256 {
        let decision = within(decisions.recv()).await.unwrap();
        assert_eq!(decision.verdict, NetworkVerdict::Refused(NetworkRefusal::TooMany));
        refused += 1;
    }
    open.clear();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let host = RequestedHost::parse("api.example.com").unwrap();
    loop {
        send(link.as_fd(), &LinkMessage::Connect(host.clone(), port), Some(ours.as_fd())).unwrap();
        let verdict = within(async {
            loop {
                let verdict = decisions.recv().await.unwrap().verdict;
                if verdict != NetworkVerdict::Refused(NetworkRefusal::Garbled) {
                    return verdict;
                }
            }
        });
        match verdict.await {
            NetworkVerdict::Connected(_) => break,
            NetworkVerdict::Refused(NetworkRefusal::TooMany) => tokio::task::yield_now().await,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_no_connection_is_refused_and_what_is_no_message_ends_the_link() {
    let (link, served, mut decisions) = gate(access(&["api.example.com"], 443), &Arc::default());
    let (datagrams, _other) = UnixDatagram::pair().unwrap();
    let passed: [OwnedFd; 2] = [File::open("/dev/null").unwrap().into(), datagrams.into()];
    for descriptor in passed {
        send(link.as_fd(), &LinkMessage::Proxy, Some(descriptor.as_fd())).unwrap();
        let verdict = within(decisions.recv()).await.unwrap().verdict;
        assert_eq!(verdict, NetworkVerdict::Refused(NetworkRefusal::Garbled));
    }
    // A request without its connection is nobody's.
    send(link.as_fd(), &LinkMessage::Proxy, None).unwrap();
    assert!(within(served).await.unwrap().is_err());
    let name = LinkMessage::Lookup(HostName::parse("a.example.com").unwrap());
    assert!(send(link.as_fd(), &name, None).is_err(), "nobody hears it any more");
}

#[tokio::test]
async fn a_gate_that_is_gone_takes_the_network_with_it() {
    let mut scene = NetworkScene::begin().await;
    scene.asked("api.example.com").await.unwrap();
    let mut connection = scene.connect().await;
    scene.decided().await;
    scene.gate.abort();
    assert_eq!(scene::all(&mut connection).await, "", "it ends");
    let inside = scene.inside.take().unwrap();
    let ended = tokio::task::spawn_blocking(move || inside.join().unwrap());
    within(ended).await.unwrap().unwrap();
    let again = tokio::net::TcpStream::connect((scene.named_address, scene.port)).await;
    assert!(again.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_sandbox_that_is_gone_takes_its_connections_with_it() {
    let mut resolver = ScriptedResolver::default();
    resolver.names.insert("api.example.com", vec![vec!["127.0.0.1".parse().unwrap()]]);
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let listed = ["api.example.com:PORT", "127.0.0.1:PORT"];
    let (link, served, _decisions) = gate(access(&listed, port), &Arc::new(resolver));
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let host = RequestedHost::parse("api.example.com").unwrap();
    send(link.as_fd(), &LinkMessage::Connect(host, port), Some(ours.as_fd())).unwrap();
    let (mut accepted, _) = within(server.accept()).await.unwrap();
    drop(link);
    within(served).await.unwrap().unwrap();
    let mut rest = Vec::new();
    let _ = within(accepted.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
}

/// Bytes that nobody meant: whatever comes, it is read to an end, without a panic.
#[test]
fn random_bytes_are_read_to_an_end_by_every_reader() {
    // Always the same ones, so that what fails once fails again.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let samples = [
        hello(&["api.example.com"]),
        question("api.example.com", 1),
        b"GET http://api.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"connect api.example.com 443".to_vec(),
    ];
    for round in 0..20_000 {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..random() % 6 {
            let at = (random() as usize) % bytes.len();
            bytes[at] = random() as u8;
        }
        bytes.truncate((random() as usize) % (bytes.len() + 1));
        let _ = look_at(&bytes);
        let _ = answer(&bytes, |_| NameLookup::Unknown);
        let _ = parse(&bytes);
        let _ = LinkMessage::of_words(&bytes);
    }
}
