//! Too many processes, too much memory, a full disk: the tree ends, the machine goes on.

use tokio::io::{AsyncBufReadExt as _, BufReader};
use toolgate_sandbox::PassedLimit;

use super::{Around, PROBE, has_walls, said};
use crate::within;

/// Root is bound by no limit of the kernel's on older ones; then the tree is ended.
#[tokio::test]
async fn a_tree_has_only_so_many_processes() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    around.confinement.limits.processes = 100;
    let mut child = around.spawn(&around.command(&PROBE, &["fork-bomb"])).await.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = within(lines.next_line()).await.unwrap();
    within(child.wait()).await;
    match line {
        // The least that the kernel takes as a bound for root is 300.
        Some(started) => assert!(started.parse::<u32>().unwrap() <= 300, "{started}"),
        None => assert_eq!(child.passed_limit(), Some(PassedLimit::Processes)),
    }
}

#[tokio::test]
async fn too_much_memory_ends_the_tree() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    around.confinement.limits.memory_bytes = 64 << 20;
    let mut child = around.spawn(&around.command(&PROBE, &["memory", "268435456"])).await.unwrap();
    within(child.wait()).await;
    assert_eq!(child.passed_limit(), Some(PassedLimit::Memory));
}

#[tokio::test]
async fn a_file_and_the_private_tmp_grow_so_far_and_no_further() {
    if !has_walls().await {
        return;
    }
    let around = Around::new();
    let fill = |file: &str| around.command(&PROBE, &["fill", file, "67108864"]);
    let (tmp, _) = said(&around, &fill("/tmp/large")).await;
    assert_eq!(tmp, "Err(StorageFull)\n");
    // The signal that a limit sends ends most programs; Rust's ignore nothing of it.
    let (_, exit) = said(&around, &fill("large")).await;
    assert!(!exit.is_success(), "{exit}");
    assert!(around.at("work/large").metadata().unwrap().len() <= 32 << 20);
}
