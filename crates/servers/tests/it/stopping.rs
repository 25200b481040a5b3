//! A call that nobody waits for any more stops, and gives its turn to the next.
//!
//! Only four work at a time, and each of the calls here would work for a minute.

use std::fs::OpenOptions;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use toolgate_servers::{Bounds, PrivatePlaces, ReadFile, Repo, repo};

use crate::session::{Ground, PATIENCE, Session};

/// A file that takes up no room and is longer than anybody can read.
fn ground() -> Ground {
    let ground = Ground::with(&[("small", "text")]);
    ground.write("endless", "line\n".repeat(20_000));
    let file = OpenOptions::new().write(true).open(ground.root().join("endless")).unwrap();
    file.set_len(1 << 42).unwrap();
    ground
}

fn bounds() -> Bounds {
    Bounds { time: Duration::from_secs(60), ..Bounds::default() }
}

fn read(path: &str) -> ReadFile {
    serde_json::from_value(json!({ "path": path, "end_line": 1 })).unwrap()
}

#[tokio::test]
async fn a_dropped_call_stops() {
    let ground = ground();
    let repo = Repo::with_bounds(ground.root(), PrivatePlaces::default(), bounds());
    for _ in 0..8 {
        tokio::select! {
            biased;
            result = repo.call(read("endless")) => panic!("{result:?}"),
            () = std::future::ready(()) => {}
        }
    }
    let next = timeout(PATIENCE, repo.call(read("small"))).await;
    assert_eq!(next.expect("the turns are free").unwrap().text, "text");
}

#[tokio::test]
async fn a_cancelled_call_stops() {
    let ground = ground();
    let mut session = ground.bounded(bounds()).await;
    for _ in 0..8 {
        let params =
            json!({ "name": "read_file", "arguments": { "path": "endless", "end_line": 1 }});
        let id = session.ask("tools/call", params).await;
        let params = json!({ "requestId": id });
        session.send(json!({ "method": "notifications/cancelled", "params": params })).await;
    }
    assert_eq!(session.read("small").await["text"], "text");
}

#[tokio::test]
async fn the_calls_of_a_closed_connection_stop() {
    let ground = ground();
    let own = Repo::with_bounds(ground.root(), PrivatePlaces::default(), bounds());
    for _ in 0..2 {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let served = tokio::spawn(own.clone().serve(theirs));
        let mut session = Session::over(ours).await;
        for _ in 0..4 {
            let arguments = json!({ "path": "endless", "end_line": 1 });
            session.ask("tools/call", json!({ "name": "read_file", "arguments": arguments })).await;
        }
        drop(session);
        timeout(PATIENCE, served).await.expect("the server ends with its connection").unwrap();
    }
    let next = timeout(PATIENCE, own.call(read("small"))).await;
    assert_eq!(next.expect("the turns are free").unwrap().text, "text");
}

#[tokio::test]
async fn connections_come_and_go_by_themselves() {
    let ground = ground();
    let serve = repo(ground.root(), PrivatePlaces::default());
    let mut first = Session::over(serve()).await;
    let mut second = Session::over(serve()).await;
    assert_eq!(first.read("small").await["text"], "text");
    drop(first);
    assert_eq!(second.read("small").await["text"], "text");
}
