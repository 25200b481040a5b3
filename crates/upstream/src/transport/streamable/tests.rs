//! Sessions, resumption and the listening stream, against answers written down byte by byte.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Uri};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use toolgate_types::{EventSink, NobodyToAsk, ServerEvent, ServerId};
use toolgate_wire::{MessageLimits, ProtocolRevision};

use super::Streamable;
use crate::channel::{OutgoingMessage, ServerChannel as _};
use crate::failure::RequestError;
use crate::http::{HttpClient, HttpFailure, HttpSettings};
use crate::inbox::ServerInbox;
use crate::router::MessageRouter;
use crate::transport::exchange::HttpExchange;

const LEGACY: Option<ProtocolRevision> = Some(ProtocolRevision::NEWEST_LEGACY);
const MODERN: Option<ProtocolRevision> = Some(ProtocolRevision::NEWEST);
const RESULT: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

/// Gives each connection one answer, in turn, and tells which requests came; an answer that says
/// `hold` leaves its connection open.
async fn server(answers: Vec<String>) -> (Uri, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    let (seen, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            seen.send(head(&mut stream).await).unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            if answer.contains("hold") {
                let _ = stream.read(&mut [0; 64]).await;
                seen.send("gone".to_owned()).unwrap();
            }
        }
    });
    (uri, requests)
}

/// A request up to the end of its headers, in lower case; what follows is read and dropped.
async fn head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return head.to_owned();
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n\r\n{body}")
}

fn json(headers: &str) -> String {
    answer("200 OK", &format!("{headers}Content-Type: application/json"), RESULT)
}

fn events(body: &str) -> String {
    answer("200 OK", "Content-Type: text/event-stream", body)
}

struct Unheard;

impl EventSink for Unheard {
    fn event(&self, _: &ServerId, _: ServerEvent) {}
}

fn connect(uri: Uri) -> (Arc<Streamable>, Arc<MessageRouter>) {
    let inbox = ServerInbox {
        server: ServerId::parse("peer").unwrap(),
        asker: Arc::new(NobodyToAsk),
        may_sample: true,
        own_roots: "{}".into(),
        events: Arc::new(Unheard),
        replies: mpsc::channel(1).0,
        open: Arc::default(),
        asked: Arc::default(),
    };
    let router = Arc::new(MessageRouter::new(inbox, MessageLimits::DEFAULT, None));
    let client = HttpClient::new(&uri, &HttpSettings::default()).unwrap();
    let exchange = HttpExchange { client, uri, own: HeaderMap::new(), credential: None };
    (Streamable::new(exchange, Arc::clone(&router)), router)
}

fn message(revision: Option<ProtocolRevision>) -> OutgoingMessage {
    OutgoingMessage::plain(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_vec(), revision)
}

#[tokio::test]
async fn only_the_answer_to_initialize_begins_a_session() {
    let given = || json("Mcp-Session-Id: abc\r\n");
    for (revision, is_kept) in [(None, true), (MODERN, false), (LEGACY, false)] {
        let (uri, mut requests) = server(vec![given(), given()]).await;
        let (connection, _) = connect(uri);
        for _ in 0..2 {
            connection.call(1, message(revision)).await.unwrap();
        }
        assert!(!requests.recv().await.unwrap().contains("mcp-session-id"));
        let second = requests.recv().await.unwrap();
        assert_eq!(second.contains("mcp-session-id: abc"), is_kept, "{revision:?}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_twice_goes_on_after_the_last_event_seen() {
    let answers = vec![
        events("id: seven\nretry: 60\ndata:\n\n"),
        events(": nothing new\n\n"),
        events(&format!("data: {RESULT}\n\n")),
    ];
    let (uri, mut requests) = server(answers).await;
    let (connection, _) = connect(uri);
    connection.call(1, message(LEGACY)).await.unwrap();
    assert!(requests.recv().await.unwrap().starts_with("post"));
    for _ in 0..2 {
        let resumed = requests.recv().await.unwrap();
        assert!(resumed.starts_with("get") && resumed.contains("last-event-id: seven"));
    }
}

#[tokio::test]
async fn a_modern_stream_is_not_picked_up_again() {
    let (uri, _requests) = server(vec![events("id: seven\ndata:\n\n")]).await;
    let (connection, _) = connect(uri);
    let lost = connection.call(1, message(MODERN)).await.unwrap_err();
    assert!(matches!(lost, RequestError::Http(HttpFailure::Lost)), "{lost}");
}

#[tokio::test]
async fn without_a_session_a_missing_stream_ends_nothing() {
    let (uri, mut requests) = server(vec![answer("404 Not Found", "Content-Length: 0", "")]).await;
    let (connection, router) = connect(uri);
    connection.established(ProtocolRevision::NEWEST_LEGACY);
    connection.listening(Duration::from_secs(5)).await;
    assert!(requests.recv().await.unwrap().starts_with("get"));
    tokio::task::yield_now().await;
    assert_eq!(router.pending.closed(), None);
}

#[tokio::test]
async fn a_dropped_connection_stops_listening() {
    // Also where the server has not even said yet that there is a stream.
    for begun in [events(": hold\n\n"), "HTTP/1.1 200 OK\r\nX-Hold: hold\r\n".to_owned()] {
        let (uri, mut requests) = server(vec![begun]).await;
        let (connection, _) = connect(uri);
        connection.established(ProtocolRevision::NEWEST_LEGACY);
        connection.listening(Duration::from_millis(200)).await;
        assert!(requests.recv().await.unwrap().starts_with("get"));
        drop(connection);
        let gone = tokio::time::timeout(Duration::from_secs(5), requests.recv()).await;
        assert_eq!(gone.unwrap().as_deref(), Some("gone"));
    }
}
