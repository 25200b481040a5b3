//! What Git's own program says of a repository is what the tools say.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::git_ground::git_in;
use crate::session::Ground;

fn texts(values: &Value, key: &str) -> Vec<String> {
    let list = values.as_array().unwrap().iter();
    list.map(|value| value[key].as_str().unwrap().to_owned()).collect()
}

/// Two branches that were merged, with files that came, changed and went.
fn merged() -> Ground {
    let ground = Ground::repository();
    ground.write("a.txt", "one\ntwo\nthree\n").write("src/b.rs", "fn b() {}\n");
    ground.commit("first\n\nwith a body");
    ground.write("a.txt", "one\n2\nthree\nfour\n");
    ground.commit("second");
    ground.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    ground.write("src/c.rs", "fn c() {}\n").write("src/b.rs", "fn b() {}\n// side\n");
    ground.commit("beside");
    ground.git(&["checkout", "-q", "main"]);
    ground.git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    ground.write("bin.dat", b"a\0b").write("no-end", "x");
    fs::remove_file(ground.root().join("src/c.rs")).unwrap();
    ground.commit("last");
    ground.git(&["tag", "-a", "v1", "-m", "a tag"]);
    ground
}

#[tokio::test]
async fn git_log_lists_what_git_lists() {
    let ground = merged();
    for is_packed in [false, true] {
        if is_packed {
            ground.git(&["gc", "-q"]);
        }
        let mut session = ground.session();
        for (paths, revision) in
            [(&[][..], "HEAD"), (&["src"], "HEAD"), (&["a.txt"], "v1"), (&["src/c.rs"], "main")]
        {
            let mut arguments = vec!["log", "--format=%H", "--date-order", revision, "--"];
            arguments.extend(paths);
            let expected: Vec<String> = ground.git(&arguments).lines().map(str::to_owned).collect();
            let log =
                session.done("git_log", json!({ "paths": paths, "revision": revision })).await;
            assert_eq!(texts(&log["commits"], "id"), expected, "{paths:?}");
            assert_eq!(log["truncated"], false);
        }
        let log = session.done("git_log", json!({ "limit": 1 })).await;
        assert_eq!(
            (log["commits"].as_array().unwrap().len(), &log["truncated"]),
            (1, &json!(true))
        );
        let log = session.done("git_log", json!({ "since": "2026-01-02T03:01:00Z" })).await;
        assert!(!texts(&log["commits"], "subject").contains(&"first".to_owned()), "{log}");
    }
    let log = ground.session().done("git_log", json!({ "revision": "side~1" })).await;
    assert_eq!(log["commits"][0]["author"], "Ann");
    assert_eq!(log["commits"][0]["body"], "with a body");
    assert_eq!(log["commits"][0]["date"], "2026-01-02T03:00:00Z");
}

#[tokio::test]
async fn revisions_mean_what_git_means() {
    let ground = merged();
    let mut session = ground.session();
    let short = ground.git(&["rev-parse", "--short", "HEAD~1"]);
    for revision in [
        "HEAD",
        "@",
        "main",
        "v1",
        "v1^{commit}",
        "refs/heads/side",
        "HEAD~1^2",
        "HEAD^^",
        short.trim(),
    ] {
        let expected = ground.git(&["rev-parse", &format!("{revision}^{{commit}}")]);
        let shown = session.done("git_show", json!({ "revision": revision })).await;
        assert_eq!(shown["commit"]["id"], expected.trim(), "{revision}");
    }
    let blob = ground.git(&["rev-parse", "HEAD:a.txt"]);
    let tree = ground.git(&["rev-parse", "HEAD^{tree}"]);
    for revision in [
        blob.trim(),
        tree.trim(),
        "HEAD:a.txt",
        "nowhere",
        "HEAD~99",
        "--help",
        "HEAD@{1}",
        "config",
        "",
    ] {
        let result = session.call("git_show", json!({ "revision": revision })).await;
        // An empty name is where `HEAD` is.
        assert_eq!(result["isError"], !revision.is_empty(), "{revision}: {result}");
    }
}

#[tokio::test]
async fn a_patch_is_one_that_git_applies() {
    let ground = merged();
    let mut session = ground.session();
    let diff = session.done("git_diff", json!({ "from": "HEAD~3", "to": "HEAD" })).await;
    let expected = ground.git(&["diff", "--no-renames", "--name-status", "HEAD~3", "HEAD"]);
    let files = diff["files"].as_array().unwrap().iter();
    let files: Vec<&str> = files.map(|file| file["path"].as_str().unwrap()).collect();
    let names: Vec<&str> = expected.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(files, names);
    assert_eq!(diff["files"][1]["binary"], true, "{diff}");

    let text = session
        .done(
            "git_diff",
            json!({ "from": "HEAD~3", "to": "HEAD",
        "paths": ["a.txt", "src", "no-end"] }),
        )
        .await;
    let clone = ground.beside("clone");
    git_in(&ground.beside(""), &["clone", "-q", "root", "clone"]);
    git_in(&clone, &["checkout", "-q", "HEAD~3"]);
    fs::write(ground.beside("patch"), text["patch"].as_str().unwrap()).unwrap();
    git_in(&clone, &["apply", "--index", "../patch"]);
    let left = git_in(
        &clone,
        &["diff", "--name-only", "--cached", "origin/main", "--", "a.txt", "src", "no-end"],
    );
    assert_eq!(left, "");
}

#[tokio::test]
async fn git_status_and_git_diff_tell_disk_index_and_commit_apart() {
    let ground = Ground::with(&[
        ("kept", "k\n"),
        ("staged", "s\n"),
        ("changed", "c\n"),
        ("both", "1\n"),
        ("gone", "g\n"),
        ("script", "#!\n"),
        (".gitignore", "*.log\n"),
        ("sub/deep", "d\n"),
    ]);
    ground.git(&["init", "-q"]);
    ground.commit("first");
    ground.write("staged", "S\n").write("both", "2\n").write("new", "n\n");
    ground.git(&["add", "staged", "both", "new"]);
    ground
        .write("both", "3\n")
        .write("changed", "C\n")
        .write("loose.txt", "l\n")
        .write("x.log", "");
    ground.write("out/x", "").write(".git/info/exclude", "/out\n");
    fs::remove_file(ground.root().join("gone")).unwrap();
    let script = ground.root().join("script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();

    let mut session = ground.session();
    let state = session.done("git_status", json!({})).await;
    // The index has several forms.
    for form in ["4", "3", "2"] {
        ground.git(&["update-index", "--index-version", form]);
        assert_eq!(session.done("git_status", json!({})).await, state, "{form}");
    }
    let porcelain = ground.git(&["status", "--porcelain", "--untracked-files=all"]);
    let of = |column: usize| -> Vec<(String, String)> {
        let lines = porcelain.lines().filter(|line| !line.starts_with("??"));
        let lines = lines.map(|line| (line[column..=column].to_owned(), line[3..].to_owned()));
        lines.filter(|(mark, _)| mark != " ").collect()
    };
    let seen = |list: &Value| -> Vec<(String, String)> {
        let list = list.as_array().unwrap().iter();
        list.map(|it| {
            let change = it["change"].as_str().unwrap();
            (change[..1].to_uppercase(), it["path"].as_str().unwrap().to_owned())
        })
        .collect()
    };
    assert_eq!(seen(&state["staged"]), of(0));
    assert_eq!(seen(&state["unstaged"]), of(1));
    assert_eq!(state["untracked"], json!(["loose.txt"]));
    assert_eq!(state["branch"], "main");

    for (arguments, staged) in [(&["diff"][..], false), (&["diff", "--cached"], true)] {
        let expected = ground.git(arguments);
        let diff = session.done("git_diff", json!({ "staged": staged })).await;
        let patch = diff["patch"].as_str().unwrap();
        let expected: String = expected
            .lines()
            .filter(|line| !line.starts_with("index "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(patch, expected);
    }
    let diff = session.done("git_diff", json!({ "paths": ["changed", "sub"] })).await;
    assert_eq!(diff["files"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn git_blame_names_the_commits_that_git_names() {
    let ground = merged();
    ground.write("a.txt", "zero\none\n2\nthree\nfour\nfive\n");
    ground.commit("more lines");
    let mut session = ground.session();
    for path in ["a.txt", "src/b.rs", "no-end"] {
        let expected = ground.git(&["blame", "--line-porcelain", path]);
        let expected: Vec<&str> = expected
            .lines()
            .filter(|line| line.len() > 41 && line.as_bytes()[40] == b' ')
            .map(|line| &line[..40])
            .filter(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .collect();
        let blamed = session.done("git_blame", json!({ "path": path })).await;
        let mut seen = Vec::new();
        for hunk in blamed["hunks"].as_array().unwrap() {
            let lines = hunk["start_line"].as_u64().unwrap()..=hunk["end_line"].as_u64().unwrap();
            seen.extend(lines.map(|_| hunk["commit"].as_str().unwrap()));
        }
        assert_eq!(seen, expected, "{path}");
    }
    let arguments = json!({ "path": "a.txt", "start_line": 2, "end_line": 3 });
    let blamed = session.done("git_blame", arguments).await;
    assert_eq!(blamed["hunks"][0]["text"], "one\n");
    assert_eq!(blamed["total_lines"], 6);
}

#[tokio::test]
async fn a_file_is_shown_as_it_was() {
    let ground = merged();
    let mut session = ground.session();
    let shown = session.done("git_show", json!({ "revision": "side", "path": "src/c.rs" })).await;
    assert_eq!(shown["text"], "fn c() {}\n");
    let shown = session.done("git_show", json!({ "revision": "HEAD", "path": "src" })).await;
    assert_eq!(shown["entries"], json!(["b.rs"]));
    let said = session.refused("git_show", json!({ "revision": "HEAD", "path": "src/c.rs" })).await;
    assert_eq!(said, "`src/c.rs` does not exist");
    let said = session.refused("git_show", json!({ "revision": "HEAD", "path": "bin.dat" })).await;
    assert!(said.contains("not text"), "{said}");
}

#[tokio::test]
async fn a_conflict_is_a_conflict_and_nothing_else() {
    let ground = merged();
    ground.git(&["checkout", "-q", "-b", "left"]);
    ground.write("a.txt", "left\n");
    ground.commit("left");
    ground.git(&["checkout", "-q", "-b", "right", "HEAD~1"]);
    ground.write("a.txt", "right\n");
    ground.commit("right");
    // It fails, as it should.
    let merge = std::panic::catch_unwind(|| ground.git(&["merge", "-q", "left"]));
    assert!(merge.is_err());
    let state = ground.session().done("git_status", json!({})).await;
    assert_eq!(state["conflicts"], json!(["a.txt"]));
    assert_eq!((&state["staged"], &state["unstaged"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn repositories_without_commits_detached_shallow_and_broken_are_told_apart() {
    let ground = Ground::repository();
    ground.write("a", "a\n");
    let mut session = ground.session();
    let state = session.done("git_status", json!({})).await;
    assert_eq!((&state["branch"], &state["untracked"]), (&json!("main"), &json!(["a"])));
    assert!(state["head"].is_null());
    for tool in ["git_log", "git_blame"] {
        let arguments = if tool == "git_log" { json!({}) } else { json!({ "path": "a" }) };
        let said = session.refused(tool, arguments).await;
        assert_eq!(said, "`HEAD` is not found: there is no commit yet");
    }
    let id = ground.commit("first");
    ground.write("a", "b\n");
    ground.commit("second");
    ground.git(&["checkout", "-q", &id]);
    let state = session.done("git_status", json!({})).await;
    assert_eq!((&state["branch"], &state["head"]), (&Value::Null, &json!(id)));

    ground.git(&["checkout", "-q", "main"]);
    let from = format!("file://{}", ground.root().display());
    let shallow = Ground::new();
    git_in(&shallow.root(), &["clone", "-q", "--depth", "1", &from, "."]);
    let log = shallow.session().done("git_log", json!({})).await;
    assert_eq!(log["commits"].as_array().unwrap().len(), 1);
    assert!(log["hint"].as_str().unwrap().contains("shallow"), "{log}");
    let said = shallow.session().refused("git_show", json!({ "revision": id })).await;
    assert!(said.contains("shallow or partial clone"), "{said}");

    let tree = ground.git(&["rev-parse", "HEAD^{tree}"]);
    let (start, end) = tree.trim().split_at(2);
    let object = ground.root().join(".git/objects").join(start).join(end);
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&object, b"garbage").unwrap();
    let said = session.refused("git_show", json!({ "revision": "HEAD" })).await;
    assert!(said.contains(tree.trim()) && said.contains("cannot be read"), "{said}");
    fs::remove_file(&object).unwrap();
    let said = session.refused("git_show", json!({ "revision": "HEAD" })).await;
    assert!(said.contains("it is not there"), "{said}");
}
