//! Several at once on one folder, as the daemon and the command line are.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use rusqlite::Connection;
use toolgate_store::{
    ArtifactStore, AuditKind, AuditLog, AuditQuery, Pins, SqliteStore, Store, Tokens, Workspaces,
};
use toolgate_types::{Digest, PinnedBy};

use crate::{
    folder, local, opened, picture, pin, pins_of, root, seen, server, snapshot, token, wait,
    whole_rows, within,
};

#[test]
fn two_stores_and_eight_threads_lose_nothing() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    let stores = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    thread::scope(|scope| {
        for worker in 0..8 {
            let (store, here) = (&stores[worker % 2], &here);
            scope.spawn(move || {
                for turn in 0..50 {
                    wait(store.accept(here, server(&format!("s-{worker}-{turn}")))).unwrap();
                }
            });
        }
    });
    drop(stores);
    let store = SqliteStore::open(state.path()).unwrap();
    let found = wait(store.acceptances(&here)).unwrap();
    let ids: BTreeSet<_> = found.entries().iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!((found.entries().len(), ids.len()), (400, 400));
}

#[test]
fn ten_that_open_a_new_folder_together_share_one_file() {
    let (home, project) = (folder(), folder());
    let (state, here) = (home.path().join("state/toolgate"), root(project.path()));
    let start = Barrier::new(10);
    thread::scope(|scope| {
        for worker in 0..10 {
            let (state, here, start) = (&state, &here, &start);
            scope.spawn(move || {
                start.wait();
                let store = SqliteStore::open(state).unwrap();
                wait(store.accept(here, server(&format!("s-{worker}")))).unwrap();
            });
        }
    });
    let store = SqliteStore::open(&state).unwrap();
    assert_eq!(wait(store.acceptances(&here)).unwrap().entries().len(), 10);
}

#[test]
fn a_store_sees_what_another_revoked() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    let [daemon, command] = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    wait(daemon.accept(&here, server("a"))).unwrap();
    let kind = server("a").kind;
    assert!(wait(command.revoke(&here, kind, "a")).unwrap());
    assert_eq!(wait(daemon.acceptances(&here)).unwrap().entries(), []);
}

#[test]
fn ten_that_ask_for_the_key_of_a_new_installation_together_get_one() {
    let state = folder();
    let stores = [(); 10].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(stores.len());
    let keys: BTreeSet<_> = thread::scope(|scope| {
        let ask = |store| {
            start.wait();
            *wait(Store::installation_key(store)).unwrap().as_bytes()
        };
        let asked: Vec<_> = stores.iter().map(|store| scope.spawn(move || ask(store))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    drop(stores);
    let later = wait(SqliteStore::open(state.path()).unwrap().installation_key()).unwrap();
    assert_eq!(keys, BTreeSet::from([*later.as_bytes()]));
}

#[test]
fn of_ten_that_keep_a_token_of_one_name_together_one_does() {
    let state = folder();
    let stores = [(); 10].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(stores.len());
    let kept = thread::scope(|scope| {
        let keep = |store: &SqliteStore, hash| {
            start.wait();
            wait(store.keep_token(token("ci", hash))).unwrap()
        };
        let asked =
            stores.iter().zip(0..).map(|(store, hash)| scope.spawn(move || keep(store, hash)));
        let asked: Vec<_> = asked.collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).filter(|kept| *kept).count()
    });
    assert_eq!(kept, 1);
    assert_eq!(wait(stores[0].tokens()).unwrap().len(), 1);
}

#[test]
fn of_ten_that_replace_a_token_together_one_lives() {
    let state = folder();
    let stores = [(); 10].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(stores.len());
    thread::scope(|scope| {
        for (store, hash) in stores.iter().zip(0..) {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                assert!(wait(store.replace_token(token("default", hash))).unwrap());
            });
        }
    });
    let tokens = wait(stores[0].tokens()).unwrap();
    let living = tokens.iter().filter(|token| token.revoked_at.is_none()).count();
    assert_eq!((tokens.len(), living), (10, 1));
}

#[test]
fn ten_that_keep_one_workspace_together_get_one_name() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    let stores = [(); 10].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(stores.len());
    let names: BTreeSet<_> = thread::scope(|scope| {
        let ask = |store: &SqliteStore| {
            start.wait();
            wait(store.keep_workspace(&here, 1)).unwrap()
        };
        let asked: Vec<_> = stores.iter().map(|store| scope.spawn(move || ask(store))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(names.len(), 1);
    assert_eq!(wait(stores[0].workspaces()).unwrap().len(), 1);
}

#[test]
fn every_installation_has_a_key_of_its_own() {
    let states = [folder(), folder()];
    let [one, other] = states
        .each_ref()
        .map(|state| wait(SqliteStore::open(state.path()).unwrap().installation_key()).unwrap());
    assert_ne!(one.as_bytes(), other.as_bytes());
}

#[test]
fn the_key_is_had_while_another_writes() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    let made = wait(store.installation_key()).unwrap();
    let other = Connection::open(state.path().join("state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(wait(store.installation_key()).unwrap().as_bytes(), made.as_bytes());
}

#[test]
fn a_store_sees_the_snapshot_that_another_kept() {
    let state = folder();
    let [daemon, command] = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    let key = Digest([1; 32]);
    wait(daemon.keep_snapshot(key, snapshot("a", 1))).unwrap();
    assert_eq!(wait(command.snapshot(key)).unwrap(), Some(snapshot("a", 1)));
    assert!(wait(command.forget_snapshot(key)).unwrap());
    assert_eq!(wait(daemon.snapshot(key)).unwrap(), None);
}

#[test]
fn of_ten_that_see_a_server_for_the_first_time_together_one_pins_it() {
    let state = folder();
    let stores = [(); 10].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(stores.len());
    let key = pins_of("a");
    let observed: Vec<_> = thread::scope(|scope| {
        let observe = |store: &SqliteStore, own: &str| {
            start.wait();
            wait(store.observe_tools(&key, seen(&[("read", "{}"), (own, "{}")]), 1)).unwrap()
        };
        let names = ('a'..).map(|name| name.to_string());
        let asked =
            stores.iter().zip(names).map(|(store, own)| scope.spawn(move || observe(store, &own)));
        let asked: Vec<_> = asked.collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let pinned = observed.iter().filter(|one| one.new.contains(&"read".to_owned())).count();
    assert_eq!(pinned, 1);
    let pins = wait(stores[0].pins(&key)).unwrap();
    let first = pins.iter().filter(|pin| pin.by == PinnedBy::First).count();
    assert_eq!((pins.len(), first), (11, 2), "what came in the first list, and what came later");
}

/// What a person accepts must not be undone by one who looks at the server meanwhile.
#[test]
fn an_acceptance_is_never_lost_to_one_who_sees_another_difference() {
    let state = folder();
    let [daemon, command] = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    let key = pins_of("a");
    wait(daemon.keep_pins(&key, vec![pin("read", "0")])).unwrap();
    let see = |definition: &str| {
        wait(daemon.observe_tools(&key, seen(&[("read", definition)]), 1)).unwrap();
    };
    for turn in 1..=100 {
        see(&format!("{turn}"));
        let before = wait(daemon.pins(&key)).unwrap().remove(0).accepted;
        thread::scope(|scope| {
            scope.spawn(|| (1..=5).for_each(|beside| see(&format!("{turn}.{beside}"))));
            assert_eq!(wait(command.accept_pins(&key, &[], true, turn)).unwrap(), ["read"]);
        });
        let [pin] = &wait(daemon.pins(&key)).unwrap()[..] else { panic!("one pin") };
        assert_ne!(pin.accepted, before);
        assert_eq!((pin.by, pin.named, pin.accepted_at), (PinnedBy::Person, true, turn));
    }
}

#[test]
fn two_stores_that_append_at_once_make_one_chain() {
    let state = folder();
    let stores = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    let start = Barrier::new(2);
    thread::scope(|scope| {
        for (store, name) in stores.iter().zip(["a", "b"]) {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                for turn in (0..500).step_by(2) {
                    let pair = vec![opened(name, turn), opened(name, turn + 1)];
                    wait(store.append_audit(&pair)).unwrap();
                }
            });
        }
    });
    assert_eq!(stores.each_ref().map(|store| whole_rows(store)), [1000, 1000]);
    let rows = wait(stores[0].audit(AuditQuery::default())).unwrap();
    for name in ["a", "b"] {
        let mine = rows.iter().filter(|row| row.entry.correlation == name);
        let times: Vec<_> = mine.map(|row| row.entry.at).collect();
        assert_eq!(times, (0..500).collect::<Vec<_>>());
    }
    // What was appended together stands together.
    let pairs = rows.chunks(2).map(|pair| [&pair[0], &pair[1]].map(|row| &row.entry.correlation));
    assert!(pairs.into_iter().all(|[one, other]| one == other));
}

#[test]
fn while_one_appends_and_one_prunes_a_third_sees_a_whole_chain() {
    let state = folder();
    let [daemon, command, looking] = [(); 3].map(|()| SqliteStore::open(state.path()).unwrap());
    wait(daemon.append_audit(&(0..400).map(|at| opened("c", at)).collect::<Vec<_>>())).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            for at in 400..500 {
                wait(daemon.append_audit(&[opened("c", at)])).unwrap();
            }
        });
        let pruning = scope.spawn(|| {
            for keep_since in 0..400 {
                wait(command.prune_audit(keep_since, within(u64::MAX))).unwrap();
            }
        });
        while !pruning.is_finished() {
            whole_rows(&looking);
        }
    });
    wait(command.prune_audit(490, within(u64::MAX))).unwrap();
    let rows = wait(daemon.audit(AuditQuery::default())).unwrap();
    let calls = rows.iter().filter(|row| row.entry.kind != AuditKind::Pruning);
    assert_eq!((calls.count(), whole_rows(&daemon)), (10, rows.len() as u64));
}

/// A search on the connection that writes would wait here until the other gives up its turn.
#[test]
fn the_audit_is_searched_while_another_writes() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.append_audit(&[opened("c", 1)])).unwrap();
    let other = Connection::open(state.path().join("state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    wait(async {
        // Its journal is open, so it waits for nobody.
        store.append_audit(&[opened("c", 2)]).await.unwrap();
        let seen = store.audit(AuditQuery::default()).await.unwrap();
        assert_eq!(seen.iter().map(|row| row.sequence).collect::<Vec<_>>(), [1, 2]);
        let newest = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
        assert_eq!(store.audit(newest).await.unwrap(), seen[1..]);
        assert_eq!(whole_rows_of(&store).await, (0, 2));
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(store.audit(AuditQuery::default()).await.unwrap(), seen);
        assert_eq!(whole_rows_of(&store).await, (2, 0));
    });
}

/// And how many entries of journals are none yet.
async fn whole_rows_of(store: &SqliteStore) -> (u64, u64) {
    match store.verify_audit(None).await.unwrap() {
        toolgate_store::AuditVerdict::Whole { rows, tails, .. } => {
            (rows, tails.iter().map(|tail| tail.entries).sum())
        }
        broken => panic!("{broken:?}"),
    }
}

#[test]
fn sweeping_takes_nothing_that_another_is_just_keeping() {
    let state = folder();
    let [daemon, command] = [(); 2].map(|()| SqliteStore::open(state.path()).unwrap());
    let kept: Vec<_> = thread::scope(|scope| {
        let keeping = scope.spawn(|| {
            let keep = |turn| wait(daemon.keep_artifact(picture(&[1; 5000], turn))).unwrap();
            (0..200).map(keep).collect()
        });
        let mut swept = 0;
        while !keeping.is_finished() {
            swept += wait(command.prune_artifacts(0, u64::MAX)).unwrap();
        }
        assert_eq!(swept, 0);
        keeping.join().unwrap()
    });
    for artifact in kept {
        let read = wait(command.read_artifact(&artifact.id, &local(), 0..9000)).unwrap();
        assert_eq!(read.unwrap(), [1; 5000]);
    }
}

/// Closing any descriptor of a file drops every POSIX lock that the process has on it, and then
/// another process may take the log away from under a store that is still open.
#[cfg(target_os = "linux")]
#[test]
fn opening_a_second_store_leaves_the_first_its_locks() {
    let state = folder();
    let _first = SqliteStore::open(state.path()).unwrap();
    let before = locks_held_on(&state.path().join("state.db"));
    assert!(!before.is_empty());
    drop(SqliteStore::open(state.path()).unwrap());
    drop(SqliteStore::open_read_only(state.path()).unwrap());
    assert_eq!(locks_held_on(&state.path().join("state.db")), before);
}

/// Asked of each descriptor and not of `/proc/locks`, which leaves out some while others change.
#[cfg(target_os = "linux")]
fn locks_held_on(file: &Path) -> BTreeSet<String> {
    let file = fs::metadata(file).unwrap();
    let mut held = BTreeSet::new();
    for open in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        // Other tests close theirs meanwhile; the numbers are then gone, or another file's.
        let Ok(found) = fs::metadata(open.path()) else { continue };
        if (found.dev(), found.ino()) == (file.dev(), file.ino()) {
            let known = Path::new("/proc/self/fdinfo").join(open.file_name());
            let known = fs::read_to_string(known).unwrap_or_default();
            held.extend(known.lines().filter(|line| line.starts_with("lock:")).map(str::to_owned));
        }
    }
    held
}
