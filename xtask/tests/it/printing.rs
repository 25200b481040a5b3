//! Printing and looking at the environment are found outside `cli`.
//!
//! The samples are never compiled.

use xtask::tidy::prints::check_text;

const FILE: &str = "crates/config/src/discovery.rs";

#[test]
fn printing_and_the_environment_are_found() {
    for bad in [
        "fn a() { println!(\"b\"); }",
        "fn a() { eprintln!(\"b\"); }",
        "fn a() { print!(\"b\"); }",
        "fn a() { std::println!(\"b\"); }",
        "fn a() { dbg!(b); }",
        "use std::env;\nfn a() { env::var(\"HOME\"); }",
        "use std::env::var_os;",
        "fn a() { std::env::vars(); }",
        "fn a() { std::env::home_dir(); }",
        "fn a() { dirs::home_dir(); }",
        "use std::io::{self, Write};\nfn a() { io::stdout(); }",
    ] {
        assert!(!check_text(FILE, bad).is_empty(), "{bad}");
    }
}

#[test]
fn what_only_looks_like_it_is_fine() {
    for good in [
        "fn a(home: &Path, env: &Env) { env.var(\"HOME\"); }",
        "fn a() { writeln!(out, \"b\"); std::env::current_dir(); env!(\"C\"); }",
        "// println!\nconst A: &str = \"println!\";",
        "#[cfg(test)]\nmod tests { fn a() { println!(); } }",
    ] {
        assert_eq!(check_text(FILE, good), [], "{good}");
    }
}

#[test]
fn cli_xtask_and_tests_may() {
    for file in [
        "crates/cli/src/a.rs",
        "crates/terminal/src/a.rs",
        "xtask/src/a.rs",
        "crates/config/tests/it/a.rs",
        "crates/upstream/examples/a.rs",
    ] {
        assert_eq!(check_text(file, "fn a() { println!(); std::env::var(b); }"), [], "{file}");
    }
}
