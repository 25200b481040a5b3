//! `search`: what is found, how it is shown, and how much of it.

use serde_json::{Value, json};
use toolgate_servers::RepoBounds;

use crate::session::Ground;

fn numbers(found: &Value, file: usize) -> Vec<u64> {
    let lines = found["files"][file]["lines"].as_array().unwrap();
    lines.iter().map(|line| line["number"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn matches_come_by_file_and_line() {
    let ground = Ground::with(&[("b.rs", "fn b() {}\n\nfn c() {}\r\n"), ("a.rs", "// fn\n")]);
    let mut session = ground.session();
    let result = session.call("search", json!({ "pattern": r"^fn \w+\(\) \{\}$" })).await;
    let expected = json!({
        "matches": 2,
        "files": [{ "path": "b.rs", "lines": [
            { "number": 1, "text": "fn b() {}", "matched": true },
            { "number": 3, "text": "fn c() {}", "matched": true },
        ] }],
        "truncated": false, "skipped": 0,
    });
    assert_eq!(result["structuredContent"], expected);
    assert_eq!(result["content"][0]["text"], "b.rs\n1:fn b() {}\n3:fn c() {}\n");
    let nothing = session.call("search", json!({ "pattern": "nowhere" })).await;
    assert_eq!(nothing["content"][0]["text"], "No matches.");
    assert_ne!(nothing["isError"], true);
}

#[tokio::test]
async fn context_stands_around_matches_and_gaps_are_marked() {
    let text = "1\n2\nhit 3\n4\n5\n6\n7\nhit 8\n9\n";
    let ground = Ground::with(&[("a", text)]);
    let mut session = ground.session();
    let arguments = json!({ "pattern": "hit", "context": 1 });
    let result = session.call("search", arguments).await;
    let shown = "a\n2-2\n3:hit 3\n4-4\n--\n7-7\n8:hit 8\n9-9\n";
    assert_eq!(result["content"][0]["text"], shown);
    assert_eq!(result["structuredContent"]["matches"], 2);
    let arguments = json!({ "pattern": "hit", "context": 1, "limit": 1 });
    let found = session.done("search", arguments).await;
    assert_eq!(numbers(&found, 0), [2, 3, 4], "nothing of a match that is not given");
    assert_eq!(found["truncated"], true);
}

#[tokio::test]
async fn literal_text_case_globs_and_paths_are_as_asked() {
    let ground = Ground::with(&[
        ("src/a.rs", "a.b(\nA.B(\naxb(\n"),
        ("src/a.md", "a.b(\n"),
        ("other.rs", "a.b(\n"),
    ]);
    let mut session = ground.session();
    let cases = [
        (json!({ "pattern": "a.b(", "literal": true }), 3),
        (json!({ "pattern": "a.b(", "literal": true, "case_insensitive": true }), 4),
        (json!({ "pattern": r"a.b\(" }), 4),
        (json!({ "pattern": r"a.b\(", "path": "src" }), 3),
        (json!({ "pattern": r"a.b\(", "path": "src/a.rs" }), 2),
        (json!({ "pattern": r"a.b\(", "glob": "*.md" }), 1),
        (json!({ "pattern": r"a.b\(", "glob": "!*.rs" }), 1),
        (json!({ "pattern": r"(?i)a\.b\(", "path": "src", "glob": "/a.rs" }), 2),
    ];
    for (arguments, matches) in cases {
        let found = session.done("search", arguments.clone()).await;
        assert_eq!(found["matches"], matches, "{arguments}");
    }
}

#[tokio::test]
async fn ignored_and_binary_files_are_not_searched() {
    let ground = Ground::with(&[(".gitignore", "*.log\n"), ("a.log", "hit"), ("b.txt", "hit")]);
    ground.write("c.bin", b"\0\0hit\n").write("d.txt", b"\xff\xfeh\0i\0t\0");
    let mut session = ground.session();
    let found = session.done("search", json!({ "pattern": "hit" })).await;
    let paths = found["files"].as_array().unwrap().iter();
    let paths: Vec<&str> = paths.map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["b.txt", "d.txt"], "the second is UTF-16, and text");
    let asked = session.done("search", json!({ "pattern": "hit", "path": "a.log" })).await;
    assert_eq!(asked["matches"], 1, "what is asked for by name is searched");
}

#[tokio::test]
async fn a_bad_pattern_is_told_with_the_place_that_is_bad() {
    let ground = Ground::with(&[("a", "text")]);
    let mut session = ground.session();
    let said = session.refused("search", json!({ "pattern": "foo(bar" })).await;
    assert!(said.contains("    foo(bar\n       ^\n"), "{said}");
    assert!(said.contains("unclosed group"), "{said}");
    let said = session.refused("search", json!({ "pattern": r"a\nb" })).await;
    assert!(said.contains("not allowed"), "{said}");
    let huge = session.refused("search", json!({ "pattern": r"\w{1000}{1000}" })).await;
    assert!(huge.starts_with("the pattern cannot be used: "), "{huge}");
    let long = session.refused("search", json!({ "pattern": "a".repeat(10_000) })).await;
    assert!(long.contains("longer than"), "{long}");
}

#[tokio::test]
async fn a_long_line_is_shown_around_its_match() {
    let ground = Ground::new();
    ground.write("min.js", format!("{}needle{}\n", "ü".repeat(50_000), "y".repeat(100_000)));
    let found = ground.session().done("search", json!({ "pattern": "needle" })).await;
    let text = found["files"][0]["lines"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("…ü") && text.contains("üneedley") && text.ends_with("y…"), "{text}");
    assert!(text.len() < 600);
}

#[tokio::test]
async fn a_line_without_an_end_is_passed_over_and_the_rest_is_searched() {
    let ground = Ground::with(&[("b.txt", "needle\n")]);
    ground.write("a.txt", "x".repeat(20 * 1024 * 1024) + "needle");
    let found = ground.session().done("search", json!({ "pattern": "needle" })).await;
    assert_eq!(found["files"].as_array().unwrap().len(), 1);
    assert_eq!(found["files"][0]["path"], "b.txt");
    assert_eq!(found["skipped"], 1);
    assert_eq!(found["hint"], "One could not be read and was passed over.");
}

#[tokio::test]
async fn matches_bytes_and_time_are_bounded() {
    let ground = Ground::new();
    for file in 0..50 {
        ground.write(&format!("{file:02}.txt"), "match me\n".repeat(100));
    }
    let mut session = ground.session();
    for (limit, expected) in [(Value::Null, 100), (json!(150), 150), (json!(999_999), 1_000)] {
        let arguments = json!({ "pattern": "me", "limit": limit });
        let found = session.done("search", arguments).await;
        let lines = found["files"].as_array().unwrap().iter();
        let lines: usize = lines.map(|file| file["lines"].as_array().unwrap().len()).sum();
        assert_eq!((lines, &found["matches"]), (expected, &json!(expected)));
        assert_eq!(found["truncated"], true);
    }
    let exact = json!({ "pattern": "me", "path": "07.txt", "limit": 100 });
    assert_eq!(session.done("search", exact).await["truncated"], false);
    let cases = [
        (RepoBounds { bytes: 180, ..RepoBounds::default() }, 3, "too large"),
        (
            RepoBounds { time: std::time::Duration::ZERO, ..RepoBounds::default() },
            0,
            "took too long",
        ),
    ];
    for (bounds, matches, why) in cases {
        let mut session = ground.bounded(bounds);
        for path in ["", "07.txt"] {
            let found = session.done("search", json!({ "pattern": "me", "path": path })).await;
            assert_eq!((&found["matches"], &found["truncated"]), (&json!(matches), &json!(true)));
            assert!(found["hint"].as_str().unwrap().contains(why), "{found}");
        }
    }
}
