//! What is posted: how long it may be, of which kind, and what is said of nonsense.

use http::StatusCode;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::gate::{Gate, Running, tools, within};

async fn gate() -> Running {
    Gate::with("one", tools(&["echo"])).limits(|limits| limits.message_bytes = 1024).run().await
}

/// Sends these bytes and gives everything that comes back.
async fn raw(gate: &Running, bytes: &str) -> String {
    let mut stream = TcpStream::connect(gate.address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The rest of what was sent may have been left unread: then the end is not a clean one.
    let _ = within(stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

const HEAD: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
     Accept: application/json, text/event-stream\r\nConnection: close\r\n";

/// Shows: E-3.
#[tokio::test]
async fn a_body_over_the_limit_is_refused_announced_or_not() {
    let gate = gate().await;
    // Not one byte of the body is waited for.
    let announced = raw(&gate, &format!("{HEAD}Content-Length: 1025\r\n\r\n")).await;
    assert!(announced.starts_with("HTTP/1.1 413 "), "{announced}");
    let chunk = format!("200\r\n{}\r\n", "x".repeat(512));
    let head = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n");
    // It never ends, and needs not to.
    let chunked = raw(&gate, &format!("{head}{chunk}{chunk}{chunk}")).await;
    assert!(chunked.starts_with("HTTP/1.1 413 "), "{chunked}");
    let fits = raw(&gate, &format!("{head}{chunk}{chunk}0\r\n\r\n")).await;
    assert!(fits.starts_with("HTTP/1.1 400 ") && fits.contains("-32700"), "{fits}");
}

#[tokio::test]
async fn what_is_no_json_is_a_parse_error() {
    let gate = gate().await;
    for bad in ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "\u{feff}{}"] {
        let reply = gate.client().send("POST", bad.to_owned()).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{bad:?}");
        let answer = reply.json().await;
        assert_eq!(answer["error"]["code"], -32700, "{bad:?}");
        assert!(answer["id"].is_null());
    }
}

#[tokio::test]
async fn json_that_is_no_message_is_an_invalid_request() {
    let gate = gate().await;
    for bad in ["1", "{}", r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#] {
        let reply = gate.client().post(bad).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{bad}");
        assert_eq!(reply.json().await["error"]["code"], -32600, "{bad}");
    }
}

#[tokio::test]
async fn a_body_of_another_kind_is_not_read() {
    let gate = gate().await;
    let client = gate.client();
    let form = "application/x-www-form-urlencoded";
    for client in [
        client.without("content-type"),
        client.header("content-type", "text/plain"),
        client.header("content-type", form),
    ] {
        let reply = client.request(json!(1), "ping", json!({})).await;
        assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let client = client.header("content-type", "Application/JSON; charset=utf-8");
    client.initialize().await;
}

#[tokio::test]
async fn a_client_that_takes_no_events_or_no_json_is_told_so() {
    let gate = gate().await;
    let session = gate.client().initialize().await;
    for accept in ["application/json", "text/event-stream", "text/html"] {
        let reply = session.header("accept", accept).request(json!(1), "ping", json!({})).await;
        assert_eq!(reply.status, StatusCode::NOT_ACCEPTABLE, "{accept}");
    }
    let json_only = session.header("accept", "application/json");
    assert_eq!(json_only.send("GET", "").await.status, StatusCode::NOT_ACCEPTABLE);
    // Who says nothing takes anything, as HTTP has it.
    for any in [session.header("accept", "*/*"), session.without("accept")] {
        assert_eq!(any.request(json!(1), "ping", json!({})).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let gate = gate().await;
    let session = gate.client().initialize().await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let one = |close: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: */*\r\nMcp-Session-Id: {}\r\n{close}Content-Length: {}\r\n\r\n{ping}",
            session.session(),
            ping.len()
        )
    };
    let both = raw(&gate, &(one("") + &one("Connection: close\r\n"))).await;
    assert_eq!(both.matches("HTTP/1.1 200 OK").count(), 2, "{both}");
    assert_eq!(both.matches(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).count(), 2, "{both}");
}

/// Shows: E-3.
#[tokio::test]
async fn a_head_without_end_is_refused() {
    let gate = gate().await;
    let long = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(70_000));
    let answer = raw(&gate, &long).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}
