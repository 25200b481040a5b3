//! What the system counts of this very process, before and after.

use std::fs;
use std::hint::black_box;

use super::*;

/// In kilobytes, what this process has in memory of files and of its own.
fn resident() -> (usize, usize) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = |key: &str| -> usize {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
    };
    (value("RssFile:"), value("RssAnon:"))
}

/// Larger than what the allocator gives back at once by itself.
fn leave_freed_memory() {
    let pieces: Vec<Vec<u8>> = (0..4_000).map(|size| vec![1; 4_096 + size]).collect();
    // Too large for any gap below, it stands above the rest: the heap cannot simply become shorter.
    let last = black_box(vec![2_u8; 64 * 1024]);
    drop(pieces);
    std::mem::forget(last);
}

#[test]
fn pages_of_the_program_and_freed_memory_are_given_back_and_all_goes_on() {
    static WRITTEN: parking_lot::Mutex<[u8; 3]> = parking_lot::Mutex::new([0; 3]);
    *WRITTEN.lock() = [1, 2, 3];
    let kept = black_box(vec!["kept".to_owned(); 1_000]);
    leave_freed_memory();
    let before = resident();
    give_back_quiet_memory();
    let after = resident();
    assert!(after.0 + 512 < before.0, "{before:?} {after:?}");
    assert!(after.1 + 8 * 1024 < before.1, "{before:?} {after:?}");
    assert_eq!(*WRITTEN.lock(), [1, 2, 3]);
    assert!(kept.iter().all(|word| word == "kept"));
    // Through tables that the loader relocated, and in a thread that is new.
    let shown = std::thread::spawn(move || format!("{:?} {:.2}", kept.first(), 2.5_f64)).join();
    assert_eq!(shown.unwrap(), "Some(\"kept\") 2.50");
}
