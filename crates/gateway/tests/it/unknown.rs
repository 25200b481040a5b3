//! Those who have not shown a token: they keep nobody out who has one, and are not waited for.

use std::io::ErrorKind;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, Running, list, tools, within};

const TOKEN: &str = "the-token";

fn gate() -> Gate {
    Gate::with("one", tools(&["echo"])).token(TOKEN, "ann", None)
}

/// Both ends of every connection are in this process.
fn permit_many_open_files() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(8_192), hard).unwrap();
}

async fn connect(gate: &Running) -> TcpStream {
    within(TcpStream::connect(gate.address)).await.unwrap()
}

/// Everything that comes until the other end closes, however it does.
async fn rest(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    if let Err(error) = within(stream.read_to_end(&mut all)).await {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    String::from_utf8(all).unwrap()
}

/// Asks for the figures over this connection and gives the answer, whole.
async fn figures(stream: &mut TcpStream, token: &str) -> String {
    let head = format!(
        "GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"# EOF\n") {
        let read = within(stream.read_buf(&mut answer)).await.unwrap();
        assert_ne!(read, 0, "closed after {}", String::from_utf8_lossy(&answer));
    }
    String::from_utf8(answer).unwrap()
}

fn figure(figures: &str, name: &str) -> u64 {
    let line = figures.lines().find_map(|line| line.strip_prefix(&format!("toolgate_{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {figures}")).parse().unwrap()
}

async fn calls(client: &Client) {
    let client = client.bearer(TOKEN).initialize().await;
    assert_eq!(client.call("one__echo", json!({})).await["result"]["content"][0]["text"], "echo");
}

#[tokio::test]
async fn two_thousand_who_say_nothing_keep_nobody_out_who_has_a_token() {
    permit_many_open_files();
    let gate = gate().known_within(Duration::MAX).run().await;
    // It was here before them and is silent now; they do not cost it its connection.
    let mut known = connect(&gate).await;
    figures(&mut known, TOKEN).await;
    let mut silent = Vec::new();
    for _ in 0..2_000 {
        silent.push(connect(&gate).await);
    }
    calls(&gate.client()).await;
    let all = figures(&mut known, TOKEN).await;
    assert!(figure(&all, "http_connections_unknown") <= 256, "{all}");
    // Those that were there longest were told, and why.
    let told = rest(&mut silent[0]).await;
    assert!(told.starts_with("HTTP/1.1 503 ") && told.contains("too many connections"), "{told}");
    calls(&gate.client()).await;
}

#[tokio::test]
async fn who_comes_when_there_is_no_room_takes_the_place_of_the_unknown_one_that_is_there_longest()
{
    let gate = gate().limits(|limits| limits.connections = 1).run().await;
    let asks = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let mut silent = connect(&gate).await;
    let mut second = connect(&gate).await;
    second.write_all(asks).await.unwrap();
    assert!(rest(&mut silent).await.starts_with("HTTP/1.1 503 "));
    assert!(rest(&mut second).await.ends_with("\r\n\r\nok"));
}

#[tokio::test]
async fn whoever_has_no_token_is_not_waited_for_whatever_it_says_meanwhile() {
    let gate = gate().known_within(Duration::from_millis(100)).run().await;
    let mut known = connect(&gate).await;
    figures(&mut known, TOKEN).await;
    let mut asks = connect(&gate).await;
    asks.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut begins = connect(&gate).await;
    begins.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthor").await.unwrap();
    let mut trickles = connect(&gate).await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{";
    trickles.write_all(head.as_bytes()).await.unwrap();
    let mut silent = connect(&gate).await;
    assert!(rest(&mut silent).await.starts_with("HTTP/1.1 408 "));
    assert!(rest(&mut begins).await.starts_with("HTTP/1.1 408 "));
    let asked = rest(&mut asks).await;
    assert!(asked.starts_with("HTTP/1.1 200 ") && asked.contains("HTTP/1.1 408 "), "{asked}");
    // Its body was not read before it was refused.
    assert!(rest(&mut trickles).await.starts_with("HTTP/1.1 401 "));
    // This one is silent for longer than all of them.
    let all = figures(&mut known, TOKEN).await;
    assert_eq!(figure(&all, "http_turned_away_total"), 3, "{all}");
    assert_eq!(figure(&all, "http_connections_unknown"), 0, "{all}");
}

#[tokio::test]
async fn a_stream_that_a_known_caller_reads_is_not_cut() {
    let changing = [Act::notify("notifications/tools/list_changed", "{}"), Act::say("done")];
    let script = Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::answer(list(&["change"]))])
        .on_call("change", changing);
    let gate = Gate::with("one", script);
    let gate = gate.token(TOKEN, "ann", None).known_within(Duration::from_millis(100));
    let gate = gate.run().await;
    let session = gate.client().bearer(TOKEN).initialize().await;
    session.request(json!(1), "tools/list", json!({})).await.answer().await;
    let mut stream = session.get_stream().await;
    // Long after it was opened, for those who have no token.
    assert!(rest(&mut connect(&gate).await).await.starts_with("HTTP/1.1 408 "));
    session.call("one__change", json!({})).await;
    assert_eq!(stream.message().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn one_connection_tries_so_many_tokens_and_no_more() {
    let gate = gate().run().await;
    let mut guessing = connect(&gate).await;
    let guess = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer guess\r\n\r\n";
    guessing.write_all(guess.repeat(40).as_bytes()).await.unwrap();
    let answers = rest(&mut guessing).await;
    assert_eq!(answers.matches("HTTP/1.1 401 ").count(), 16, "{answers}");
    assert_eq!(answers.matches("connection: close").count(), 1, "{answers}");
    // Who has shown one that counts may be wrong as often as it likes.
    let mut known = connect(&gate).await;
    figures(&mut known, TOKEN).await;
    known.write_all(guess.repeat(40).as_bytes()).await.unwrap();
    let mut answers = String::new();
    while answers.matches("HTTP/1.1 401 ").count() < 40 {
        let mut more = Vec::new();
        assert_ne!(within(known.read_buf(&mut more)).await.unwrap(), 0, "{answers}");
        answers.push_str(std::str::from_utf8(&more).unwrap());
    }
    assert!(!answers.contains("connection: close"), "{answers}");
}

#[tokio::test]
async fn where_known_callers_fill_the_room_the_one_that_is_idle_longest_makes_way_for_another() {
    let gate = gate().limits(|limits| limits.connections = 3).run().await;
    let mut first = connect(&gate).await;
    figures(&mut first, TOKEN).await;
    let mut second = connect(&gate).await;
    figures(&mut second, TOKEN).await;
    figures(&mut first, TOKEN).await;
    let mut third = connect(&gate).await;
    figures(&mut third, TOKEN).await;
    assert_eq!(rest(&mut second).await, "");
    figures(&mut first, TOKEN).await;
}

#[tokio::test]
async fn where_all_known_callers_are_busy_the_next_is_told_so() {
    let gate = gate().limits(|limits| limits.connections = 3).run().await;
    let one = gate.client().bearer(TOKEN).initialize().await;
    let other = gate.client().bearer(TOKEN).initialize().await;
    let _streams = [one.get_stream().await, other.get_stream().await];
    let mut third = connect(&gate).await;
    let head = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer the-token\r\n\
                connection: close\r\n\r\n";
    third.write_all(head.as_bytes()).await.unwrap();
    let told = rest(&mut third).await;
    assert!(told.starts_with("HTTP/1.1 503 ") && told.contains("too many connections"), "{told}");
}

/// Of the newer HTTP nothing is spoken here, and nobody is left to wonder.
#[tokio::test]
async fn the_preface_of_http_2_is_answered_with_an_end() {
    let gate = gate().known_within(Duration::MAX).run().await;
    let mut stream = connect(&gate).await;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
}
