//! Opening to look: nothing is made, and nothing can be changed.

use std::fs;
use std::path::Path;

use toolgate_store::{
    ArtifactId, ArtifactStore, AuditLog, AuditQuery, AuditVerdict, LogHead, Pins, SqliteStore,
    Store, StoreError, Tokens, WorkspaceId, Workspaces,
};
use toolgate_types::{Acceptances, Digest, EntryKind};

use crate::{
    folder, local, opened, picture, pin, pins_of, root, seen, server, snapshot, token, token_name,
    wait, within,
};

const KEY: Digest = Digest([1; 32]);

fn reads_as_empty(state: &Path) {
    let project = folder();
    let here = root(project.path());
    let store = SqliteStore::open_read_only(state).unwrap();
    assert_eq!(wait(store.acceptances(&here)).unwrap(), Acceptances::default());
    assert_eq!(wait(store.all_acceptances()).unwrap(), []);
    assert_eq!(wait(store.snapshot(KEY)).unwrap(), None);
    assert_eq!(wait(store.installation_key()).unwrap_err(), StoreError::ReadOnly);
    assert_eq!(wait(store.audit(AuditQuery::default())).unwrap(), []);
    let nothing =
        AuditVerdict::Whole { rows: 0, head: None, from: None, tails: vec![], unshown: vec![] };
    assert_eq!(wait(store.verify_audit(None)).unwrap(), nothing);
    let head = Some((1, Digest([1; 32])));
    let missing = wait(store.verify_audit(head.map(LogHead::from))).unwrap();
    assert!(matches!(missing, AuditVerdict::Broken { sequence: 1, .. }), "{missing:?}");
    let id = ArtifactId::parse("00000000000000000000000000000000").unwrap();
    assert_eq!(wait(store.artifact(&id, &local())).unwrap(), None);
    assert_eq!(wait(store.read_artifact(&id, &local(), 0..1)).unwrap(), None);
    assert_eq!(wait(store.token(KEY)).unwrap(), None);
    assert_eq!(wait(store.tokens()).unwrap(), []);
    assert_eq!(wait(store.workspace(&WorkspaceId::parse("a").unwrap())).unwrap(), None);
    assert_eq!(wait(store.workspaces()).unwrap(), []);
    assert_eq!(wait(store.pins(&pins_of("a"))).unwrap(), []);
    assert_eq!(wait(store.all_pins()).unwrap(), []);
    changes_nothing(&store);
}

fn changes_nothing(store: &SqliteStore) {
    let project = folder();
    let here = root(project.path());
    assert_eq!(wait(store.accept(&here, server("new"))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.revoke(&here, EntryKind::Server, "a")), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.keep_snapshot(KEY, snapshot("new", 9))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.forget_snapshot(KEY)), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.append_audit(&[opened("c", 1)])), Err(StoreError::ReadOnly));
    assert_eq!(
        wait(store.observe_instructions(&pins_of("a"), "x", 1)).map(|_| ()),
        Err(StoreError::ReadOnly)
    );
    assert_eq!(wait(store.prune_audit(u64::MAX, within(0))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.keep_artifact(picture(b"x", 1))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.prune_artifacts(u64::MAX, 0)), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.keep_token(token("new", 1))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.replace_token(token("new", 1))), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.revoke_token(&token_name("a"), 1)), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.keep_workspace(&here, 1)), Err(StoreError::ReadOnly));
    let id = WorkspaceId::parse("a").unwrap();
    assert_eq!(wait(store.forget_workspace(&id)), Err(StoreError::ReadOnly));
    let key = pins_of("a");
    assert_eq!(wait(store.keep_pins(&key, vec![pin("new", "{}")])), Err(StoreError::ReadOnly));
    let observed = wait(store.observe_tools(&key, seen(&[("new", "{}")]), 1));
    assert_eq!(observed, Err(StoreError::ReadOnly));
    assert_eq!(wait(store.accept_pins(&key, &[], true, 1)), Err(StoreError::ReadOnly));
    assert_eq!(wait(store.forget_pins(&key)), Err(StoreError::ReadOnly));
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

#[test]
fn a_snapshot_is_seen_and_can_be_neither_replaced_nor_forgotten() {
    let state = folder();
    let writing = SqliteStore::open(state.path()).unwrap();
    wait(writing.keep_snapshot(KEY, snapshot("kept", 1))).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    changes_nothing(&looking);
    assert_eq!(wait(looking.snapshot(KEY)).unwrap(), Some(snapshot("kept", 1)));
}

#[test]
fn the_key_of_the_installation_is_seen_once_it_is_made_and_not_made() {
    let state = folder();
    let writing = SqliteStore::open(state.path()).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    assert_eq!(wait(looking.installation_key()).unwrap_err(), StoreError::ReadOnly);
    let made = wait(writing.installation_key()).unwrap();
    assert_eq!(wait(looking.installation_key()).unwrap().as_bytes(), made.as_bytes());
}

#[test]
fn what_happened_and_what_was_kept_of_it_is_seen() {
    let state = folder();
    let writing = SqliteStore::open(state.path()).unwrap();
    wait(writing.append_audit(&[opened("c", 1)])).unwrap();
    let kept = wait(writing.keep_artifact(picture(b"bytes", 1))).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    changes_nothing(&looking);
    assert_eq!(wait(looking.audit(AuditQuery::default())).unwrap().len(), 1);
    let read = wait(looking.read_artifact(&kept.id, &local(), 0..9)).unwrap();
    assert_eq!(read.as_deref(), Some(&b"bytes"[..]));
}

#[test]
fn tokens_and_workspaces_are_seen() {
    let (state, project) = (folder(), folder());
    let writing = SqliteStore::open(state.path()).unwrap();
    let here = root(project.path());
    assert!(wait(writing.keep_token(token("a", 1))).unwrap());
    let id = wait(writing.keep_workspace(&here, 1)).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    changes_nothing(&looking);
    assert_eq!(wait(looking.tokens()).unwrap(), [token("a", 1)]);
    assert_eq!(wait(looking.token(token("a", 1).hash)).unwrap(), Some(token("a", 1)));
    assert_eq!(wait(looking.workspace(&id)).unwrap(), Some(here));
}

#[test]
fn pins_are_seen() {
    let state = folder();
    let writing = SqliteStore::open(state.path()).unwrap();
    wait(writing.keep_pins(&pins_of("a"), vec![pin("read", "{}")])).unwrap();
    let looking = SqliteStore::open_read_only(state.path()).unwrap();
    changes_nothing(&looking);
    assert_eq!(wait(looking.pins(&pins_of("a"))).unwrap(), [pin("read", "{}")]);
}
