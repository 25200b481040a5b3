//! The corpus of attacks in `tests/attacks`, each tried against the real binary. The files are the
//! attacks and `tests/attacks/README.md` says how they are written; this only plays them.

mod attack;
mod expected;
mod gate;
mod login;
mod play;
mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use attack::Attack;
use play::play;

/// One test for each beginning of a file's name, so that a failure is told by its own name.
macro_rules! attacks_on {
    ($($test:ident: $beginning:literal,)*) => {
        const BEGINNINGS: &[&str] = &[$($beginning),*];

        $(#[test]
        fn $test() {
            every_attack_fails($beginning);
        })*
    };
}

attacks_on! {
    agent: "agent",
    clones: "clone",
    commands: "command",
    fingerprints: "fingerprint",
    http: "http",
    imports: "import",
    json: "json",
    load: "load",
    logins: "login",
    names: "name",
    parking: "parking",
    prompts: "prompt",
    records: "records",
    repositories: "repository",
    resources: "resource",
    rules: "rule",
    self_approval: "self-approval",
    servers: "server",
    sessions: "session",
    speaking: "speaking",
    switches: "switch",
    terminals: "terminal",
    tokens: "token",
    trust: "trust",
}

/// So many worlds at once: most of their time is spent waiting for each other's processes.
const AT_ONCE: usize = 2;

/// Fewer than this, and rows were lost.
const AT_LEAST: usize = 400;

#[test]
fn every_file_of_the_corpus_is_played() {
    let files = files("");
    assert!(files.len() >= AT_LEAST, "{} are left", files.len());
    let is_played = |path: &&PathBuf| BEGINNINGS.contains(&beginning(path).as_str());
    let left_out: Vec<_> = files.iter().filter(|path| !is_played(path)).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks")
}

/// The files whose name has what is wanted.
fn files(wanted: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let is_wanted = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "toml") && name(path).contains(wanted)
    };
    let mut files: Vec<_> = all.filter(is_wanted).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// What stands before the two dashes.
fn beginning(path: &Path) -> String {
    name(path).split("--").next().unwrap().to_owned()
}

fn every_attack_fails(which: &str) {
    let mut files = files(&std::env::var("TOOLGATE_ATTACKS").unwrap_or_default());
    files.retain(|path| beginning(path) == which);
    let left = Mutex::new(files.iter());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some(path) = next else { return };
                    if let Err(why) = attempt(path) {
                        failed.lock().unwrap().push(format!("{}: {why}", name(path)));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    assert!(failed.is_empty(), "{} got through:\n\n{}", failed.len(), failed.join("\n\n"));
}

/// In a thread of its own, so that a step that fails ends this attack and no other.
fn attempt(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let attack: Attack = toml::from_str(&text).map_err(|error| error.to_string())?;
    let played = thread::spawn(move || play(&attack)).join();
    played.map_err(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        words
            .or_else(|| panic.downcast_ref::<&str>().map(|&words| words.to_owned()))
            .unwrap_or_else(|| "it panicked".to_owned())
    })?
}
