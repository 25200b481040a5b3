//! Every odd path against every tool that takes one: nothing outside the folder is read or written, and
//! nothing secret inside it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use toolgate_servers::manifest;

use crate::git_ground::git_in;
use crate::session::Ground;

/// Stands in every file outside, and in every file inside that is not served.
const CANARY: &str = "canary-that-nobody-may-see";
/// What writing tools would write.
const WRITTEN: &str = "written-by-a-tool";

/// A tool with a path in each place where it takes one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({ "path": path })),
        ("list_files", json!({ "path": path })),
        ("list_files", json!({ "glob": path })),
        ("search", json!({ "path": path, "pattern": "." })),
        ("search", json!({ "glob": path, "pattern": "." })),
        ("outline", json!({ "path": path })),
        ("git_status", json!({ "paths": [path] })),
        ("git_log", json!({ "paths": [path] })),
        ("git_log", json!({ "revision": path })),
        ("git_diff", json!({ "paths": [path] })),
        ("git_diff", json!({ "paths": [path], "staged": true })),
        ("git_diff", json!({ "paths": [path], "from": "HEAD~1", "to": "HEAD" })),
        ("git_diff", json!({ "from": path, "to": "HEAD" })),
        ("git_show", json!({ "revision": "HEAD", "path": path })),
        ("git_show", json!({ "revision": path })),
        ("git_blame", json!({ "path": path })),
        ("write_file", json!({ "path": path, "content": WRITTEN, "overwrite": true })),
        ("write_file", json!({ "path": format!("{path}/made"), "content": WRITTEN })),
        ("edit_file", json!({ "path": path, "old_text": CANARY, "new_text": WRITTEN })),
    ]
}

/// A repository with everything that leads out of it, and something outside to lead to.
fn ground() -> Ground {
    let ground = Ground::repository();
    ground.write("src/a.rs", "fn inside() {}\n").write(".env", CANARY);
    ground.commit("first");
    ground.write("src/a.rs", "fn inside() {}\nfn more() {}\n").write(".env", format!("{CANARY}2"));
    let outside = ground.beside("outside");
    fs::create_dir(&outside).unwrap();
    git_in(&outside, &["init", "-q"]);
    for name in ["f.txt", "f.rs", ".env"] {
        fs::write(outside.join(name), CANARY).unwrap();
    }
    git_in(&outside, &["add", "-A"]);
    git_in(&outside, &["commit", "-q", "-m", CANARY]);
    ground
        .link("folder-link", "../outside")
        .link("file-link", "../outside/f.txt")
        .link("absolute-link", outside.join("f.txt"))
        .link("dangling", "../outside/not-yet")
        .link("chain", "folder-link")
        .link("secret-link", ".env")
        .link("git-link", ".git")
        .link("round", "round")
        .link("odd-link", OsStr::from_bytes(b"../outs\xffide/f.txt"))
        .link("src/up", "../..");
    ground.commit("with links");
    ground
}

fn corpus(ground: &Ground) -> Vec<String> {
    let (root, outside) = (ground.root(), ground.beside("outside"));
    let (root, outside) = (root.to_str().unwrap(), outside.to_str().unwrap());
    let mut paths: Vec<String> = [
        // Upwards.
        "..",
        "../",
        "../outside",
        "../outside/f.txt",
        "src/../../outside/f.txt",
        "./.././outside/f.txt",
        "src/..//..//outside/f.txt",
        "src/a.rs/../../../outside/f.txt",
        "....//outside",
        "..\\outside\\f.txt",
        "%2e%2e/outside/f.txt",
        "\u{ff0e}\u{ff0e}/outside/f.txt",
        "src/.. /../outside",
        "~/f.txt",
        "~root",
        // Absolute.
        "/",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "/proc/self/cwd/../outside/f.txt",
        "/dev/stdin",
        "file:///etc/passwd",
        "C:\\Windows",
        "\\\\host\\share",
        // Links.
        "folder-link",
        "folder-link/f.txt",
        "folder-link/../f.txt",
        "file-link",
        "absolute-link",
        "dangling",
        "chain/f.txt",
        "round",
        "round/x",
        "odd-link",
        "src/up",
        "src/up/outside/f.txt",
        "secret-link",
        "git-link/config",
        "folder-link/.env",
        // Git's own and secrets, in odd spellings.
        ".git",
        ".git/config",
        ".git/../.env",
        ".git/../.git/HEAD",
        ".GIT/config",
        ".Git/HEAD",
        "git~1/config",
        ".git./config",
        ".git /config",
        ".git::$INDEX_ALLOCATION/config",
        ".g\u{200c}it/config",
        "src/../.git/config",
        ".env",
        ".ENV",
        "./.env",
        ".env/",
        ".env/.",
        ".env.",
        ".env ",
        ".env::$DATA",
        ".\u{200d}env",
        "src/../.env",
        // No paths.
        "",
        ".",
        "./",
        "src/",
        "src/a.rs/",
        "src/a.rs/.",
        "a\0b",
        "src/a.rs\0.png",
        "../outside/f.txt\0",
        "\n",
        "src/\u{7f}",
        "-rf",
        "--output=/tmp/x",
        "$(touch x)",
        "`x`",
        "*",
        "**/*",
        "../**",
        "/**",
        "!*",
        "{..,src}/**",
        "[.][.]/outside",
        // Revisions that are paths.
        "HEAD:.env",
        "HEAD:../outside/f.txt",
        ":/canary",
        "HEAD^{/canary}",
        "@{-1}",
        "main@{upstream}",
        "../../outside/.git/HEAD",
        "refs/../../../outside/.git/HEAD",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend([
        format!("{outside}/f.txt"),
        format!("{outside}/.git/HEAD"),
        format!("{root}/../outside/f.txt"),
        format!("{root}-evil/f.txt"),
        format!("{root}/.env"),
        format!("{root}/folder-link/f.txt"),
        format!("/{outside}/f.txt"),
        "../".repeat(60) + "etc/passwd",
        "a/".repeat(3_000),
        "x".repeat(300),
        "x".repeat(100_000),
        "d/".repeat(130) + "f",
    ]);
    paths
}

/// Every file below a folder with its contents, links as what they say.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![folder.to_owned()];
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            let bytes = match () {
                () if kind.is_dir() => {
                    ahead.push(path.clone());
                    Vec::new()
                }
                () if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
                }
                () => fs::read(&path).unwrap(),
            };
            found.insert(path.to_string_lossy().into_owned(), bytes);
        }
    }
    found
}

#[tokio::test]
async fn no_path_leads_any_tool_out_or_to_a_secret() {
    let ground = ground();
    fs::create_dir(ground.beside("root-evil")).unwrap();
    fs::write(ground.beside("root-evil/f.txt"), CANARY).unwrap();
    let paths = corpus(&ground);
    let everything = contents(&ground.beside(""));
    let root = ground.root().display().to_string();
    let is_watched = |path: &String| {
        !path.starts_with(&format!("{root}/"))
            || path.starts_with(&format!("{root}/.git/"))
            || path.ends_with("/.env")
    };
    let watched = |all: BTreeMap<String, Vec<u8>>| -> Vec<(String, Vec<u8>)> {
        all.into_iter().filter(|(path, _)| is_watched(path)).collect()
    };
    let before = watched(everything);
    let mut session = ground.session();
    let offered: Vec<&str> = manifest()[0].tools.iter().map(|tool| tool.name).collect();
    for tool in &offered {
        assert!(calls("x").iter().any(|(known, _)| known == tool), "{tool} is not tried");
    }
    for path in &paths {
        for (tool, arguments) in calls(path) {
            if !offered.contains(&tool) {
                continue;
            }
            let result = session.call(tool, arguments).await;
            let shown = result.to_string();
            // A tool may say again what it was asked for, and nothing more.
            let shown = shown.replace(&json!(path).to_string()[1..], "");
            assert!(!shown.contains(CANARY), "{tool} of {path:?} shows {shown}");
            assert!(!shown.contains("root:x:"), "{tool} of {path:?} shows {shown}");
        }
    }
    let after = watched(contents(&ground.beside("")));
    for (then, now) in before.iter().zip(&after) {
        assert_eq!(then.0, now.0, "something came or went");
        assert!(then.1 == now.1, "{} was written", then.0);
    }
    assert_eq!(before.len(), after.len(), "{:?}", after.last().map(|(path, _)| path));
    // The tools do write, where they may.
    assert_eq!(fs::read_to_string(ground.root().join("made")).unwrap(), WRITTEN);
}

#[tokio::test]
async fn text_that_is_no_unicode_is_no_argument() {
    let ground = ground();
    for tool in ground.session().raw_tools() {
        for name in ["path", "paths", "revision", "glob"] {
            let value = if name == "paths" { r#"["\ud800"]"# } else { r#""\ud800/../x""# };
            let arguments = format!(r#"{{"{name}":{value}}}"#);
            let arguments = serde_json::value::RawValue::from_string(arguments).unwrap();
            let output = tool.call(arguments).await.unwrap();
            assert!(output.is_error, "{} takes {name}", tool.name());
        }
    }
}

/// A folder and a file are swapped for links to the outside, and back, while tools write and compare.
#[tokio::test(flavor = "multi_thread")]
async fn a_swap_race_never_writes_or_compares_a_byte_outside() {
    let ground = ground();
    ground.write("a/f.txt", "inside").write("f.txt", "inside");
    ground.commit("swapped");
    let before = contents(&ground.beside("outside"));
    let (root, outside) = (ground.root(), ground.beside("outside"));
    let stop = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&stop);
    let swapper = thread::spawn(move || {
        std::os::unix::fs::symlink(&outside, root.join("to-folder")).unwrap();
        std::os::unix::fs::symlink(outside.join("f.txt"), root.join("to-file")).unwrap();
        // A file that is written anew is another one, so it may be gone for a moment.
        while !is_over.load(Ordering::Relaxed) {
            for (real, link) in [("a", "to-folder"), ("f.txt", "to-file")] {
                let _ = fs::rename(root.join(real), root.join("aside"));
                let _ = fs::rename(root.join(link), root.join(real));
                let _ = fs::rename(root.join(real), root.join(link));
                let _ = fs::rename(root.join("aside"), root.join(real));
            }
        }
    });
    let mut session = ground.session();
    let (mut written, mut refused) = (0, 0);
    for round in 0..20_000 {
        let text = format!("round {round}");
        let (tool, arguments) = match round % 6 {
            0 | 1 => {
                ("write_file", json!({ "path": "a/f.txt", "content": text, "overwrite": true }))
            }
            2 => ("write_file", json!({ "path": "a/g.txt", "content": text, "overwrite": true })),
            3 => ("write_file", json!({ "path": "f.txt", "content": text, "overwrite": true })),
            4 => ("edit_file", json!({ "path": "a/f.txt", "old_text": "o", "new_text": "0" })),
            _ => ("git_diff", json!({ "paths": ["a", "f.txt"] })),
        };
        let result = session.call(tool, arguments).await;
        assert!(!result.to_string().contains(CANARY), "round {round}: {result}");
        if tool == "write_file" {
            let counted = if result["isError"] == true { &mut refused } else { &mut written };
            *counted += 1;
        }
        if round >= 1_000 && written > 50 && refused > 50 {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(contents(&ground.beside("outside")), before);
    assert!(written > 0 && refused > 0, "no race: {written} written, {refused} refused");
}
