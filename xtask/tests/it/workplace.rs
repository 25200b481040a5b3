//! Paths of a developer's machine are found where a path starts.
//!
//! The check leaves this file alone, since it must name them.

use crate::sample::{numbers, repository};
use xtask::tidy::workplace::{check, check_text};

#[test]
fn absolute_paths_are_found() {
    for bad in ["/work/main", "see `/root/.cargo`", "file:///work/x", "a=/root/b", "(/work/x)"] {
        assert_eq!(numbers(&check_text("README.md", &format!("\n{bad}\n"))), [2], "{bad}");
    }
}

#[test]
fn parts_of_other_paths_are_fine() {
    for good in
        ["/home/me/work/x", "../work/x", "$HOME/work/x", "https://a.b/work/c", "/workspace/"]
    {
        assert_eq!(check_text("README.md", good), [], "{good}");
    }
}

#[test]
fn every_text_file_is_read_except_the_lock_file() {
    let bad = "/work/x";
    let (_folder, repository) = repository(&[
        ("Cargo.lock", bad),
        (".ci/run", bad),
        ("docs/a.md", bad),
        ("b.bin", "\0/work/"),
    ]);
    let files: Vec<String> = check(&repository).unwrap().into_iter().map(|f| f.file).collect();
    assert_eq!(files, [".ci/run", "docs/a.md"]);
}
