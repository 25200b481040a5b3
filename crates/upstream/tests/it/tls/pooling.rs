//! Connections are kept and used again.

use std::sync::Arc;

use tokio::task::JoinSet;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_upstream::UpstreamConnection;

use super::{Authority, Front, entry, site};
use crate::{GRACE, call, within};

const CALLS: usize = 10;

async fn in_a_row(connection: &UpstreamConnection, calls: usize) {
    for _ in 0..calls {
        within(call(connection, "hello")).await.unwrap();
    }
}

#[tokio::test]
async fn calls_in_a_row_use_one_connection() {
    let (site, authority) = (site().await, Authority::new());
    let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
    let connection =
        within(entry(&front.url("/mcp"), Some(authority.file())).open()).await.unwrap();
    in_a_row(&connection, CALLS).await;
    connection.close(GRACE).await;
    assert_eq!(front.accepted(), 1);
}

#[tokio::test]
async fn calls_at_once_use_as_many_connections_and_those_are_kept() {
    let authority = Authority::new();
    let mut script = Script::modern().on_call("hello", [Act::say("hi")]);
    for round in ["first", "second"] {
        for at in 0..CALLS {
            let name = format!("{round}-{at}");
            script = script.on_call(&name, [Act::hold(&name), Act::say("hi")]);
        }
    }
    let manners = WebManners { streams: false, ..WebManners::default() };
    let site = script.over_http(manners).await;
    let front = Front::before(&site.url(""), authority.acceptor("localhost", &[])).await;
    let bench = entry(&front.url("/mcp"), Some(authority.file()));
    let connection = Arc::new(within(bench.open()).await.unwrap());
    for round in ["first", "second"] {
        let mut calls = JoinSet::new();
        for at in 0..CALLS {
            let connection = Arc::clone(&connection);
            calls.spawn(async move { call(&connection, &format!("{round}-{at}")).await });
        }
        for at in 0..CALLS {
            let name = format!("\"{round}-{at}\"");
            within(site.visited(|visit| visit.body.contains(&name))).await;
        }
        for at in 0..CALLS {
            site.signal(&format!("{round}-{at}"));
        }
        for answered in within(calls.join_all()).await {
            answered.unwrap();
        }
        assert_eq!(front.accepted(), CALLS);
    }
    in_a_row(&connection, CALLS).await;
    assert_eq!(front.accepted(), CALLS);
    connection.close(GRACE).await;
}
