//! Which files are seen, with git and without.
//!
//! Git itself is only used where it is installed.

use std::process::Command;

use crate::sample::{folder, repository};
use xtask::Repository;

#[test]
fn a_plain_folder_is_walked_without_build_output() {
    let (_folder, repository) = repository(&[
        ("crates/wire/src/lib.rs", "//! x\n"),
        ("README.md", "x"),
        ("target/debug/made.rs", "x"),
        ("fuzz/target/made.rs", "x"),
    ]);
    assert_eq!(repository.files().collect::<Vec<_>>(), ["README.md", "crates/wire/src/lib.rs"]);
    assert_eq!(repository.rust_files().collect::<Vec<_>>(), ["crates/wire/src/lib.rs"]);
}

#[test]
fn git_hides_ignored_and_shows_untracked_files() {
    let folder = folder(&[
        (".gitignore", "/ignored.md\n"),
        ("ignored.md", "x"),
        ("new.md", "x"),
        ("gone.md", "x"),
    ]);
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder.path());
        for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            command.env_remove(variable);
        }
        let output = command.output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "--quiet"]) {
        eprintln!("git is not installed: the walk is used, which another test shows");
        return;
    }
    assert!(git(&["add", "gone.md"]));
    std::fs::remove_file(folder.path().join("gone.md")).unwrap();
    let repository = Repository::open(folder.path()).unwrap();
    assert_eq!(repository.files().collect::<Vec<_>>(), [".gitignore", "new.md"]);
}

#[test]
fn a_binary_file_has_no_text() {
    let folder = folder(&[("readme.md", "text")]);
    std::fs::write(folder.path().join("image.png"), b"\x89PNG\0").unwrap();
    let repository = Repository::open(folder.path()).unwrap();
    assert_eq!(repository.text("readme.md").unwrap().as_deref(), Some("text"));
    assert_eq!(repository.text("image.png").unwrap(), None);
    assert!(repository.source("image.png").is_err());
}
