//! A repository that wants something run, or that leads elsewhere, gets neither.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::git_ground::git_in;
use crate::session::Ground;

/// Every tool that looks at Git, with arguments that make it look at everything.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("git_status", json!({})),
        ("git_log", json!({})),
        ("git_log", json!({ "paths": ["a.txt"] })),
        ("git_diff", json!({})),
        ("git_diff", json!({ "staged": true })),
        ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD" })),
        ("git_show", json!({ "revision": "HEAD" })),
        ("git_show", json!({ "revision": "HEAD", "path": "a.txt" })),
        ("git_blame", json!({ "path": "a.txt" })),
    ]
}

fn repository() -> Ground {
    let ground = Ground::repository();
    ground.write("a.txt", "a\n").write("b.txt", "b\n");
    ground.commit("first");
    ground.write("a.txt", "A\n");
    ground.commit("second");
    ground
}

/// A program that leaves a file when it runs.
fn canary(ground: &Ground) -> (PathBuf, PathBuf) {
    let (program, mark) = (ground.beside("canary"), ground.beside("it-ran"));
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display()))
        .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, mark)
}

#[tokio::test]
async fn nothing_that_a_repository_configures_is_ever_run() {
    let ground = repository();
    let (program, mark) = canary(&ground);
    let program = program.to_str().unwrap();
    let included = ground.beside("included");
    fs::write(&included, format!("[core]\nfsmonitor = {program}\n")).unwrap();
    let hooks = ground.beside("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in
        ["post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction"]
    {
        for folder in [hooks.clone(), ground.root().join(".git/hooks")] {
            fs::create_dir_all(&folder).unwrap();
            fs::copy(program, folder.join(hook)).unwrap();
        }
    }
    let config = format!(
        "[core]\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\talternateRefsCommand = {program}\n\
         \tpager = {program}\n\teditor = {program}\n\tsshCommand = {program}\n\tgitProxy = {program}\n\
         \taskPass = {program}\n\tattributesFile = {attributes}\n\
         [diff]\n\texternal = {program}\n\
         [diff \"x\"]\n\tcommand = {program}\n\ttextconv = {program}\n\tcachetextconv = true\n\
         [filter \"x\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\
         \trequired = true\n\
         [credential]\n\thelper = {program}\n\
         [gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n\
         [include]\n\tpath = {included}\n[includeIf \"gitdir:/**\"]\n\tpath = {included}\n\
         [remote \"origin\"]\n\turl = ext::{program}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
        hooks = hooks.display(),
        attributes = ground.beside("attributes").display(),
        included = included.display(),
    );
    fs::write(ground.beside("attributes"), "* filter=x diff=x\n").unwrap();
    ground
        .write(".gitattributes", "* filter=x diff=x\n")
        .write(".git/info/attributes", "* filter=x diff=x\n");
    let own = fs::read_to_string(ground.root().join(".git/config")).unwrap();
    ground.write(".git/config", own + &config);
    // Newer than the index, and changed: whoever compares has to read it.
    ground.write("a.txt", "changed\n").write("b.txt", "b\n");
    let mut session = ground.session();
    for (tool, arguments) in calls() {
        session.done(tool, arguments).await;
    }
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    // The same repository makes Git itself run it, so the trap is one.
    let _ = std::panic::catch_unwind(|| git_in(&ground.root(), &["diff"]));
    assert!(mark.exists(), "a trap that does not work");
}

async fn all_refuse(ground: &Ground, expected: &str) {
    let mut session = ground.session();
    for (tool, arguments) in calls() {
        let said = session.refused(tool, arguments).await;
        assert!(said.contains(expected), "{tool}: {said}");
        assert!(!said.contains(ground.beside("").to_str().unwrap()), "it says where: {said}");
    }
}

/// Puts another repository beside the served folder and gives where its `.git` is.
fn outside(ground: &Ground) -> PathBuf {
    let outside = ground.beside("outside");
    fs::create_dir(&outside).unwrap();
    git_in(&outside, &["init", "-q"]);
    fs::write(outside.join("secret.txt"), "from outside\n").unwrap();
    git_in(&outside, &["add", "-A"]);
    git_in(&outside, &["commit", "-q", "-m", "outside"]);
    outside.join(".git")
}

#[tokio::test]
async fn a_folder_without_a_repository_of_its_own_has_none() {
    let ground = Ground::with(&[("a.txt", "a\n")]);
    all_refuse(&ground, "it has no `.git` folder of its own").await;
    // One around it is not looked for.
    git_in(&ground.beside(""), &["init", "-q"]);
    all_refuse(&ground, "it has no `.git` folder of its own").await;
    let bare = Ground::new();
    git_in(&bare.root(), &["init", "-q", "--bare"]);
    all_refuse(&bare, "bare repository").await;
    let marked = repository();
    marked.git(&["config", "core.bare", "true"]);
    all_refuse(&marked, "core.bare").await;
}

#[tokio::test]
async fn a_git_folder_that_leads_elsewhere_is_not_followed() {
    for (way, expected) in [("link", "`.git` is a link"), ("file", "`.git` is a file")] {
        let ground = Ground::with(&[("a.txt", "a\n")]);
        let target = outside(&ground);
        match way {
            "link" => symlink(&target, ground.root().join(".git")).unwrap(),
            _ => fs::write(ground.root().join(".git"), format!("gitdir: {}\n", target.display()))
                .unwrap(),
        }
        all_refuse(&ground, expected).await;
    }
    let ground = repository();
    ground.git(&["worktree", "add", "-q", "../linked"]);
    let linked = crate::session::Session::with(&toolgate_servers::RepoServer::new(
        ground.beside("linked"),
        toolgate_servers::PrivatePlaces::default(),
    ));
    let mut linked = linked;
    let said = linked.refused("git_log", json!({})).await;
    assert!(said.contains("a linked worktree or a submodule"), "{said}");

    let ground = repository();
    ground.git(&["config", "core.worktree", ground.beside("").to_str().unwrap()]);
    all_refuse(&ground, "core.worktree").await;
    let ground = repository();
    let target = outside(&ground);
    ground.write(".git/commondir", target.to_str().unwrap());
    all_refuse(&ground, "commondir").await;
}

#[tokio::test]
async fn objects_and_references_of_elsewhere_are_not_read() {
    let ground = repository();
    let target = outside(&ground);
    let objects = target.join("objects");
    ground.write(".git/objects/info/alternates", format!("{}\n", objects.display()));
    all_refuse(&ground, "objects/info/alternates").await;
    ground.write(".git/objects/info/alternates", "\n# nothing\n");
    ground.session().done("git_log", json!({})).await;

    let swap = |ground: &Ground, name: &str, target: &Path| {
        let path = ground.root().join(".git").join(name);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        symlink(target, path).unwrap();
    };
    for name in ["objects", "objects/pack", "objects/info"] {
        let ground = repository();
        let target = outside(&ground);
        swap(&ground, name, &target.join(name));
        all_refuse(&ground, "links there are not followed").await;
    }
    let ground = repository();
    let target = outside(&ground);
    let id = git_in(target.parent().unwrap(), &["rev-parse", "HEAD"]);
    let (start, end) = id.trim().split_at(2);
    fs::create_dir_all(ground.root().join(".git/objects").join(start)).unwrap();
    swap(&ground, &format!("objects/{start}/{end}"), &target.join("objects").join(start).join(end));
    all_refuse(&ground, "links there are not followed").await;

    for name in ["HEAD", "refs", "index", "config", "refs/heads/main"] {
        let ground = repository();
        let target = outside(&ground);
        swap(&ground, name, &target.join(name));
        let mut session = ground.session();
        let said = session.refused("git_status", json!({})).await;
        assert!(said.contains("links there are not followed"), "{name}: {said}");
    }
}

#[tokio::test]
async fn a_reference_that_holds_no_id_shows_nothing_of_it() {
    let ground = repository();
    ground.write(".git/refs/heads/odd", "token = canary-of-a-secret\n");
    ground.write(".git/refs/heads/away", "ref: ../../../outside/secret\n");
    ground.write(".git/refs/heads/round", "ref: refs/heads/round\n");
    let mut session = ground.session();
    for name in ["odd", "away", "round", "../config", "../../a.txt"] {
        let said = session.refused("git_log", json!({ "revision": name })).await;
        assert!(said.contains("is not found") && !said.contains("canary"), "{name}: {said}");
    }
}

#[tokio::test]
async fn a_submodule_is_its_own_repositorys_matter() {
    let ground = repository();
    let target = outside(&ground);
    let from = target.parent().unwrap().to_str().unwrap();
    ground.git(&["submodule", "add", "-q", from, "module"]);
    ground.commit("with a submodule");
    fs::write(ground.root().join("module/secret.txt"), "changed\n").unwrap();
    let mut session = ground.session();
    let state = session.done("git_status", json!({})).await;
    assert_eq!((&state["unstaged"], &state["untracked"]), (&json!([]), &json!([])));
    let shown = session.done("git_show", json!({ "revision": "HEAD" })).await;
    assert!(shown["patch"].as_str().unwrap().contains("+Subproject commit "), "{shown}");
    let said = session
        .refused("git_show", json!({ "revision": "HEAD", "path": "module/secret.txt" }))
        .await;
    assert!(said.contains("does not exist"), "{said}");
}
