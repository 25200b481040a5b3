//! No path, link or race leads out of the folder, and nothing in it makes a call wait.

use std::fs;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::json;

use crate::session::{Ground, Session};

/// Stands in every file outside.
const CANARY: &str = "canary-from-outside";

fn ground() -> Ground {
    let ground = Ground::with(&[("src/a.txt", "inside")]);
    fs::create_dir(ground.beside("outside")).unwrap();
    fs::write(ground.beside("outside/f.txt"), CANARY).unwrap();
    fs::create_dir(ground.beside("root-evil")).unwrap();
    fs::write(ground.beside("root-evil/f.txt"), CANARY).unwrap();
    ground
}

async fn all_refuse(session: &mut Session, path: &str, expected: &str) {
    for tool in ["read_file", "list_files", "search"] {
        let mut arguments = json!({ "path": path });
        if tool == "search" {
            arguments["pattern"] = json!(".");
        }
        let said = session.refused(tool, arguments).await;
        assert!(said.contains(expected) && !said.contains(CANARY), "{tool} {path}: {said}");
    }
}

#[tokio::test]
async fn path_escape_by_dot_dot_is_refused() {
    let ground = ground();
    let mut session = ground.session();
    for path in [
        "..",
        "../outside/f.txt",
        "src/../../outside/f.txt",
        "./.././outside",
        "src/../../root/src/a.txt",
        "//../outside/f.txt",
    ] {
        all_refuse(&mut session, path, "leads out of the folder").await;
    }
}

#[tokio::test]
async fn path_escape_by_an_absolute_path_or_a_sibling_prefix_is_refused() {
    let ground = ground();
    let mut session = ground.session();
    let evil = ground.beside("root-evil/f.txt");
    let roundabout = ground.root().join("../outside/f.txt");
    let twice = format!("/{}", ground.beside("outside/f.txt").display());
    for path in [
        evil.to_str().unwrap(),
        roundabout.to_str().unwrap(),
        &twice,
        "/etc/passwd",
        "/",
        "/proc/self/environ",
    ] {
        all_refuse(&mut session, path, "leads out of the folder").await;
    }
    let said = session.read_refused("~/x").await;
    assert_eq!(said, "`~/x` does not exist");
}

#[tokio::test]
async fn symlink_escape_is_refused_however_the_link_is_made() {
    let ground = ground();
    let outside = ground.beside("outside");
    ground
        .link("absolute", &outside)
        .link("relative", "../outside")
        .link("file", outside.join("f.txt"));
    ground.link("src/up", "../..").link("first", "second").link("second", "src/up/outside");
    ground.link("missing", "../no-such-thing").link("proc", "/proc/self/root");
    let mut session = ground.session();
    for path in [
        "absolute/f.txt",
        "relative/f.txt",
        "file",
        "src/up/outside/f.txt",
        "first/f.txt",
        "missing",
        "proc/etc/passwd",
    ] {
        all_refuse(&mut session, path, "leads out of the folder").await;
    }
    let found = session.done("search", json!({ "pattern": CANARY })).await;
    assert_eq!(found["matches"], 0, "{found}");
    let listed = session.done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(["src/a.txt"]));
}

#[tokio::test]
async fn a_link_that_stays_inside_is_followed_and_its_target_is_named() {
    let ground = ground();
    ground.link("relative", "src/./a.txt").link("src/back", "../src");
    ground.link("absolute", ground.root().join("src/a.txt"));
    let mut session = ground.session();
    for path in ["relative", "absolute", "src/back/a.txt", "src/back/back/a.txt"] {
        let result = session.read(path).await;
        assert_eq!((&result["text"], &result["path"]), (&json!("inside"), &json!("src/a.txt")));
    }
}

#[tokio::test]
async fn links_in_a_circle_end() {
    let ground = ground();
    ground.link("a", "b").link("b", "a").link("src/self", ".");
    let mut session = ground.session();
    all_refuse(&mut session, "a", "too many links").await;
    let listed = session.done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(["src/a.txt"]));
    assert_eq!(listed["links"], json!(["a", "b", "src/self"]));
}

/// A folder and a file are swapped for links to the outside, and back, while all tools work.
#[tokio::test(flavor = "multi_thread")]
async fn a_swap_race_never_shows_a_byte_from_outside() {
    let ground = ground();
    ground.write("a/f.txt", "inside").write("f.txt", "inside");
    let (root, outside) = (ground.root(), ground.beside("outside"));
    let stop = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&stop);
    let swapper = thread::spawn(move || {
        std::os::unix::fs::symlink(&outside, root.join("to-folder")).unwrap();
        std::os::unix::fs::symlink(outside.join("f.txt"), root.join("to-file")).unwrap();
        let swaps = [("a", "to-folder"), ("f.txt", "to-file")];
        while !is_over.load(Ordering::Relaxed) {
            for (real, link) in swaps {
                // There is always something under the name, so that the race is for what it is.
                fs::rename(root.join(real), root.join("aside")).unwrap();
                fs::rename(root.join(link), root.join(real)).unwrap();
                fs::rename(root.join(real), root.join(link)).unwrap();
                fs::rename(root.join("aside"), root.join(real)).unwrap();
            }
        }
    });
    let mut session = ground.session();
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let (tool, arguments) = match round % 5 {
            0 | 1 => ("read_file", json!({ "path": "a/f.txt" })),
            2 => ("read_file", json!({ "path": "f.txt" })),
            3 => ("search", json!({ "pattern": "inside|canary" })),
            _ => ("list_files", json!({ "path": "a" })),
        };
        let result = session.call(tool, arguments).await;
        assert!(!result.to_string().contains(CANARY), "round {round}: {result}");
        if tool == "read_file" {
            let counted = if result["isError"] == true { &mut refused } else { &mut read };
            *counted += 1;
        }
        if round >= 3_000 && read > 100 && refused > 100 {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(read > 0 && refused > 0, "no race: {read} read, {refused} refused");
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_and_nothing_waits_for_them() {
    let ground = ground();
    mkfifo(&ground.root().join("fifo"), Mode::S_IRWXU).unwrap();
    let _socket = UnixListener::bind(ground.root().join("socket")).unwrap();
    ground.link("null", "/dev/null").link("to-fifo", "fifo");
    let mut session = ground.session();
    for path in ["fifo", "socket", "to-fifo"] {
        all_refuse(&mut session, path, "a pipe, a socket or a device").await;
    }
    all_refuse(&mut session, "null", "leads out of the folder").await;
    let found = session.done("search", json!({ "pattern": "inside" })).await;
    assert_eq!(found["matches"], 1);
    let listed = session.done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(["src/a.txt"]));
}

#[tokio::test]
async fn flag_injection_finds_only_values() {
    let ground = ground();
    ground.write("-rf", "dash\n--pre=sh\n").write("--help", "help\n");
    let mut session = ground.session();
    assert_eq!(session.read("-rf").await["text"], "dash\n--pre=sh\n");
    let found = session.done("search", json!({ "pattern": "--pre=sh" })).await;
    assert_eq!((&found["matches"], &found["files"][0]["path"]), (&json!(1), &json!("-rf")));
    let found = session.done("search", json!({ "pattern": "-h", "path": "--help" })).await;
    assert_eq!(found["matches"], 0);
    let listed = session.done("list_files", json!({ "glob": "--h*" })).await;
    assert_eq!(listed["files"], json!(["--help"]));
}

#[tokio::test]
async fn paths_that_are_none_are_refused() {
    let ground = ground();
    let mut session = ground.session();
    all_refuse(&mut session, "src/a.txt\0.png", "zero byte").await;
    all_refuse(&mut session, &"a/".repeat(3_000), "too long").await;
    all_refuse(&mut session, &"x".repeat(300), "does not exist").await;
    let deep = "d/".repeat(130);
    fs::create_dir_all(ground.root().join(&deep)).unwrap();
    all_refuse(&mut session, &deep, "nested too deeply").await;
}

#[tokio::test]
async fn no_message_says_where_the_folder_lies() {
    let ground = ground();
    ground.link("out", "../outside").link("dangling", "nowhere");
    let place = ground.root().display().to_string();
    let mut session = ground.session();
    for path in ["out", "dangling", "no", "src/a.txt/x", "..", "src"] {
        let said = session.read_refused(path).await;
        assert!(!said.contains(&place), "{said}");
    }
}
