//! One small file of each language, and files that are none.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::repo::{PrivatePlaces, RepoBounds, RepoServer};

async fn outlined(name: &str, source: &str) -> Result<FileOutline, RepoRefusal> {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), source).unwrap();
    let root = folder.path().canonicalize().unwrap();
    // A debug build on a busy machine parses slowly.
    let bounds = RepoBounds { time: Duration::from_secs(120), ..RepoBounds::default() };
    let server = RepoServer::with_bounds(root, PrivatePlaces::default(), bounds);
    server.call(Outline { path: name.to_owned() }).await
}

async fn lines(name: &str, source: &str) -> Vec<String> {
    let outline = outlined(name, source).await.unwrap();
    assert!(!outline.truncated);
    let items = outline.items.iter();
    items
        .map(|it| {
            format!(
                "{}{} {} {}-{}",
                "  ".repeat(it.depth),
                it.kind,
                it.name,
                it.start_line,
                it.end_line
            )
        })
        .collect()
}

#[tokio::test]
async fn every_language_shows_what_it_defines() {
    let rust = "mod m {\n  struct S;\n  impl Clone for S {\n    fn clone(&self) -> S { S }\n  }\n}\ntrait T { fn f(); }\n";
    assert_eq!(
        lines("a.rs", rust).await,
        [
            "module m 1-6",
            "  struct S 2-2",
            "  impl Clone for S 3-5",
            "    function clone 4-4",
            "trait T 7-7",
            "  function f 7-7"
        ]
    );
    let python = "class A:\n    def f(self):\n        pass\n\nasync def g(): ...\n";
    assert_eq!(lines("a.py", python).await, ["class A 1-3", "  function f 2-3", "function g 5-5"]);
    let typescript = "export interface I { m(): void }\nexport const f = (x: number) => x;\nconst n = 1;\nenum E { A }\nclass C<T> { get x() { return 1 } }\n";
    assert_eq!(
        lines("a.ts", typescript).await,
        [
            "interface I 1-1",
            "  method m 1-1",
            "function f 2-2",
            "enum E 4-4",
            "class C 5-5",
            "  method x 5-5"
        ]
    );
    // A cast in the older spelling spoils its own definition at most.
    let cast = "function a() { return 1; }\nconst b = <T>c;\nfunction d() { return 2; }\n";
    let outlined = lines("a.ts", cast).await;
    assert!(outlined.contains(&"function a 1-1".to_owned()), "{outlined:?}");
    let generic = "const g = <T,>(x: T): T => x;\nfunction h<T>(x: T) { return x as T; }\n";
    assert_eq!(lines("a.mts", generic).await, ["function g 1-1", "function h 2-2"]);
    assert_eq!(lines("a.tsx", "function V() { return <p/>; }\n").await, ["function V 1-1"]);
    assert_eq!(
        lines("a.mjs", "export function* g() {}\nconst h = function () {};\n").await,
        ["function g 1-1", "function h 2-2"]
    );
    let go = "package p\ntype T struct{}\nfunc (t *T) M() {}\nfunc F() {}\n";
    assert_eq!(lines("a.go", go).await, ["type T 2-2", "method (t *T) M 3-3", "function F 4-4"]);
    let java = "class A {\n  A() {}\n  int f() { return 1; }\n  record R(int x) {}\n}\n";
    assert_eq!(
        lines("A.java", java).await,
        ["class A 1-5", "  constructor A 2-2", "  method f 3-3", "  record R 4-4"]
    );
    let c = "struct s { int x; };\ntypedef struct s t;\nstatic char *f(void) { return 0; }\n#define M(x) x\n";
    assert_eq!(
        lines("a.c", c).await,
        ["struct s 1-1", "type t 2-2", "function f 3-3", "macro M 4-4"]
    );
}

#[tokio::test]
async fn what_does_not_parse_shows_the_rest() {
    let broken = lines("a.rs", "fn one() {}\nfn {{{ ]] \nfn two() {}\n").await;
    assert!(broken.contains(&"function one 1-1".to_owned()), "{broken:?}");
    assert!(lines("a.py", "").await.is_empty());
    let said = outlined("a.txt", "x").await.unwrap_err().to_string();
    assert!(said.contains("no language that is outlined"), "{said}");
}

#[tokio::test]
async fn no_file_takes_more_than_its_bounds() {
    let many = "fn f() {}\n".repeat(MOST_ITEMS + 1);
    let outline = outlined("a.rs", &many).await.unwrap();
    assert_eq!((outline.items.len(), outline.truncated), (MOST_ITEMS, true));
    let nested = "mod m {".repeat(50) + &"}".repeat(50);
    let outline = outlined("a.rs", &nested).await.unwrap();
    assert_eq!((outline.items.len(), outline.truncated), (DEEPEST, true));
    // Neither the stack nor the time of a thread is used up.
    let deep = "(".repeat(100_000);
    for name in ["a.rs", "a.py", "a.js", "a.c"] {
        assert!(
            outlined(name, &deep).await.is_ok_and(|outline| outline.items.is_empty()),
            "{name}"
        );
    }
    let large = " ".repeat(1024 * 1024 + 1);
    assert!(outlined("a.rs", &large).await.is_err());
    assert!(language_of(Path::new("noending")).is_none());
}
