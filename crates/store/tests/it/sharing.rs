//! Several at once on one folder, as the daemon and the command line are.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Barrier;
use std::thread;

use toolgate_store::{SqliteStore, Store};

use crate::{folder, root, server, wait};

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

/// Closing any descriptor of a file drops every POSIX lock that the process has on it, and then
/// another process may take the log away from under a store that is still open.
#[cfg(target_os = "linux")]
#[test]
fn opening_a_second_store_leaves_the_first_its_locks() {
    let state = folder();
    let _first = SqliteStore::open(state.path()).unwrap();
    let file = fs::metadata(state.path().join("state.db")).unwrap().ino();
    let locks = || {
        let held = fs::read_to_string("/proc/locks").unwrap_or_default();
        held.lines().filter(|lock| lock.contains(&format!(":{file} "))).count()
    };
    let before = locks();
    drop(SqliteStore::open(state.path()).unwrap());
    drop(SqliteStore::open_read_only(state.path()).unwrap());
    assert_eq!(locks(), before);
}
