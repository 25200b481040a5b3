//! Which thread serves whom, what leaves it, and what ends with whom. No sockets: any work will do.

use std::sync::mpsc;
use std::time::Duration;

use tokio::time::timeout;
use toolgate_types::{LONG_MESSAGE, step_aside};

use super::*;

const SOON: Duration = Duration::from_secs(60);

fn thread_name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

fn threads(count: usize) -> ConnectionThreads {
    ConnectionThreads::start(NonZeroUsize::new(count).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_message_of_one_holds_nobody_up_on_the_same_thread() {
    let (threads, mut open) = (threads(1), JoinSet::new());
    let (free, freed) = mpsc::channel();
    let (seen, mut places) = tokio::sync::mpsc::unbounded_channel();
    let held_up = seen.clone();
    threads.serve(&mut open, async move {
        seen.send(thread_name()).unwrap();
        step_aside(LONG_MESSAGE).await;
        // As long as reading something that never ends: only the other connection ends it.
        freed.recv().unwrap();
        seen.send(thread_name()).unwrap();
    });
    assert_eq!(timeout(SOON, places.recv()).await.unwrap().unwrap(), "toolgate-calls");
    threads.serve(&mut open, async move {
        held_up.send(thread_name()).unwrap();
        free.send(()).unwrap();
    });
    assert_eq!(timeout(SOON, places.recv()).await.unwrap().unwrap(), "toolgate-calls");
    assert_ne!(timeout(SOON, places.recv()).await.unwrap().unwrap(), "toolgate-calls");
    while let Some(ended) = timeout(SOON, open.join_next()).await.unwrap() {
        ended.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_moved_ends_with_its_connection_and_its_panic_is_its_own() {
    let (threads, mut open) = (threads(1), JoinSet::new());
    let (kept, mut is_kept) = tokio::sync::mpsc::unbounded_channel::<()>();
    let moved = kept.clone();
    threads.serve(&mut open, async move {
        step_aside(LONG_MESSAGE).await;
        moved.send(()).unwrap();
        std::future::pending::<()>().await;
    });
    drop(kept);
    timeout(SOON, is_kept.recv()).await.unwrap().unwrap();
    open.abort_all();
    assert_eq!(timeout(SOON, is_kept.recv()).await.unwrap(), None, "it holds what it had");
    while open.join_next().await.is_some() {}
    threads.serve(&mut open, async {
        step_aside(LONG_MESSAGE).await;
        panic!("of this connection");
    });
    let ended = timeout(SOON, open.join_next()).await.unwrap().unwrap();
    assert!(ended.unwrap_err().is_panic());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whoever_comes_goes_to_the_thread_with_the_fewest_until_all_leave() {
    let (threads, mut open) = (threads(2), JoinSet::new());
    let (seen, mut places) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..4 {
        let seen = seen.clone();
        threads.serve(&mut open, async move {
            seen.send(thread::current().id()).unwrap();
            std::future::pending::<()>().await;
        });
    }
    let mut first = Vec::new();
    for _ in 0..4 {
        first.push(timeout(SOON, places.recv()).await.unwrap().unwrap());
    }
    let of_first = first.iter().filter(|id| **id == first[0]).count();
    assert_eq!(of_first, 2, "{first:?}");
    open.abort_all();
    while open.join_next().await.is_some() {}
    assert!(threads.threads.iter().all(|one| one.open.load(Ordering::Relaxed) == 0));
}
