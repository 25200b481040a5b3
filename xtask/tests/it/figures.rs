//! What is counted about the house, on small houses.

use xtask::figures::ShippedFile;
use xtask::figures::circles::circles_of;
use xtask::figures::lines::LineFigures;
use xtask::figures::module_tree::ModuleTree;
use xtask::figures::type_names::TypeNames;
use xtask::tidy;

use crate::sample::repository;

fn file(path: &str, code: &str) -> ShippedFile {
    let lines = code.lines().count();
    ShippedFile { path: format!("crates/x/src/{path}"), code: code.to_owned(), lines }
}

fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let files: Vec<_> = files.iter().map(|(path, code)| file(path, code)).collect();
    circles_of(&ModuleTree::of(&files))
}

#[test]
fn two_files_that_name_each_other_are_a_circle() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;"),
        ("a.rs", "use crate::b::B;\npub struct A;"),
        ("b.rs", "pub struct B;\nfn f(a: crate::a::A) {}"),
    ]);
    assert_eq!(found, [["crates/x/src/a.rs", "crates/x/src/b.rs"]]);
}

#[test]
fn an_order_is_none_and_neither_is_a_parent_with_its_children() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;\nuse a::A;"),
        ("a.rs", "mod inner;\nuse inner::Inner;\npub struct A;"),
        ("a/inner.rs", "use super::A;\nuse crate::b::B;\npub struct Inner;"),
        ("b.rs", "pub struct B;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_circle_through_what_the_root_hands_on_is_seen() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;"),
        ("a.rs", "use crate::B;\npub struct A;"),
        ("b.rs", "use super::A;\npub struct B;"),
    ]);
    assert_eq!(found, [["crates/x/src/a.rs", "crates/x/src/b.rs"]]);
}

#[test]
fn a_circle_of_three_is_one_and_others_are_not_in_it() {
    let found = circles(&[
        ("main.rs", "mod a;\nmod b;\nmod c;\nmod d;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;\nuse crate::d::D;"),
        ("d.rs", "pub struct D;"),
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].len(), 3, "{found:?}");
}

#[test]
fn names_that_are_defined_twice_are_counted_as_often() {
    let mut names = TypeNames::default();
    names.add("x", "pub struct Place;\npub(crate) enum Kind {}\ntrait Walk {}\n");
    names.add("y", "pub struct Place;\nstruct Kind;\nimpl T {\n    type Inner = u8;\n}\n");
    names.add("y", "pub struct ApprovalQueue;\n");
    assert_eq!(names.shared(), 4);
    assert_eq!(names.public_in_two_crates(), ["Place"]);
    assert_eq!(names.median_length(), "Place".len());
}

#[test]
fn lines_are_counted_by_file() {
    let files: Vec<_> = (1..=10).map(|n| file(&format!("f{n}.rs"), &"x\n".repeat(n))).collect();
    let figures = LineFigures::of(&files);
    assert_eq!((figures.files, figures.lines, figures.median, figures.p90), (10, 55, 6, 10));
    assert_eq!(figures.largest, Some(("crates/x/src/f10.rs".to_owned(), 10)));
}

#[test]
fn a_circle_is_found_in_a_repository_and_tests_are_left_out_of_it() {
    let (_folder, found) = repository(&[
        ("crates/x/src/lib.rs", "mod a;\nmod b;"),
        ("crates/x/src/a.rs", "use crate::b::B;\npub struct A;"),
        (
            "crates/x/src/b.rs",
            "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
        ),
        ("crates/y/src/lib.rs", "mod c;\nmod d;"),
        ("crates/y/src/c.rs", "use crate::d::D;\npub struct C;"),
        ("crates/y/src/d.rs", "use crate::c::C;\npub struct D;"),
    ]);
    let findings = tidy::circles::check(&found).unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let text = "crates/y/src/c.rs: imports these in a circle: crates/y/src/d.rs";
    assert_eq!(findings[0].to_string(), text);
}

#[test]
fn names_that_are_public_twice_and_too_many_that_are_shared_are_found() {
    let mut names = TypeNames::default();
    names.add("x", "pub struct ApprovalQueue;\nstruct Alone;\n");
    names.add("y", "struct Other;\n");
    assert_eq!(tidy::type_names::check_names(&names), []);
    names.add("y", "struct ApprovalQueue;\n");
    let found = tidy::type_names::check_names(&names);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.starts_with("2 of 4 type definitions"), "{found:?}");
    names.add("z", "pub struct ApprovalQueue;\n");
    let found = tidy::type_names::check_names(&names);
    assert_eq!(found[0].message, "`ApprovalQueue` is public in two crates");
}
