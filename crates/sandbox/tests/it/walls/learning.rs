//! A run that is learned from: what it uses is written down, what is secret stays closed, and what is proposed
//! lets the same command run behind walls.

use std::fs;
use std::path::{Path, PathBuf};

use tokio::io::AsyncReadExt as _;
use toolgate_sandbox::{
    Description, LearnedSettings, ProgramExit, SandboxGround, SandboxRoom, SpawnConditions,
};
use toolgate_types::config::OuterWall;

use super::around::{CANARY, not_in_tmp};
use super::{Around, PROBE, copy_probe, has_walls, said};
use crate::{spawner, within};

struct LearnedRun {
    words: String,
    exit: ProgramExit,
    settings: LearnedSettings,
}

async fn learn(around: &Around, description: &Description) -> LearnedRun {
    let spawner = spawner();
    let ground = SandboxGround {
        home: Some(around.at("home")),
        hidden: vec![around.at("state")],
        outer: around.outer,
        search_path: around.search_path.clone(),
        ..SandboxGround::default()
    };
    spawner.stand_on(ground.clone());
    let conditions = SpawnConditions {
        confinement: around.confinement.clone(),
        room: SandboxRoom { workspace: Some(around.workspace()), ..SandboxRoom::default() },
        ..SpawnConditions::unconfined()
    };
    let (mut child, log) = spawner.spawn_to_learn(description, &conditions).await.unwrap();
    drop(child.stdin.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let _ =
        within(async { tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err)) })
            .await;
    let exit = within(child.wait()).await;
    out.extend(err);
    let access = log.access().unwrap();
    let settings =
        LearnedSettings::of(&access, &conditions.confinement, &ground, &conditions.room).unwrap();
    LearnedRun { words: String::from_utf8_lossy(&out).into_owned(), exit, settings }
}

fn shell(around: &Around, words: &str) -> Description {
    let mut description = around.command("/bin/sh", &["-c", words]);
    description.env.insert(
        toolgate_types::EnvName::parse("PATH").unwrap(),
        toolgate_types::ConfigText::Plain("/usr/bin:/bin".to_owned()),
    );
    description
}

#[tokio::test]
async fn what_is_proposed_lets_the_same_command_run() {
    let Some(folder) = not_in_tmp() else { return };
    if !has_walls().await {
        return;
    }
    let mut around = Around::in_folder(folder);
    for name in ["home/data/a", "home/data/b", "home/data/c", "home/.cache"] {
        fs::create_dir_all(around.at(name)).unwrap();
        fs::write(around.at(name).join("file"), "there\n").unwrap();
    }
    fs::write(around.at("home/one"), "one\n").unwrap();
    fs::create_dir_all(around.at("home/.cargo/registry")).unwrap();
    fs::write(around.at("home/.cargo/registry/index"), "index\n").unwrap();
    let (data, home) = (around.at("home/data"), around.at("home"));
    let (data, home) = (data.display(), home.display());
    let words = format!(
        "set -e; cat {data}/a/file {data}/b/file {data}/c/file {home}/one {home}/.cargo/registry/index; \
         mkdir -p {home}/.cache/tool; echo made > {home}/.cache/tool/file; echo mine > made; echo x > /tmp/y.$$; \
         cat /tmp/y.$$; rm /tmp/y.$$"
    );
    let command = shell(&around, &words);
    let (_, exit) = said(&around, &command).await;
    assert!(!exit.is_success(), "without any words it does not run");
    let run = learn(&around, &command).await;
    let expected = "there\nthere\nthere\none\nindex\nx\n";
    assert_eq!((run.words.as_str(), run.exit), (expected, ProgramExit::Code(0)));
    let LearnedSettings { readable, writable, network, remarks } = run.settings;
    assert_eq!(readable, ["@cargo", "~/data", "~/one"]);
    assert_eq!(writable, ["~/.cache"]);
    assert!(network.is_empty() && remarks.is_empty(), "{network:?} {remarks:?}");
    (around.confinement.readable, around.confinement.writable) = (readable, writable);
    let (said, exit) = said(&around, &command).await;
    assert_eq!((said.as_str(), exit), (expected, ProgramExit::Code(0)));
}

/// Whatever a run wants: no credential, nothing of ours, no private address, nothing that runs later.
#[tokio::test]
async fn what_is_secret_stays_closed_and_is_not_proposed() {
    let around = Around::new();
    let socket = std::os::unix::net::UnixListener::bind(around.at("home/agent")).unwrap();
    socket.set_nonblocking(true).unwrap();
    // A whole run of something lies between, so that the socket is older than the one to learn from.
    if !has_walls().await {
        return;
    }
    for name in
        ["home/.aws/credentials", "home/.config/gh/hosts.yml", "home/.netrc", "home/.bashrc"]
    {
        fs::create_dir_all(around.at(name).parent().unwrap()).unwrap();
        fs::write(around.at(name), CANARY).unwrap();
    }
    // Not seen where it was built, if that is below `/tmp`.
    copy_probe(&around.at("work/probe"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (home, state) = (around.at("home"), around.at("state"));
    let (home, state) = (home.display(), state.display());
    let words = format!(
        "cat {home}/.ssh/id_test {home}/.aws/credentials {home}/.config/gh/hosts.yml {home}/.netrc {state}/state.db \
         /etc/shadow; echo no > {home}/.bashrc; echo no > .git/config; echo no > .envrc; \
         {probe} reach {}; {probe} reach 10.0.0.1:443; {probe} talk toolgate.invalid:443; {probe} call {home}/agent; ls /run /tmp",
        listener.local_addr().unwrap(),
        probe = "./probe",
    );
    let run = learn(&around, &shell(&around, &words)).await;
    assert!(!run.words.contains(CANARY), "{}", run.words);
    assert!(!run.words.contains("root:"), "{}", run.words);
    assert!(run.words.contains("false\n"), "{}", run.words);
    assert!(listener.accept().is_err(), "nobody called");
    assert!(socket.accept().is_err(), "nobody called");
    assert_eq!(fs::read_to_string(around.at("home/.bashrc")).unwrap(), CANARY);
    assert!(around.is_untouched());
    let LearnedSettings { readable, writable, network, remarks } = &run.settings;
    let secret = |word: &String| {
        [".ssh", ".aws", ".config", ".netrc", ".bashrc", "state", "shadow", "10.0"]
            .iter()
            .any(|name| word.contains(name))
    };
    assert!(!readable.iter().chain(writable).chain(network).any(secret), "{:?}", run.settings);
    assert!(network.is_empty(), "{network:?}");
    // A name is heard of, wherever it leads.
    let nobody = "it wants toolgate.invalid: the name has no address".to_owned();
    let private = "it wants 10.0.0.1, which is a private address and stays closed".to_owned();
    assert!(remarks.contains(&nobody) && remarks.contains(&private), "{remarks:?}");
}

#[tokio::test]
async fn a_commit_needs_the_repository_and_nothing_of_it_that_runs() {
    let git = Path::new("/usr/bin/git");
    if !has_walls().await || !git.exists() {
        return eprintln!("SKIPPED: no walls, or there is no git here");
    }
    let mut around = Around::new();
    fs::remove_dir_all(around.at("work/.git")).unwrap();
    let set_up = std::process::Command::new(git)
        .args(["init", "-q"])
        .current_dir(around.workspace())
        .status();
    assert!(set_up.unwrap().success());
    let commit =
        "git -c user.name=a -c user.email=a@b -c safe.directory='*' commit -q --allow-empty -m x";
    let run = learn(&around, &shell(&around, commit)).await;
    assert!(run.exit.is_success(), "{}", run.words);
    assert_eq!(run.settings.writable, [".git"], "{:?}", run.settings);
    around.confinement.writable = run.settings.writable;
    let (words, exit) = said(&around, &shell(&around, commit)).await;
    assert!(exit.is_success(), "{words}");
}

/// Learning means the same whoever builds the outer wall.
#[tokio::test]
async fn bubblewrap_lets_be_learned_from_too() {
    let mut around = Around::new();
    around.outer = OuterWall::Bwrap;
    if around.spawn(&around.command(&PROBE, &["nothing"])).await.is_err() {
        return eprintln!("SKIPPED: bwrap builds no walls here");
    }
    let file: PathBuf = around.at("home/one");
    fs::write(&file, "one\n").unwrap();
    let run = learn(&around, &shell(&around, &format!("cat {}", file.display()))).await;
    assert_eq!((run.words.as_str(), run.settings.readable), ("one\n", vec!["~/one".to_owned()]));
}
