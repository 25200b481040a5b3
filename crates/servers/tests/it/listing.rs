//! `list_files`: what is shown, in which order, and how much of it.

use serde_json::{Value, json};
use toolgate_servers::RepoBounds;

use crate::session::Ground;

#[tokio::test]
async fn files_come_sorted_with_hidden_ones_and_without_folders() {
    let ground = Ground::with(&[("b/z.rs", ""), ("b/a.rs", ""), ("a.txt", ""), (".hidden", "")]);
    ground.link("c", "b");
    let mut session = ground.session();
    let result = session.call("list_files", json!({})).await;
    let expected = json!({
        "path": "", "files": [".hidden", "a.txt", "b/a.rs", "b/z.rs"], "folders": [],
        "links": ["c"], "truncated": false, "skipped": 0,
    });
    assert_eq!(result["structuredContent"], expected);
    assert_eq!(result["content"][0]["text"], ".hidden\na.txt\nb/a.rs\nb/z.rs\nc (link)");
    assert_eq!(session.done("list_files", json!({ "path": "b/" })).await["path"], "b");
    let said = session.refused("list_files", json!({ "path": "a.txt" })).await;
    assert_eq!(said, "`a.txt` is not a folder");
}

#[tokio::test]
async fn ignored_files_are_left_out_also_where_there_is_no_git() {
    let ground = Ground::with(&[
        (".gitignore", "\u{feff}*.log\n/build/\n!keep.log\n# a comment\n[\n"),
        (".ignore", "notes/\n!loud.log\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("loud.log", ""),
        ("build/out.txt", ""),
        ("src/build/in.txt", ""),
        ("notes/n.txt", ""),
        ("src/.gitignore", "/gen.rs\n!special.log\nsub/deep.txt"),
        ("src/gen.rs", ""),
        ("src/special.log", ""),
        ("src/other.log", ""),
        ("src/sub/gen.rs", ""),
        ("src/sub/deep.txt", ""),
    ]);
    let mut session = ground.session();
    let listed = session.done("list_files", json!({})).await;
    let expected = json!([
        ".gitignore",
        ".ignore",
        "keep.log",
        "loud.log",
        "src/.gitignore",
        "src/build/in.txt",
        "src/special.log",
        "src/sub/gen.rs"
    ]);
    assert_eq!(listed["files"], expected);
    let below = session.done("list_files", json!({ "path": "src/sub" })).await;
    assert_eq!(below["files"], json!(["src/sub/gen.rs"]), "rules from above hold below");
    let asked = session.done("list_files", json!({ "path": "build" })).await;
    assert_eq!(asked["files"], json!(["build/out.txt"]), "what is asked for by name is shown");
    let glob = session.done("list_files", json!({ "glob": "*.log" })).await;
    assert_eq!(glob["files"], json!(["keep.log", "loud.log", "src/special.log"]));
}

#[tokio::test]
async fn an_ignore_file_that_is_a_link_is_not_read() {
    let ground = Ground::with(&[("a.txt", ""), ("rules", "a.txt\n")]);
    std::fs::write(ground.beside("rules"), "a.txt\n").unwrap();
    ground.link(".gitignore", "../rules").link(".ignore", "rules");
    let listed = ground.session().done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(["a.txt", "rules"]));
}

#[tokio::test]
async fn globs_and_depth_narrow_a_list() {
    let ground = Ground::with(&[
        ("a.rs", ""),
        ("src/b.rs", ""),
        ("src/c.ts", ""),
        ("src/deep/d.tsx", ""),
        ("docs/e.md", ""),
    ]);
    let mut session = ground.session();
    let cases: [(Value, Value, Value); 7] = [
        (json!({ "glob": "*.rs" }), json!(["a.rs", "src/b.rs"]), json!([])),
        (json!({ "glob": "/*.rs" }), json!(["a.rs"]), json!([])),
        (json!({ "glob": "src/**/*.{ts,tsx}" }), json!(["src/c.ts", "src/deep/d.tsx"]), json!([])),
        (json!({ "glob": "deep/*", "path": "src" }), json!(["src/deep/d.tsx"]), json!([])),
        (json!({ "glob": "!src" }), json!(["a.rs", "docs/e.md"]), json!([])),
        (json!({ "depth": 1 }), json!(["a.rs"]), json!(["docs", "src"])),
        (
            json!({ "depth": 1, "path": "src" }),
            json!(["src/b.rs", "src/c.ts"]),
            json!(["src/deep"]),
        ),
    ];
    for (arguments, files, folders) in cases {
        let listed = session.done("list_files", arguments.clone()).await;
        assert_eq!((&listed["files"], &listed["folders"]), (&files, &folders), "{arguments}");
    }
    let shown = session.call("list_files", json!({ "depth": 1 })).await;
    assert_eq!(shown["content"][0]["text"], "a.rs\ndocs/\nsrc/");
    let said = session.refused("list_files", json!({ "glob": "a[" })).await;
    assert!(said.starts_with("the glob cannot be used: "), "{said}");
}

#[tokio::test]
async fn ten_thousand_files_are_listed_within_bounds() {
    let ground = Ground::new();
    for folder in 0..100 {
        for file in 0..100 {
            ground.write(&format!("folder-{folder:02}/file-{file:02}.txt"), "");
        }
    }
    let mut session = ground.session();
    for (limit, expected) in [(Value::Null, 500), (json!(7), 7), (json!(1_000_000), 2_000)] {
        let listed = session.done("list_files", json!({ "limit": limit })).await;
        assert_eq!(listed["files"].as_array().unwrap().len(), expected);
        assert_eq!(listed["files"][0], "folder-00/file-00.txt");
        assert_eq!(listed["truncated"], true);
        assert!(listed["hint"].as_str().unwrap().contains("narrow it down"));
    }
    let exact = json!({ "path": "folder-42", "limit": 100 });
    assert_eq!(session.done("list_files", exact).await["truncated"], false);
}

#[tokio::test]
async fn each_bound_of_a_walk_ends_it_and_is_named() {
    let ground = Ground::with(&[("a/b/c/d.txt", ""), ("e.txt", ""), ("f.txt", "")]);
    let usual = RepoBounds::default;
    let cases = [
        (RepoBounds { entries: 2, ..usual() }, json!([]), "too many files"),
        (RepoBounds { depth: 2, ..usual() }, json!(["e.txt", "f.txt"]), "nested too deeply"),
        (RepoBounds { bytes: 12, ..usual() }, json!(["a/b/c/d.txt"]), "too large"),
        (RepoBounds { files: 1, ..usual() }, json!(["a/b/c/d.txt"]), "the limit is reached"),
        (RepoBounds { time: std::time::Duration::ZERO, ..usual() }, json!([]), "took too long"),
    ];
    for (bounds, files, why) in cases {
        let listed = ground.bounded(bounds).done("list_files", json!({})).await;
        assert_eq!((&listed["files"], &listed["truncated"]), (&files, &json!(true)), "{why}");
        assert!(listed["hint"].as_str().unwrap().contains(why), "{listed}");
    }
}

#[tokio::test]
async fn a_name_with_a_line_break_stays_one_line() {
    let ground = Ground::with(&[("a\nb.txt", "hit\n")]);
    let mut session = ground.session();
    let result = session.call("list_files", json!({})).await;
    assert_eq!(result["content"][0]["text"], "a\\nb.txt");
    assert_eq!(result["structuredContent"]["files"], json!(["a\nb.txt"]), "to be asked for again");
    let result = session.call("search", json!({ "pattern": "hit" })).await;
    assert_eq!(result["content"][0]["text"], "a\\nb.txt\n1:hit\n");
}
