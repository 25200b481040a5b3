//! What works behind walls as it does without: reading, writing in the workspace, building, scripts.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolgate_types::config::{NetworkAccess, OuterWall};

use super::around::not_in_tmp;
use super::{Around, PROBE, copy_probe, has_walls, said};

async fn shell(around: &Around, words: &str) -> String {
    let mut description = around.command("/bin/sh", &["-c", words]);
    description.env.insert(
        toolgate_types::EnvName::parse("PATH").unwrap(),
        toolgate_types::ConfigText::Plain(std::env::var("PATH").unwrap()),
    );
    let (words, exit) = said(around, &description).await;
    assert!(exit.is_success(), "{exit}: {words}");
    words
}

#[tokio::test]
async fn the_workspace_and_the_private_tmp_are_written_to() {
    if !has_walls().await {
        return;
    }
    let around = Around::new();
    let words = shell(
        &around,
        "echo mine > new && cat new && mkdir -p a/b && mv new a/b && echo x > /tmp/of-the-walls && cat /tmp/of-the-walls && \
         echo y > /dev/null && pwd && cat .git/config && hostname",
    )
    .await;
    let workspace = around.workspace().canonicalize().unwrap();
    let expected = format!("mine\nx\n{}\n{}sandbox\n", workspace.display(), super::around::CANARY);
    assert_eq!(words, expected);
    assert_eq!(fs::read_to_string(around.at("work/a/b/new")).unwrap(), "mine\n");
    assert!(!Path::new("/tmp/of-the-walls").exists());
}

/// A private `/tmp` hides what lies in everybody's, but not the program itself.
#[tokio::test]
async fn a_program_in_a_folder_that_stands_empty_is_there() {
    if !has_walls().await {
        return;
    }
    let (around, elsewhere) = (Around::new(), tempfile::tempdir_in("/tmp").unwrap());
    let program = elsewhere.path().join("program");
    copy_probe(&program);
    let program = program.display().to_string();
    let (words, exit) = said(&around, &around.command(&program, &["reach", "127.0.0.1:1"])).await;
    assert_eq!((words.as_str(), exit.is_success()), ("false\n", true));
}

/// As `python3` beside `python3.11`.
#[tokio::test]
async fn a_link_beside_its_program_leads_to_it() {
    if !has_walls().await {
        return;
    }
    let (around, elsewhere) = (Around::new(), tempfile::tempdir_in("/tmp").unwrap());
    let bin = elsewhere.path().join("installed/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::copy(PROBE.as_str(), bin.join("program")).unwrap();
    symlink("program", bin.join("link")).unwrap();
    let link = bin.join("link").display().to_string();
    let (words, exit) = said(&around, &around.command(&link, &["reach", "127.0.0.1:1"])).await;
    assert_eq!((words.as_str(), exit.is_success()), ("false\n", true));
}

/// Shows: S3-32.
#[tokio::test]
async fn the_network_is_there_only_where_the_entry_says_so() {
    if !has_walls().await {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut around = Around::new();
    for allow_network in [false, true] {
        around.confinement.network =
            if allow_network { NetworkAccess::Everything } else { NetworkAccess::Off };
        let (words, _) = said(&around, &around.command(&PROBE, &["reach", &address])).await;
        assert_eq!(words, format!("{allow_network}\n"));
    }
}

/// Where a container is the outer wall, by the person's word, the inner ones still stand.
#[tokio::test]
async fn within_a_container_files_and_the_network_are_still_closed() {
    // There `/tmp` is everybody's.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned();
    let folder = match std::env::var_os(crate::PROGRAMS) {
        // Whoever may not see where things were built has a home.
        Some(_) => std::env::home_dir().unwrap_or(built),
        None => built,
    };
    let mut around = Around::in_folder(tempfile::tempdir_in(folder).unwrap());
    around.outer = OuterWall::Container;
    let mut description = around.command("/bin/sh", &["-c", "true"]);
    if let Err(error) = around.spawn(&description).await {
        eprintln!("SKIPPED: {error}");
        return;
    }
    let (home, outside) = (around.at("home"), around.at("outside"));
    let words = format!(
        "echo mine > new; cat {}/.ssh/id_test; echo no > {}/no; cat /etc/shadow",
        home.display(),
        outside.display()
    );
    description.args[1] = toolgate_types::ConfigText::Plain(words);
    let (words, _) = said(&around, &description).await;
    assert!(!words.contains(super::around::CANARY), "{words}");
    assert!(around.is_untouched());
    assert_eq!(fs::read_to_string(around.at("work/new")).unwrap(), "mine\n");
}

/// What is not protected comes into being as ever, wherever in the workspace, with the mode that its maker
/// wants.
#[tokio::test]
async fn everything_else_is_made_as_without_walls() {
    if !has_walls().await {
        return;
    }
    // In a folder that may be written to, and in one that may not.
    for folder in [tempfile::tempdir().ok(), not_in_tmp()].into_iter().flatten() {
        everything_else_is_made(Around::in_folder(folder)).await;
    }
}

async fn everything_else_is_made(around: Around) {
    let words = shell(
        &around,
        "mkdir new && echo a > new/file && mv new/file top && ln -s top link && ln top hard && \
         mkdir -p deep/er/still && cp top deep/er/still && mv deep/er moved && (umask 077; echo x > private) && \
         echo more >> top && mkfifo pipe && echo y > sub/in-a-folder-that-was-there && mv sub/in-a-folder-that-was-there up && \
         mkdir .cargo/registry && echo z > .cargo/registry/index && echo > /dev/null && echo > /tmp/of-its-own && \
         stat -c %a private top new && cat link hard moved/still/top up",
    )
    .await;
    assert_eq!(words, "600\n644\n755\na\nmore\na\nmore\na\ny\n");
    for name in [".claude", ".envrc", ".gemini"] {
        assert!(!around.workspace().join(name).exists());
    }
}

#[tokio::test]
async fn what_an_entry_names_is_seen_and_nothing_beside_it() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    fs::create_dir_all(around.at("home/shared/deep")).unwrap();
    fs::write(around.at("home/shared/deep/file"), "shared").unwrap();
    around.confinement.readable.push("~/shared".to_owned());
    around.confinement.writable.push("../work-sibling".to_owned());
    let home = around.at("home").display().to_string();
    let words = shell(
        &around,
        &format!(
            "cat {home}/shared/deep/file && echo ok > ../work-sibling/new && ls -a {home} && \
             ! echo no > {home}/shared/new && ! cat {home}/.ssh/id_test"
        ),
    )
    .await;
    assert!(words.starts_with("shared.\n..\nshared\n"), "{words}");
    assert_eq!(fs::read_to_string(around.at("work-sibling/new")).unwrap(), "ok\n");
}

#[tokio::test]
async fn scripts_of_every_language_that_is_here_run() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    fs::write(
        around.at("work/a.py"),
        "import json, os; print(json.dumps({'cwd': 1})); os.getpid()",
    )
    .unwrap();
    fs::write(
        around.at("work/a.mjs"),
        "import os from 'node:os'; console.log(os.cpus().length > 0)",
    )
    .unwrap();
    let there = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    // One that was installed for somebody alone is in their home.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let node = std::env::split_paths(&path).map(|folder| folder.join("node"));
    if let Some(node) = node.filter_map(|path| path.canonicalize().ok()).next()
        && let Some(prefix) = node.parent().and_then(Path::parent)
        && !prefix.starts_with("/usr")
    {
        around.confinement.readable.push(prefix.display().to_string());
    }
    for (program, script, expected) in
        [("/usr/bin/python3", "a.py", "{\"cwd\": 1}\n"), ("node", "a.mjs", "true\n")]
    {
        match there(program) {
            true => assert_eq!(shell(&around, &format!("{program} {script}")).await, expected),
            false => eprintln!("SKIPPED: {program} is not here"),
        }
    }
    if there("git") {
        fs::remove_dir_all(around.at("work/.git")).unwrap();
        let made =
            Command::new("git").arg("init").arg("-q").current_dir(around.workspace()).status();
        assert!(made.unwrap().success());
        let words = shell(&around, "git -c safe.directory='*' status --porcelain").await;
        assert!(words.contains("?? a.py"), "{words}");
    }
}

/// What a build needs of a person's home is what `@cargo` names, and no network.
#[tokio::test]
async fn a_cargo_project_is_built_offline() {
    if !has_walls().await {
        return;
    }
    let Some(toolchain) = toolchain() else {
        eprintln!("SKIPPED: no cargo is here");
        return;
    };
    let mut around = Around::new();
    // The toolchain is somewhere else, and the home of this world leads there, as a person's may.
    symlink(&toolchain, around.at("home/.rustup")).unwrap();
    around.confinement.readable.push("@cargo".to_owned());
    around.confinement.limits.file_bytes = 1 << 30;
    // The one of the world says nothing that cargo understands.
    fs::remove_dir_all(around.at("work/.cargo")).unwrap();
    for (name, text) in [
        ("dep/Cargo.toml", "[package]\nname = \"dep\"\nversion = \"1.0.0\"\nedition = \"2024\"\n"),
        ("dep/src/lib.rs", "pub fn word() -> &'static str { \"built\" }\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"1.0.0\"\nedition = \"2024\"\nbuild = \"build.rs\"\n\
             [dependencies]\ndep = { path = \"dep\" }\n[workspace]\n",
        ),
        ("build.rs", "fn main() { println!(\"cargo::rustc-env=HOW=offline\"); }\n"),
        ("src/main.rs", "fn main() { println!(\"{} {}\", dep::word(), env!(\"HOW\")); }\n"),
    ] {
        let file = around.workspace().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let bin = toolchain.join("bin").display().to_string();
    let home = around.at("home").display().to_string();
    let built = format!(
        "export HOME={home} PATH={bin}:$PATH; cargo build --offline --quiet && target/debug/app"
    );
    assert_eq!(shell(&around, &built).await, "built offline\n");
    assert!(around.workspace().join("target/debug/app").exists());
    assert!(!around.at("home/.cargo").exists(), "nothing of it is left in the home");
}

/// Where the compiler of this build lies, with its cargo.
fn toolchain() -> Option<PathBuf> {
    let said = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim());
    folder.join("bin/cargo").exists().then_some(folder)
}
