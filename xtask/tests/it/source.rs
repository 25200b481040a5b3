//! What counts as code, comment, literal, test item and path.
//!
//! Not a test of Rust's whole grammar: only of what would make a check lie.

use xtask::source::{LexedSource, is_test, named, room, without_tests};

fn paths(code: &str) -> Vec<String> {
    named(&LexedSource::new(code).code).into_iter().map(|name| name.full).collect()
}

#[test]
fn comments_and_literals_are_not_code() {
    let text = "a // b\n/* c /* d */ e */ f \"g \\\" h\" 'i' r#\"j \" k\"# 'l: m '\\'' n b\"o\"\n";
    let source = LexedSource::new(text);
    let code: Vec<&str> = source.code.split_whitespace().collect();
    assert_eq!(code, ["a", "f", "\"", "\"", "r", "\"", "\"", "'l:", "m", "n", "b\"", "\""]);
    let literals: Vec<&str> = source.literals.iter().map(|literal| literal.text.as_str()).collect();
    assert_eq!(literals, ["g \" h", "j \" k", "o"]);
    assert_eq!(source.comments[0].text, "// b");
}

#[test]
fn lines_stay_where_they_were() {
    let source = LexedSource::new("/*\n\n*/ a\n\"x\n\\\n   y\" b\n");
    let line_of = |word| source.code.lines().position(|line| line.contains(word)).unwrap() + 1;
    assert_eq!((line_of("a"), line_of("b")), (3, 6));
    assert_eq!(source.literals[0].line, 4);
}

#[test]
fn raw_identifiers_are_no_strings() {
    let source = LexedSource::new("r#type + \"x\"");
    assert_eq!(source.literals.len(), 1);
    assert!(source.code.starts_with("r#type"));
}

#[test]
fn test_items_go_and_the_rest_stays() {
    let code = "one();\n#[cfg(test)]\nmod tests;\ntwo();\n#[cfg(test)]\nmod inline { fn a() { b() } }\n\
                three();\n#[tokio::test(flavor = \"x\")]\nasync fn t() { four() }\n\
                #[cfg(not(test))]\nfn five() {}\n#[cfg(all(test, unix))]\nuse a::{b};\nsix();\n";
    let left = without_tests(code);
    for stays in ["one", "two", "three", "five", "six"] {
        assert!(left.contains(stays), "{stays}: {left}");
    }
    for goes in ["mod tests", "inline", "b()", "four", "use a"] {
        assert!(!left.contains(goes), "{goes}: {left}");
    }
    assert_eq!(left.lines().count(), code.lines().count());
}

#[test]
fn paths_are_written_out_by_the_imports() {
    let code = "use std::{env, process::{self, Command as Run}};\nuse crate::args::{Command};\n\
                fn a() { process::exit(1); Run::new(); env::var(x); Command::new(); b::c!() }";
    let paths = paths(code);
    for full in [
        "std::env",
        "std::process",
        "std::process::Command",
        "crate::args::Command",
        "std::process::exit",
        "std::process::Command::new",
        "std::env::var",
        "crate::args::Command::new",
        "b::c",
    ] {
        assert!(paths.iter().any(|path| path == full), "{full}: {paths:?}");
    }
}

#[test]
fn captures_are_no_imports_and_globs_are() {
    let paths = paths("fn a() -> impl B + use<'a, C> {}\nuse std::process::*;\nlet d = e!= f;");
    assert_eq!(paths, ["std::process::*", "std::process"]);
}

#[test]
fn files_know_their_room_and_whether_they_are_tests() {
    assert_eq!(room("crates/wire/src/lib.rs"), Some("wire"));
    assert_eq!(room("xtask/src/lib.rs"), None);
    assert!(is_test("crates/cli/tests/it/add.rs") && is_test("crates/types/src/id/tests.rs"));
    assert!(!is_test("crates/cli/src/attests.rs"));
}
