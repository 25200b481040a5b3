//! How many processes run at once, and how much memory they take.

use std::path::Path;
use std::time::Duration;

use toolgate_host::{Host, Pool, PoolBounds};
use toolgate_types::config::{Server, Startup};
use toolgate_types::{Code, ServerState};

use super::{host, roomy};
use crate::gate::{peer_path, server, stdio, within};
use crate::processes::{Slow, call, gone, is_running, pid, process, worker};

const MIB: u64 = 1 << 20;

/// So many servers and any amount of memory; whoever waits does not wait long.
fn servers(servers: usize) -> Pool {
    let bounds = PoolBounds { servers, memory_bytes: u64::MAX };
    Pool::with_patience(bounds, Duration::from_millis(200))
}

/// Whoever does not wait long asks again: what makes room takes its time to end.
async fn pid_once_there_is_room(host: &Host, server: &str) -> u32 {
    within(async {
        loop {
            match call(host, server, "pid").await {
                Ok(pid) => return pid.parse().unwrap(),
                Err(full) => assert_eq!(full.code, Code::ResourceExhausted, "{full}"),
            }
        }
    })
    .await
}

#[tokio::test]
async fn the_least_recently_used_makes_room_for_another() {
    let pool = Pool::new(PoolBounds { servers: 2, memory_bytes: u64::MAX });
    let names = ["one", "two", "three"];
    let gate = host(&pool, Path::new("/"), names.map(|name| (name, process(&worker()))));
    let one = pid(&gate.host, "one").await;
    let two = pid(&gate.host, "two").await;
    assert_eq!(pid(&gate.host, "one").await, one, "used again, after two");
    let three = pid(&gate.host, "three").await;
    assert!(!is_running(two), "it has ended before another was started");
    assert_eq!(pool.servers(), 2);
    let states = names.map(|name| gate.state(name));
    assert_eq!(states, [ServerState::Ready, ServerState::Idle, ServerState::Ready]);
    assert_ne!(pid(&gate.host, "two").await, two, "it comes back when it is used");
    assert!(!is_running(one) && is_running(three), "and now the other goes");
    gate.host.close_all().await;
}

#[tokio::test]
async fn a_server_in_use_is_never_stopped_and_the_limit_is_named() {
    let pool = servers(1);
    let gate = host(&pool, Path::new("/"), ["one", "two"].map(|name| (name, process(&worker()))));
    let slow = Slow::begin(&gate.host, "one").await;
    let full = call(&gate.host, "two", "pid").await.unwrap_err();
    assert_eq!(full.code, Code::ResourceExhausted, "{full}");
    assert!(full.message.contains("`limits.pool_servers` permits (1)"), "{full}");
    assert_eq!(gate.state("two"), ServerState::Idle, "nothing is wrong with it");
    assert_eq!(gate.status("two").failures, 0);
    assert_eq!(slow.end().await.unwrap(), "done");
    pid_once_there_is_room(&gate.host, "two").await;
    gate.host.close_all().await;
}

#[tokio::test]
async fn who_finds_no_room_waits_until_somebody_is_done() {
    let pool = Pool::new(PoolBounds { servers: 1, memory_bytes: u64::MAX });
    let gate = host(&pool, Path::new("/"), ["one", "two"].map(|name| (name, process(&worker()))));
    let slow = Slow::begin(&gate.host, "one").await;
    let host = gate.host.clone();
    let waiting = tokio::spawn(async move { call(&host, "two", "pid").await });
    gate.events.heard("two is connecting").await;
    assert_eq!(slow.end().await.unwrap(), "done");
    within(waiting).await.unwrap().unwrap();
    assert_eq!(pool.servers(), 1);
    gate.host.close_all().await;
}

#[tokio::test]
async fn what_is_to_stay_does_not_go_for_another() {
    let pool = servers(1);
    let mut stays = process(&worker());
    stays.startup = Startup::Eager;
    let gate = host(&pool, Path::new("/"), [("stays", stays), ("other", process(&worker()))]);
    within(gate.host.start()).await.unwrap();
    let pid = gate.status("stays").pid.unwrap();
    let full = call(&gate.host, "other", "pid").await.unwrap_err();
    assert_eq!(full.code, Code::ResourceExhausted, "{full}");
    assert!(is_running(pid));
    gate.host.close_all().await;
}

#[tokio::test]
async fn memory_that_is_too_much_is_given_back_by_who_is_not_used() {
    let bounds = PoolBounds { servers: 100, memory_bytes: 100 * MIB };
    let pool = Pool::with_patience(bounds, Duration::from_millis(200));
    let names =
        [("large", large(150)), ("small", process(&worker())), ("next", process(&worker()))];
    let gate = host(&pool, Path::new("/"), names);
    let slow = Slow::begin(&gate.host, "large").await;
    let large = gate.status("large").pid.unwrap();
    pool.look().await;
    assert!(is_running(large), "it is in use");
    let full = call(&gate.host, "small", "pid").await.unwrap_err();
    assert_eq!(full.code, Code::ResourceExhausted, "{full}");
    assert!(full.message.contains("`limits.pool_memory_bytes`"), "{full}");
    slow.end().await.unwrap();
    let small = pid_once_there_is_room(&gate.host, "small").await;
    assert!(!is_running(large), "it has ended before another was started");
    let next = pid(&gate.host, "next").await;
    assert!(is_running(small) && is_running(next), "there is room for these");
    // Without anybody coming, too.
    pool.bound(PoolBounds { servers: 100, memory_bytes: MIB });
    pool.look().await;
    gone(small).await;
    gone(next).await;
    gate.host.close_all().await;
}

/// Shows: S1-56, S1-57, S1-61.
#[tokio::test]
async fn the_status_says_what_runs_now_also_while_a_server_takes_its_time() {
    let pool = roomy();
    let gate = host(&pool, Path::new("/"), [("large", large(64)), ("never", process(&worker()))]);
    pid(&gate.host, "large").await;
    let slow = Slow::begin(&gate.host, "large").await;
    pool.look().await;
    let status = gate.status("large");
    assert!(is_running(status.pid.unwrap()));
    assert_eq!((status.calls, status.in_flight, status.processes), (2, 1, 1));
    let memory = status.memory_bytes.unwrap();
    assert!((64 * MIB..200 * MIB).contains(&memory), "{memory}");
    assert_eq!((status.source, status.enabled), ("runtime", true));
    assert_eq!(status.origin, "runtime overrides:0");
    assert_eq!((status.state, status.tools), (ServerState::Ready, Some(4)));
    let never = gate.status("never");
    assert_eq!((never.pid, never.memory_bytes, never.calls), (None, None, 0));
    slow.end().await.unwrap();
    assert_eq!(gate.status("large").in_flight, 0);
    gate.host.close_all().await;
    assert_eq!(gate.status("large").pid, None);
}

/// A worker that takes so many mebibytes.
fn large(mebibytes: u32) -> Server {
    let (peer, script) = (peer_path(), worker().to_argument());
    let arguments = ["holding", &mebibytes.to_string(), &script];
    server(stdio(peer.to_str().unwrap(), &arguments))
}
