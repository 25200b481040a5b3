//! No orphan, whatever ends first.
//!
//! Each tree has a member that lost its parent, has a session of its own and listens to nothing.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use tokio::process::ChildStdout;
use toolgate_sandbox::{ChildProcess, ProgramExit};

use crate::process::{Process, descendants, gone};
use crate::{Embedder, HANG, Said, running, within};

/// The promise. A tree has a fourth of it to end by itself.
const PROMISED: Duration = Duration::from_secs(2);

/// The promise, on a machine that has time for it: where coming up took longer than that, others use
/// it too, and ending may take as long again.
fn promised(began: Instant) -> Duration {
    PROMISED.max(began.elapsed())
}

/// A server with an escaped grandchild.
struct Escaped {
    began: Instant,
    child: ChildProcess,
    said: Said<ChildStdout>,
    outer: Process,
    inner: Process,
    below: Vec<Process>,
}

async fn escaped() -> Escaped {
    let began = Instant::now();
    let (child, mut said) = running(&["escape"]).await;
    for _ in 0..3 {
        said.next().await.unwrap();
    }
    let program = Process::of(child.pid());
    let inner = program.parent();
    let below = descendants(inner);
    assert_eq!(below.len(), 3, "{below:?}");
    let outside = below.iter().filter(|process| process.group != program.pid);
    assert_eq!(outside.count(), 2, "the grandchild and its child left the group");
    Escaped { began, child, said, outer: inner.parent(), inner, below }
}

/// Kills a program that embeds the crate and has this many servers up.
async fn embedder_killed(servers: usize) {
    let began = Instant::now();
    let (embedder, mut said) = Embedder::start(&["embed", &servers.to_string(), "escape"]);
    said.until("all up").await;
    let tree = whole(embedder.process, servers).await;
    let limit = promised(began);
    drop(embedder);
    gone(&tree, limit).await;
}

/// All descendants, once the last ones have come up too: two reapers, and three of the program.
async fn whole(of: Process, servers: usize) -> Vec<Process> {
    crate::process::eventually(HANG, || match descendants(of).len() {
        count if count == servers * 5 => Ok(()),
        count => Err(format!("{count} descendants")),
    })
    .await;
    descendants(of)
}

/// Shows: S4-10.
#[tokio::test]
async fn none_is_left_when_our_process_is_killed() {
    embedder_killed(1).await;
}

/// Shows: S4-10.
#[tokio::test]
async fn none_is_left_of_twenty_servers_when_our_process_is_killed() {
    embedder_killed(20).await;
}

/// Shows: S4-10.
#[tokio::test]
async fn none_is_left_when_the_inner_reaper_is_killed() {
    let mut escaped = escaped().await;
    escaped.inner.send(Signal::SIGKILL);
    gone(&escaped.below, promised(escaped.began)).await;
    assert_eq!(within(escaped.child.wait()).await, ProgramExit::Lost);
    gone(&[escaped.outer], HANG).await;
    assert_eq!(escaped.said.next().await, None);
}

/// Shows: S4-10.
#[tokio::test]
async fn none_is_left_when_the_outer_reaper_is_killed() {
    let mut escaped = escaped().await;
    escaped.outer.send(Signal::SIGKILL);
    gone(&escaped.below, promised(escaped.began)).await;
    assert_eq!(within(escaped.child.wait()).await, ProgramExit::Signal(15));
    gone(&[escaped.inner], HANG).await;
}

#[tokio::test]
async fn none_is_left_when_a_reaper_is_asked_to_end() {
    let outer = escaped().await;
    outer.outer.send(Signal::SIGTERM);
    gone(&outer.below, promised(outer.began)).await;
    let inner = escaped().await;
    inner.inner.send(Signal::SIGTERM);
    gone(&inner.below, promised(inner.began)).await;
}

/// A stopped reaper can neither act nor be asked; the other one does not wait for it for ever.
#[tokio::test]
async fn none_is_left_when_a_reaper_was_stopped_and_we_end() {
    let inner = escaped().await;
    inner.inner.send(Signal::SIGSTOP);
    drop(inner.child);
    gone(&inner.below, HANG).await;
    let outer = escaped().await;
    outer.outer.send(Signal::SIGSTOP);
    drop(outer.child);
    gone(&outer.below, HANG).await;
    outer.outer.send(Signal::SIGKILL);
}

/// The case that is not covered in full: what stayed in the group ends all the same.
#[tokio::test]
async fn the_group_ends_even_when_both_reapers_are_killed_at_once() {
    let (mut child, mut said) = running(&["siblings"]).await;
    for _ in 0..3 {
        said.next().await.unwrap();
    }
    let inner = Process::of(child.pid()).parent();
    let below = descendants(inner);
    assert_eq!(below.len(), 3);
    // Stopped first, so that neither can act on the end of the other.
    let outer = inner.parent();
    for (reaper, signal) in [
        (outer, Signal::SIGSTOP),
        (inner, Signal::SIGSTOP),
        (inner, Signal::SIGKILL),
        (outer, Signal::SIGKILL),
    ] {
        reaper.send(signal);
    }
    assert_eq!(within(child.wait()).await, ProgramExit::Lost);
    gone(&below, HANG).await;
}
