//! What gets past the one module that writes to a terminal is found in `cli`.
//!
//! The samples are never compiled.

use xtask::tidy::terminal::check_text;

const FILE: &str = "crates/cli/src/commands/list.rs";

#[test]
fn every_other_way_to_a_terminal_is_found() {
    for bad in [
        "fn a() { println!(\"b\"); }",
        "fn a() { eprint!(\"b\"); }",
        "fn a() { std::io::stdout().write_all(b); }",
        "use std::io::{self, Write};\nfn a() { writeln!(io::stderr(), b); }",
        "use std::io::stdout;",
        "use std::io::*;",
        "fn a() { let b = tokio::io::stdout(); }",
        "fn a() { b(io::stdout().is_terminal(), io::stdout()); }\nuse std::io;",
        "use indicatif::ProgressBar;",
        "fn a() { File::open(\"/dev/tty\"); }",
        "fn a() {\n    b(\n        \"/proc/self/fd/1\"\n    );\n}",
        "use std::os::fd::FromRawFd;",
        "fn a() { let b = File::from_raw_fd(1); }",
        "use crate::args::Arguments;\nfn a() { Arguments::parse(); }",
        "fn a(e: clap::Error) { clap::Error::exit(&e) }",
    ] {
        assert!(!check_text(FILE, bad).is_empty(), "{bad}");
    }
}

#[test]
fn what_only_looks_like_it_is_fine() {
    for good in [
        "use std::io;\nfn a() { io::stdout().is_terminal() && io::stdin().is_terminal() }",
        "use std::io::{self, Write};\nfn a(b: &mut Vec<u8>) { writeln!(b, c); }",
        "/// `/dev/tty`\nfn a(output: &mut Output) { output.line(b); }",
        "#[cfg(test)]\nmod tests { fn a() { println!(); b(\"/dev/tty\"); } }",
        "fn a() { Arguments::try_parse(); \"a\".parse::<u8>(); }",
    ] {
        assert_eq!(check_text(FILE, good), [], "{good}");
    }
}

#[test]
fn only_that_module_may_and_other_crates_have_a_rule_of_their_own() {
    let prints = "fn a() { println!(); }";
    for file in [
        "crates/terminal/src/output_stream.rs",
        "crates/cli/src/wrong_arguments.rs",
        "crates/cli/src/list/tests.rs",
        "crates/cli/tests/it/list.rs",
        "crates/config/src/show.rs",
        "xtask/src/main.rs",
    ] {
        assert_eq!(check_text(file, prints), [], "{file}");
    }
    assert!(!check_text("crates/cli/src/wrong_arguments_of_mine.rs", prints).is_empty());
}
