//! Hunks read as Git's do.

use std::time::Duration;

use super::*;

fn room(bytes: usize) -> DiffRoom {
    let deadline = Instant::now() + Duration::from_secs(30);
    DiffRoom { context: 1, bytes, line_bytes: 20, deadline }
}

#[test]
fn a_changed_line_stands_between_its_neighbours() {
    let diff = unified(b"a\nb\nc\nd\n", b"a\nB\nc\nd\n", room(1000));
    assert_eq!(diff.text, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    assert_eq!((diff.added, diff.removed, diff.is_cut), (1, 1, false));
}

#[test]
fn empty_sides_and_missing_line_ends_are_said() {
    let diff = unified(b"", b"one", room(1000));
    assert_eq!(diff.text, "@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n");
    let diff = unified(b"one\n", b"", room(1000));
    assert_eq!(diff.text, "@@ -1 +0,0 @@\n-one\n");
    assert_eq!(unified(b"same", b"same", room(1000)), UnifiedDiff::default());
}

#[test]
fn what_does_not_fit_is_left_out_by_the_hunk_and_the_line() {
    let old = "x\n".repeat(50);
    let new = old.replacen('x', "first", 1) + "last\n";
    let diff = unified(old.as_bytes(), new.as_bytes(), room(30));
    assert!(diff.is_cut && diff.text.contains("+first") && !diff.text.contains("last"), "{diff:?}");
    let long = "y".repeat(100);
    let diff = unified(b"", long.as_bytes(), room(1000));
    assert!(diff.is_cut && diff.text.len() < 100, "{diff:?}");
}
