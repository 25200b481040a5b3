//! Opening to look: nothing is made, and nothing can be changed.

use std::fs;
use std::path::Path;

use toolgate_store::{SqliteStore, Store, StoreError};
use toolgate_types::{Acceptances, EntryKind};

use crate::{folder, root, server, wait};

fn reads_as_empty(state: &Path) {
    let project = folder();
    let here = root(project.path());
    let store = SqliteStore::open_read_only(state).unwrap();
    assert_eq!(wait(store.acceptances(&here)).unwrap(), Acceptances::default());
    assert_eq!(wait(store.all_acceptances()).unwrap(), []);
    changes_nothing(&store);
}

fn changes_nothing(store: &SqliteStore) {
    let project = folder();
    let here = root(project.path());
    assert_eq!(wait(store.accept(&here, server("new"))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.revoke(&here, EntryKind::Server, "a")), Err(StoreError::ReadOnly));
}

#[test]
fn where_nothing_is_kept_nothing_is_made() {
    let home = folder();
    let state = home.path().join("state/toolgate");
    reads_as_empty(&state);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    reads_as_empty(home.path());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_file_just_being_made_reads_as_empty_and_stays_so() {
    let state = folder();
    fs::write(state.path().join("state.db"), "").unwrap();
    reads_as_empty(state.path());
    assert_eq!(fs::read(state.path().join("state.db")).unwrap(), b"");
}

#[test]
fn what_is_kept_is_seen_also_while_another_writes() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    let writing = SqliteStore::open(state.path()).unwrap();
    wait(writing.accept(&here, server("a"))).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    assert_eq!(wait(looking.acceptances(&here)).unwrap().entries(), [server("a")]);
    wait(writing.accept(&here, server("b"))).unwrap();
    assert_eq!(wait(looking.all_acceptances()).unwrap().len(), 2);
    changes_nothing(&looking);
    assert_eq!(wait(writing.all_acceptances()).unwrap().len(), 2);
}
