//! Many at once, many one after the other, and what that leaves.

use toolgate_sandbox::ProgramExit;

use crate::process::{Process, descendants, eventually};
use crate::{Embedder, HANG, running, within};

#[tokio::test]
async fn twenty_at_once_are_twenty_apart() {
    let mut starts = Vec::new();
    for _ in 0..20 {
        starts.push(tokio::spawn(running(&["manners", "input"])));
    }
    let mut all = Vec::new();
    for start in starts {
        all.push(within(start).await.unwrap());
    }
    for (_, said) in &mut all {
        said.until("ready").await;
    }
    // Each sees the end of its own input, so no stream of one is held open by another.
    for (mut child, mut said) in all {
        drop(child.stdin.take());
        assert_eq!(said.next().await.unwrap(), "input closed");
        assert_eq!(said.next().await, None);
        assert_eq!(within(child.wait()).await, ProgramExit::Code(0));
    }
}

#[tokio::test]
async fn a_flood_of_short_lived_grandchildren_leaves_no_zombie() {
    let (child, mut said) = running(&["flood", "300"]).await;
    said.until("ready").await;
    let program = Process::of(child.pid());
    eventually(HANG, || match descendants(program.parent()).as_slice() {
        [only] if *only == program => Ok(()),
        more => Err(format!("{} processes", more.len())),
    })
    .await;
    assert!(program.runs());
}

/// Shows: S4-10.
#[tokio::test]
async fn starting_and_ending_for_a_long_time_leaves_nothing() {
    let (embedder, mut said) = Embedder::start(&["cycles", "200"]);
    said.until("all ended").await;
    let settled = async {
        loop {
            let line = said.next().await.unwrap();
            let (before, now) = line.split_once(' ').unwrap();
            if before == now && descendants(embedder.process).is_empty() {
                break;
            }
        }
    };
    within(settled).await;
}
