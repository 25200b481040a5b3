//! A login leads nowhere that the server's word could not be trusted with.

use std::net::{Ipv4Addr, TcpListener};

use indexmap::IndexMap;
use toolgate_types::config::{Oauth, RemoteKind};
use toolgate_types::{ConfigText, Endpoint};

use super::*;

fn endpoint(url: &str) -> Endpoint {
    Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap()
}

fn remote(url: &str, oauth: Option<Oauth>) -> RemoteServer {
    RemoteServer {
        endpoint: endpoint(url),
        kind: RemoteKind::Http,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth,
        ca_file: None,
    }
}

/// As a URL is read before anybody asks for it: decimal, octal and short addresses become addresses.
fn request(url: &str) -> Request<Vec<u8>> {
    let url = url::Url::parse(url).unwrap();
    Request::builder().uri(url.as_str()).body(Vec::new()).unwrap()
}

async fn fetched(remote: &RemoteServer, url: &str) -> Result<Response<Vec<u8>>, FetchFailure> {
    let fetch = LoginFetch::new(remote, None, BTreeMap::new()).unwrap();
    fetch.fetch(request(url)).await
}

/// Addresses of this machine, of private networks and of clouds, in every spelling that a URL has.
const FORBIDDEN: [&str; 48] = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://127.255.255.254:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://ip6-localhost:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://a.example@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/@a.example",
    "http://127.0.0.1%2f@a.example:{port}/../",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254:80/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://168.63.129.16/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://[fc00::1]/",
    "http://198.18.0.1/",
    "http://255.255.255.255/",
];

/// A corpus of addresses that a hostile server would have us ask: none is connected to.
#[tokio::test(flavor = "current_thread")]
async fn ssrf_corpus_no_address_of_ours_is_dialled_for_a_server_elsewhere() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let elsewhere = remote("https://1.1.1.1/mcp", None);
    for forbidden in FORBIDDEN {
        let url = forbidden.replace("{port}", &port.to_string());
        let failed = fetched(&elsewhere, &url).await.unwrap_err();
        let is_refused = matches!(failed, FetchFailure::Forbidden { .. });
        // A name that this machine does not know cannot be dialled either.
        let is_unknown = url.contains("a.example:") || url.contains("localhost.");
        let is_unknown = is_unknown || url.contains("ip6-localhost");
        assert!(is_refused || is_unknown, "{url}: {failed:?}");
        assert!(listener.accept().is_err(), "{url} was dialled");
    }
}

/// Where the server itself is, its login may be; a place that a person named too.
#[tokio::test(flavor = "current_thread")]
async fn a_login_may_be_where_its_server_is_and_where_a_person_says() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || {
        for connection in listener.incoming().take(3) {
            use std::io::{Read as _, Write as _};
            let mut connection = connection.unwrap();
            let mut asked = [0; 1024];
            let _ = connection.read(&mut asked).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
            connection.write_all(answer).unwrap();
        }
    });
    let here = remote("http://127.0.0.1:1/mcp", None);
    let url = format!("http://127.0.0.1:{port}/");
    assert_eq!(fetched(&here, &url).await.unwrap().body(), b"ok");
    let by_name = remote("http://localhost:1/mcp", None);
    assert_eq!(fetched(&by_name, &url).await.unwrap().body(), b"ok");
    let token_url = Some(endpoint(&url));
    let named = Some(Oauth { token_url, ..Oauth::default() });
    let elsewhere = remote("https://1.1.1.1/mcp", named);
    assert_eq!(fetched(&elsewhere, &url).await.unwrap().body(), b"ok");
    answering.join().unwrap();
    // Being on this machine opens nothing else.
    let refused = fetched(&here, "http://169.254.169.254/").await;
    assert!(matches!(refused, Err(FetchFailure::Forbidden { .. })), "{refused:?}");
    let refused = fetched(&here, "http://10.0.0.1/").await;
    assert!(matches!(refused, Err(FetchFailure::Forbidden { .. })), "{refused:?}");
}

/// A name that led elsewhere a moment ago: what counts is where it leads when it is dialled.
#[test]
fn rebinding_an_address_counts_when_it_is_dialled() {
    let rule = DialRule::of(&remote("https://server.example/mcp", None));
    let public: IpAddr = "1.1.1.1".parse().unwrap();
    let (own, here) = ([public], "127.0.0.1".parse().unwrap());
    assert!(rule.allows("login.example", public, &own));
    assert!(!rule.allows("login.example", here, &own));
    let cloud: IpAddr = "169.254.169.254".parse().unwrap();
    // Not even the server's own name may lead there.
    assert!(!rule.allows("server.example", cloud, &[cloud]));
    assert!(!rule.allows("login.example", cloud, &[cloud]));
    let literal = DialRule::of(&remote("http://169.254.169.254/mcp", None));
    assert!(literal.allows("169.254.169.254", cloud, &[cloud]));
    assert!(!literal.allows("login.example", cloud, &[cloud]));
    let private: IpAddr = "10.1.2.3".parse().unwrap();
    let other: IpAddr = "10.1.2.4".parse().unwrap();
    assert!(rule.allows("login.example", private, &[private]));
    assert!(!rule.allows("login.example", other, &[private]));
}

/// The clock runs on by itself while nobody says anything.
#[tokio::test(flavor = "current_thread", start_paused = true)]
async fn who_says_nothing_is_given_up() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let failed = fetched(&remote("http://127.0.0.1:1/mcp", None), &url).await;
    assert!(matches!(failed, Err(FetchFailure::TimedOut { .. })), "{failed:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn an_endless_answer_is_cut_off() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let pouring = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut connection, _) = listener.accept().unwrap();
        let _ = connection.read(&mut [0; 1024]).unwrap();
        connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let mut poured = 0;
        while connection.write_all(&[b'x'; 4096]).is_ok() && poured < 64 << 20 {
            poured += 4096;
        }
        poured
    });
    let failed = fetched(&remote("http://127.0.0.1:1/mcp", None), &url).await;
    assert!(matches!(failed, Err(FetchFailure::TooLong { .. })), "{failed:?}");
    // The runtime lets the connection go while this waits.
    let poured = tokio::task::spawn_blocking(|| pouring.join().unwrap()).await.unwrap();
    assert!(poured < 64 << 20, "{poured}");
}
