//! A process that is killed while it writes: what it was told is kept is there, and the chain is
//! whole.
//!
//! The process is this test program again, told by a variable to do nothing but append.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use toolgate_store::{
    ArtifactStore, AuditEntry, AuditKind, AuditLog, AuditQuery, AuditVerdict, SqliteStore, Store,
};

use crate::{folder, local, opened, picture, wait, whole_rows};

const FOLDER: &str = "TOOLGATE_TEST_APPEND_TO";

/// Does nothing by itself: it is what the other test starts and kills.
#[test]
fn appends_until_it_is_killed_when_asked_to() {
    let Some(state) = env::var_os(FOLDER) else { return };
    let store = SqliteStore::open(Path::new(&state)).unwrap();
    for turn in 1.. {
        wait(store.append_audit(&[opened("c", turn), opened("c", turn)])).unwrap();
        let kept = wait(store.keep_artifact(picture(&[7; 10_000], turn))).unwrap();
        println!("kept {} {}", turn * 2, kept.id);
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
        let began = wait(store.audit(AuditQuery::default())).unwrap();
        let began = began.iter().filter(|row| row.entry.kind == AuditKind::Open).count() as u64;
        assert!(began >= *last);
        // Two were appended at a time, and none is there without the other.
        assert_eq!(began % 2, 0);
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

const LOAD: &str = "TOOLGATE_TEST_LOAD";

/// Does nothing by itself: four that append at once and say what is kept, each line once it is.
#[test]
fn appends_from_many_threads_until_it_is_killed_when_asked_to() {
    let Some(state) = env::var_os(LOAD) else { return };
    let store = SqliteStore::open(Path::new(&state)).unwrap();
    println!("\nbegin");
    thread::scope(|scope| {
        for who in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for turn in 0.. {
                    let call = format!("{}-{who}-{turn}", process::id());
                    let end = AuditEntry { kind: AuditKind::End, ..opened(&call, 2) };
                    wait(store.append_audit(&[opened(&call, 1)])).unwrap();
                    println!("open {call}");
                    wait(store.append_audit(&[end])).unwrap();
                    println!("end {call}");
                }
            });
        }
    });
}

/// The crash corpus: whenever it is killed, what was told is there, and nothing else is.
///
/// Whoever wants more: `TOOLGATE_KILLS=2000`.
#[test]
fn killed_at_any_moment_under_load_what_was_told_is_there_and_nothing_is_invented() {
    let kills =
        env::var("TOOLGATE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(200_u64);
    let state = folder();
    let mut told: BTreeMap<String, bool> = BTreeMap::new();
    let mut writers = 0;
    for kill in 0..kills {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "killing::appends_from_many_threads_until_it_is_killed_when_asked_to",
            ])
            .arg("--nocapture")
            .env(LOAD, state.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "begin"));
        // Some before the first record, some among thousands.
        let moment = Duration::from_micros(kill.wrapping_mul(2_654_435_761) % 12_000);
        thread::sleep(moment);
        child.kill().unwrap();
        for line in lines {
            match line.split_once(' ') {
                Some(("open", call)) => {
                    told.entry(call.to_owned()).or_default();
                }
                // The last line may be half of one.
                Some(("end", call)) if told.contains_key(call) => {
                    told.insert(call.to_owned(), true);
                }
                _ => {}
            }
        }
        child.wait().unwrap();
        writers += 4;
        if kill % 20 == 19 || kill + 1 == kills {
            compare(&SqliteStore::open(state.path()).unwrap(), &told, writers);
        }
    }
    assert!(told.len() as u64 > kills, "{}", told.len());
}

fn compare(store: &SqliteStore, told: &BTreeMap<String, bool>, writers: usize) {
    let before = wait(store.verify_audit(None)).unwrap();
    assert!(matches!(before, AuditVerdict::Whole { .. }), "{before:?}");
    // How often each began, ended, and was concluded for its process, which is gone.
    let mut kept: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    for row in wait(store.audit(AuditQuery::default())).unwrap() {
        let (opens, ends, aborted) = kept.entry(row.entry.correlation.clone()).or_default();
        match row.entry.kind {
            AuditKind::Open => *opens += 1,
            AuditKind::End if row.entry.outcome.as_deref() == Some("aborted") => *aborted += 1,
            AuditKind::End => (*opens, *ends) = (*opens + usize::from(row.was_opened), *ends + 1),
            AuditKind::Torn => {
                kept.remove(&row.entry.correlation);
            }
            other => panic!("{other:?}"),
        }
    }
    for (call, has_ended) in told {
        let (opens, ends, _) = kept.get(call).copied().unwrap_or_default();
        assert_eq!(opens, 1, "{call}");
        assert!(ends == 1 || !has_ended && ends == 0, "{call}: {ends}");
    }
    // Nobody writes twice, or more than the one line that it had no time to say.
    // What did not end is concluded, once.
    assert!(kept.values().all(|(opens, ends, aborted)| *opens == 1 && ends + aborted == 1));
    assert!(kept.len() <= told.len() + writers, "{} of {}", kept.len(), told.len());
    let after = wait(store.verify_audit(None)).unwrap();
    let AuditVerdict::Whole { tails, .. } = after else { panic!("{after:?}") };
    assert_eq!(tails, []);
}
