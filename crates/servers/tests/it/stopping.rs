//! A call that nobody waits for any more stops, and gives its turn to the next.
//!
//! Only four work at a time, and each of the calls here would work for a minute.

use std::fs::OpenOptions;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use toolgate_servers::{PrivatePlaces, ReadFile, RepoBounds, RepoServer};

use crate::session::{Ground, PATIENCE};

/// A file that takes up no room and is longer than anybody can read.
fn ground() -> Ground {
    let ground = Ground::with(&[("small", "text")]);
    ground.write("endless", "line\n".repeat(20_000));
    let file = OpenOptions::new().write(true).open(ground.root().join("endless")).unwrap();
    file.set_len(1 << 42).unwrap();
    ground
}

fn bounds() -> RepoBounds {
    RepoBounds { time: Duration::from_secs(60), ..RepoBounds::default() }
}

fn read(path: &str) -> ReadFile {
    serde_json::from_value(json!({ "path": path, "end_line": 1 })).unwrap()
}

#[tokio::test]
async fn a_dropped_call_stops() {
    let ground = ground();
    let repo = RepoServer::with_bounds(ground.root(), PrivatePlaces::default(), bounds());
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
async fn what_git_knows_is_not_looked_for_once_time_is_up() {
    let ground = Ground::repository();
    ground.write("a.txt", "a\n");
    ground.commit("first");
    ground.write("a.txt", "b\n");
    let mut session = ground.bounded(RepoBounds { time: Duration::ZERO, ..RepoBounds::default() });
    for (tool, arguments) in [
        ("git_status", json!({})),
        ("git_log", json!({})),
        ("git_diff", json!({})),
        ("git_show", json!({ "revision": "HEAD" })),
        ("git_blame", json!({ "path": "a.txt" })),
    ] {
        let said = session.refused(tool, arguments).await;
        assert!(said.contains("it took too long"), "{tool}: {said}");
    }
}
