//! The first-party servers as the host serves them within its own process, over the protocol.

use std::fs::{self, OpenOptions};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::time::timeout;
use toolgate_servers::{PrivatePlaces, ReadFile, RepoBounds, RepoServer, manifest};
use toolgate_testkit::foreign::Client;
use toolgate_upstream::{BuiltinServers, OwnToolServer, serve_own_tools};

/// Long enough for any machine; only a test that is about to fail waits for it.
const PATIENCE: Duration = Duration::from_secs(50);

/// More calls than work at the same time.
const CALLS: u64 = 8;

fn served(server: &RepoServer) -> BuiltinServers {
    let suite = manifest().iter().find(|suite| suite.name == "repo").unwrap();
    let instructions = Some(suite.instructions);
    let served = OwnToolServer::new(suite.program, server.tools());
    serve_own_tools(OwnToolServer { instructions, ..served })
}

/// A small file, and one that takes up no room and is longer than anybody can read.
fn repository() -> (TempDir, RepoServer) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("small"), "one\ntwo\n").unwrap();
    fs::write(folder.path().join("endless"), "line\n".repeat(20_000)).unwrap();
    let file = OpenOptions::new().write(true).open(folder.path().join("endless")).unwrap();
    file.set_len(1 << 42).unwrap();
    let root = folder.path().canonicalize().unwrap();
    let bounds = RepoBounds { time: Duration::from_secs(60), ..RepoBounds::default() };
    (folder, RepoServer::with_bounds(root, PrivatePlaces::default(), bounds))
}

async fn say(pipe: &mut DuplexStream, mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    pipe.write_all(format!("{message}\n").as_bytes()).await.unwrap();
}

async fn call(pipe: &mut DuplexStream, id: u64, path: &str) {
    let params = json!({ "name": "read_file", "arguments": { "path": path, "end_line": 1 } });
    say(pipe, json!({ "id": id, "method": "tools/call", "params": params })).await;
}

#[tokio::test]
async fn a_foreign_client_lists_and_calls() {
    let (_folder, repo) = repository();
    let client = Client::legacy(served(&repo)()).await.unwrap();
    let tools = client.tools().await.unwrap();
    assert!(
        ["read_file", "list_files", "search", "git_log"]
            .iter()
            .all(|it| tools.contains(&(*it).into()))
    );
    let result = client.call("read_file", json!({ "path": "small" })).await.unwrap();
    assert_eq!(result["content"], json!([{ "type": "text", "text": "one\ntwo\n" }]));
    assert_eq!(result["structuredContent"]["total_lines"], 2);
    assert!(client.call("write_file", json!({})).await.is_err());
    client.close().await;
}

#[tokio::test]
async fn it_introduces_itself_and_its_tools() {
    let (_folder, repo) = repository();
    let mut pipe = served(&repo)();
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
    say(&mut pipe, json!({ "id": 1, "method": "initialize", "params": params })).await;
    say(&mut pipe, json!({ "id": 2, "method": "tools/list" })).await;
    let mut lines = BufReader::new(pipe).lines();
    let mut answers = Vec::new();
    for _ in 0..2 {
        let line = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
        answers.push(serde_json::from_str::<Value>(&line).unwrap());
    }
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let about = &answers[0]["result"];
    assert_eq!(about["protocolVersion"], "2025-06-18");
    assert_eq!(about["serverInfo"]["name"], "toolgate-repo");
    assert_eq!(about["instructions"], manifest()[0].instructions);
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), manifest()[0].tools.iter().filter(|tool| tool.exposed).count());
    for tool in tools {
        let expected = json!({
            "title": tool["title"], "readOnlyHint": true, "destructiveHint": false,
            "idempotentHint": true, "openWorldHint": false,
        });
        assert_eq!(tool["annotations"], expected);
        assert_eq!(tool["outputSchema"]["type"], "object");
    }
}

#[tokio::test]
async fn cancelled_calls_stop() {
    let (_folder, repo) = repository();
    let mut pipe = served(&repo)();
    for id in 1..=CALLS {
        call(&mut pipe, id, "endless").await;
        let params = json!({ "requestId": id });
        say(&mut pipe, json!({ "method": "notifications/cancelled", "params": params })).await;
    }
    call(&mut pipe, CALLS + 1, "small").await;
    let mut lines = BufReader::new(pipe).lines();
    let answer = timeout(PATIENCE, lines.next_line()).await.expect("the turns are free");
    let answer: Value = serde_json::from_str(&answer.unwrap().unwrap()).unwrap();
    assert_eq!(answer["id"], CALLS + 1);
    assert_eq!(answer["result"]["structuredContent"]["text"], "one\n");
}

#[tokio::test]
async fn the_calls_of_a_closed_connection_stop() {
    let (_folder, repo) = repository();
    let mut pipe = served(&repo)();
    for id in 1..=CALLS {
        call(&mut pipe, id, "endless").await;
    }
    drop(pipe);
    let small: ReadFile = serde_json::from_value(json!({ "path": "small" })).unwrap();
    let next = timeout(PATIENCE, repo.call(small)).await;
    assert_eq!(next.expect("the turns are free").unwrap().text, "one\ntwo\n");
}

#[tokio::test]
async fn connections_come_and_go_by_themselves() {
    let (_folder, repo) = repository();
    let serve = served(&repo);
    let first = Client::legacy(serve()).await.unwrap();
    let second = Client::legacy(serve()).await.unwrap();
    first.call("read_file", json!({ "path": "small" })).await.unwrap();
    first.close().await;
    second.call("read_file", json!({ "path": "small" })).await.unwrap();
    second.close().await;
}
