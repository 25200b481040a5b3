//! A process that is killed while it writes: what it was told is kept is there, and the chain is
//! whole.
//!
//! The process is this test program again, told by a variable to do nothing but append.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use toolgate_store::{ArtifactStore, AuditLog, AuditQuery, SqliteStore, Store};

use crate::{folder, local, opened, picture, wait, whole_rows};

const FOLDER: &str = "TOOLGATE_TEST_APPEND_TO";

/// Does nothing by itself: it is what the other test starts and kills.
#[test]
fn appends_until_it_is_killed_when_asked_to() {
    let Some(state) = env::var_os(FOLDER) else { return };
    let store = SqliteStore::open(Path::new(&state)).unwrap();
    for turn in 1.. {
        let last = wait(store.append_audit([opened("c", turn), opened("c", turn)].into())).unwrap();
        let kept = wait(store.keep_artifact(picture(&[7; 10_000], turn))).unwrap();
        println!("kept {last} {}", kept.id);
    }
}

#[test]
fn what_was_kept_before_a_kill_is_there_and_whole() {
    let state = folder();
    for round in 1..=3 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "killing::appends_until_it_is_killed_when_asked_to", "--nocapture"])
            .env(FOLDER, state.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The first may stand behind what the test program says of itself.
        let told = lines.filter_map(|line| {
            let (_, told) = line.split_once("kept ")?;
            let (last, id) = told.split_once(' ')?;
            Some((last.parse::<u64>().unwrap(), id.to_owned()))
        });
        let told: Vec<_> = told.take(20 * round).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let store = SqliteStore::open(state.path()).unwrap();
        let (last, id) = told.last().unwrap();
        assert_eq!(told.len(), 20 * round);
        assert!(whole_rows(&store) >= *last);
        // Two were appended at a time, and none is there without the other.
        assert_eq!(whole_rows(&store) % 2, 0);
        let id = toolgate_store::ArtifactId::parse(id).unwrap();
        let read = wait(store.read_artifact(&id, &local(), 0..u64::MAX)).unwrap();
        assert_eq!(read.unwrap(), [7; 10_000]);
        // At most the one that was being kept is without its row.
        assert!(wait(store.prune_artifacts(0, u64::MAX)).unwrap() <= 1);
        wait(store.installation_key()).unwrap();
        let newest = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
        assert_eq!(wait(store.audit(newest)).unwrap()[0].sequence, whole_rows(&store));
    }
}
