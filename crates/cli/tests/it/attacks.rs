//! The corpus of attacks in `tests/attacks`, each tried against the real binary. The files are the
//! attacks and `tests/attacks/README.md` says how they are written; this only plays them.

mod attack;
mod expected;
mod gate;
mod play;
mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use attack::Attack;
use play::play;

/// So many worlds at once: most of their time is spent waiting for each other's processes.
const AT_ONCE: usize = 4;

/// Fewer than this, and rows were lost.
const AT_LEAST: usize = 120;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks")
}

/// The files, those whose name has what the variable says.
fn files() -> Vec<PathBuf> {
    let wanted = std::env::var("TOOLGATE_ATTACKS").unwrap_or_default();
    let all = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let is_wanted = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "toml")
            && name(path).contains(&wanted)
    };
    let mut files: Vec<_> = all.filter(is_wanted).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_attack_of_the_corpus_fails() {
    let files = files();
    assert!(files.len() >= AT_LEAST || std::env::var_os("TOOLGATE_ATTACKS").is_some());
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
