//! Clients that are slow, silent or many cost the others nothing.

use http::StatusCode;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, list, tools, within};

async fn echoes(client: &Client) {
    let answer = client.call("one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo", "{answer}");
}

#[tokio::test]
async fn a_client_that_never_finishes_its_head_or_its_body_holds_up_nobody() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let client = gate.client().initialize().await;
    let mut slow = Vec::new();
    for begun in [
        "",
        "POST /mcp HT",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: a",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: */*\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\"",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: */*\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    ] {
        let mut stream = TcpStream::connect(gate.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        slow.push(stream);
        echoes(&client).await;
    }
}

/// A call that says more than lies unread anywhere: whoever reads none of it loses only that.
#[tokio::test]
async fn a_client_that_never_reads_holds_up_neither_its_server_nor_another_client() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["echo", "flood"]))])
        .on_call("echo", [Act::say("echo")])
        .on_call("flood", [Act::Flood(20_000), Act::say("done")]);
    let gate = Gate::with("one", script).run().await;
    let deaf = gate.client().initialize().await;
    let other = gate.client().initialize().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__flood"}}"#;
    let mut stream = TcpStream::connect(gate.address).await.unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         Mcp-Session-Id: {}\r\nContent-Length: {}\r\n\r\n{body}",
        deaf.session(),
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let peer = gate.peers.last("one").await;
    within(peer.received("flood")).await;
    echoes(&other).await;
    echoes(&deaf).await;
    // Its call came to an end too.
    gate.events.heard(&["CallEnded", "flood"], 1).await;
}

/// CVE-2026-25536: answers found by the client's own id went to whoever asked first.
#[tokio::test]
async fn cross_client_leak_two_hundred_clients_that_all_start_at_0_each_get_their_own() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["echo"]))]).on_call(
        "echo",
        [
            Act::progress(1),
            Act::notify(
                "notifications/message",
                r#"{"level":"info","data":"${message:/params/arguments/tag}"}"#,
            ),
            Act::answer(r#"{"content":[],"structuredContent":${arguments}}"#),
        ],
    );
    let gate = Gate::with("one", script).run().await;
    let mut all = tokio::task::JoinSet::new();
    for number in 0..200 {
        let client = gate.client();
        all.spawn(async move {
            let client = client.initialize().await;
            for id in 0..3 {
                let tag = format!("{number}-{id}");
                let params = json!({
                    "name": "one__echo",
                    "arguments": {"tag": tag},
                    "_meta": {"progressToken": id},
                });
                let mut reply = client.request(json!(id), "tools/call", params).await;
                assert_eq!(reply.status, StatusCode::OK);
                let mut reports = 0;
                let answer = loop {
                    let message = reply.message().await;
                    match message["method"].as_str() {
                        None => break message,
                        // One pipe to the server: where it cannot be told whose it is, nobody is told.
                        Some("notifications/message") => assert_eq!(message["params"]["data"], tag),
                        Some(_) => {
                            reports += 1;
                            assert_eq!(message["params"]["progressToken"], id);
                        }
                    }
                };
                assert_eq!((reports, &answer["id"]), (1, &json!(id)));
                assert_eq!(answer["result"]["structuredContent"]["tag"], tag);
            }
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}
