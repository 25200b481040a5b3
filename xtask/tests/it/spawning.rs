//! Each way of starting a process is found outside `sandbox`, and nothing else is.
//!
//! The samples are never compiled.

use crate::sample::numbers;
use xtask::tidy::spawns::check_text;

const FILE: &str = "crates/upstream/src/stdio.rs";

#[test]
fn every_way_of_starting_a_process_is_found() {
    for bad in [
        "use std::process::Command;",
        "use std::process::{self, Command};",
        "use std::{fs, process::{Command as Run}};",
        "use std::process::*;",
        "fn a() { std::process::Command::new(\"ls\"); }",
        "use std::process;\nfn a() { process::Command::new(\"ls\"); }",
        "use std::process as p;\nfn a() { p::Command::new(\"ls\"); }",
        "use tokio::process;",
        "fn a() { tokio::process::Command::new(\"ls\"); }",
        "fn a() { Command::new(\"ls\"); }",
        "use shared_child::Command;\nfn a() { Command::new(\"ls\"); }",
        "fn a() { libc::posix_spawn(b); }",
        "fn a() { nix::unistd::fork(); }",
        "fn a() { libc::execve(b); }",
    ] {
        assert!(!check_text(FILE, bad).is_empty(), "{bad}");
    }
}

#[test]
fn what_only_looks_like_it_is_fine() {
    for good in [
        "use std::process::{ExitCode, exit};",
        "use clap::Command;\nfn a() { Command::new(\"toolgate\"); }",
        "use clap::{Arg, Command};\nfn a() { Command::new(\"toolgate\"); }",
        "fn a() { clap::Command::new(\"toolgate\"); }",
        "use toolgate_types::Command;\nfn a() { Command::new(\"npx\"); }",
        "struct Command;\nfn a() { Command::new(\"npx\"); }",
        "// std::process::Command\nconst A: &str = \"std::process::Command\";",
        "#[cfg(test)]\nmod tests { use std::process::Command; }",
        "fn a() { tokio::spawn(b); }\nfn forked(c: u8) {}",
    ] {
        assert_eq!(check_text(FILE, good), [], "{good}");
    }
}

#[test]
fn sandbox_xtask_build_scripts_and_tests_may() {
    let spawns = "fn a() { std::process::Command::new(\"ls\"); }";
    for file in [
        "crates/sandbox/src/a.rs",
        "crates/cli/tests/it/a.rs",
        "crates/cli/build.rs",
        "xtask/src/a.rs",
    ] {
        assert_eq!(check_text(file, spawns), [], "{file}");
    }
}

#[test]
fn unsafe_is_found_in_tests_too() {
    let text = "//! unsafe\n#![forbid(unsafe_code)]\nfn a() { unsafe { b() } }";
    for file in [FILE, "crates/cli/tests/it/a.rs", "xtask/src/a.rs", "fuzz/fuzz_targets/a.rs"] {
        assert_eq!(numbers(&check_text(file, text)), [3], "{file}");
    }
    assert_eq!(check_text("crates/sandbox/src/a.rs", text), []);
}
