//! What every store does, whatever it keeps things in. What is not about acceptances has a file of
//! its own.

mod artifacts;
mod audit;
mod audit_search;
mod pins;
mod snapshots;
mod switches;
mod tokens;
mod work_book;
mod workspaces;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use toolgate_store::{MemoryStore, PackageLock, PinKey, ProjectRoot, SqliteStore, Store};
use toolgate_types::{AcceptedEntry, EntryKind, Trust};

use crate::{fingerprint, folder, root, server, wait};

fn on_every_store(check: &impl AsyncFn(&dyn Store)) {
    let state = folder();
    wait(async {
        check(&MemoryStore::default()).await;
        check(&SqliteStore::open(state.path()).unwrap()).await;
    });
}

async fn at(store: &dyn Store, root: &ProjectRoot) -> Vec<AcceptedEntry> {
    store.acceptances(root).await.unwrap().entries().to_vec()
}

#[test]
fn a_new_store_is_empty() {
    on_every_store(&async |store| {
        assert_eq!(at(store, &root(folder().path())).await, []);
        assert_eq!(store.all_acceptances().await.unwrap(), []);
    });
}

/// Shows: S2-13.
#[test]
fn an_acceptance_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let project = folder();
        let here = root(project.path());
        let given = [
            AcceptedEntry {
                fingerprint: fingerprint(7, &[("./run.sh", 1), ("src/é.js", 2), ("", 3)]),
                trust: Trust::Trusted,
                accepted_at: u64::MAX,
                ..server("a")
            },
            AcceptedEntry {
                fingerprint: fingerprint(8, &[("./run.sh", 4), ("z", 5)]),
                accepted_at: 0,
                ..server("b")
            },
            server("c"),
        ];
        for entry in &given {
            store.accept(&here, entry.clone()).await.unwrap();
        }
        assert_eq!(at(store, &here).await, given);
    });
}

#[test]
fn a_later_acceptance_replaces_the_whole_earlier_one() {
    on_every_store(&async |store| {
        let project = folder();
        let here = root(project.path());
        let first = AcceptedEntry {
            fingerprint: fingerprint(1, &[("old.js", 1), ("kept.js", 2)]),
            trust: Trust::Trusted,
            ..server("files")
        };
        let second = AcceptedEntry {
            fingerprint: fingerprint(2, &[("kept.js", 3)]),
            accepted_at: 5,
            ..server("files")
        };
        store.accept(&here, first).await.unwrap();
        store.accept(&here, second.clone()).await.unwrap();
        assert_eq!(at(store, &here).await, [second]);
    });
}

#[test]
fn a_kind_and_an_id_together_name_an_entry() {
    on_every_store(&async |store| {
        let project = folder();
        let here = root(project.path());
        let tool = AcceptedEntry { kind: EntryKind::Tool, ..server("x") };
        store.accept(&here, server("x")).await.unwrap();
        store.accept(&here, tool.clone()).await.unwrap();
        store.accept(&here, server("X")).await.unwrap();
        assert_eq!(at(store, &here).await, [server("X"), server("x"), tool]);
    });
}

#[test]
fn revoking_forgets_one_entry_and_says_whether_there_was_one() {
    on_every_store(&async |store| {
        let (project, other) = (folder(), folder());
        let (here, there) = (root(project.path()), root(other.path()));
        for (place, id) in [(&here, "a"), (&here, "b"), (&there, "a")] {
            store.accept(place, server(id)).await.unwrap();
        }
        assert!(!store.revoke(&here, EntryKind::Tool, "a").await.unwrap());
        assert!(store.revoke(&here, EntryKind::Server, "a").await.unwrap());
        assert!(!store.revoke(&here, EntryKind::Server, "a").await.unwrap());
        assert_eq!(at(store, &here).await, [server("b")]);
        assert_eq!(at(store, &there).await, [server("a")]);
    });
}

#[test]
fn a_moved_folder_is_another_root() {
    on_every_store(&async |store| {
        let home = folder();
        let (before, after) = (home.path().join("before"), home.path().join("after"));
        let first = root(&before);
        store.accept(&first, server("files")).await.unwrap();
        fs::rename(&before, &after).unwrap();
        assert_eq!(at(store, &ProjectRoot::of(&after).unwrap()).await, []);
        // The place it left is still listed, and can be revoked though it is gone.
        let listed = store.all_acceptances().await.unwrap();
        assert_eq!(listed, [(first, server("files"))]);
        assert!(store.revoke(&listed[0].0, EntryKind::Server, "files").await.unwrap());
    });
}

#[test]
fn everything_is_listed_by_root_then_kind_then_id() {
    on_every_store(&async |store| {
        let home = folder();
        // By components and not by bytes, where `a-b` would come between `a` and `a/b`.
        let roots = ["a", "a/b", "a-b"].map(|name| root(home.path().join(name)));
        // `bundle` comes before `server` in the alphabet, and after it here.
        let entries = [
            server("m"),
            server("z"),
            AcceptedEntry { kind: EntryKind::Tool, ..server("b") },
            AcceptedEntry { kind: EntryKind::Bundle, ..server("a") },
        ];
        let all = roots.iter().flat_map(|root| entries.iter().map(|e| (root.clone(), e.clone())));
        let all: Vec<_> = all.collect();
        for (root, entry) in all.iter().rev() {
            store.accept(root, entry.clone()).await.unwrap();
        }
        assert_eq!(store.all_acceptances().await.unwrap(), all);
        assert_eq!(at(store, &roots[1]).await, entries);
    });
}

#[test]
fn paths_that_are_not_text_stay_apart() {
    on_every_store(&async |store| {
        let home = folder();
        // Both would be shown as `caf\u{fffd}`.
        let names: [&[u8]; 2] = [b"caf\xe8", b"caf\xe9"];
        let roots = names.map(|name| root(home.path().join(OsStr::from_bytes(name))));
        store.accept(&roots[0], server("a")).await.unwrap();
        store.accept(&roots[1], server("b")).await.unwrap();
        let listed = store.all_acceptances().await.unwrap();
        assert_eq!(listed, [(roots[0].clone(), server("a")), (roots[1].clone(), server("b"))]);
    });
}

#[test]
fn what_an_entry_spoke_is_remembered_until_it_speaks_otherwise() {
    on_every_store(&async |store| {
        let (one, other) = (fingerprint(1, &[]).entry, fingerprint(2, &[]).entry);
        assert_eq!(store.revision_of(one).await.unwrap(), None);
        store.keep_revision(one, "2025-11-25").await.unwrap();
        store.keep_revision(one, "2026-07-28").await.unwrap();
        assert_eq!(store.revision_of(one).await.unwrap().as_deref(), Some("2026-07-28"));
        assert_eq!(store.revision_of(other).await.unwrap(), None);
    });
}

#[test]
fn packages_are_fixed_for_one_server_of_one_project() {
    on_every_store(&async |store| {
        let server = toolgate_types::ServerId::parse("memory").unwrap();
        let here = PinKey { root: Some(root(folder().path())), server: server.clone() };
        let person = PinKey { root: None, server };
        let lock =
            |word: &str| PackageLock { wanted: fingerprint(1, &[]).entry, lock: word.to_owned() };
        assert_eq!(store.package_lock(&here).await.unwrap(), None);
        store.keep_package_lock(&here, lock("old")).await.unwrap();
        store.keep_package_lock(&here, lock("new")).await.unwrap();
        assert_eq!(store.package_lock(&here).await.unwrap(), Some(lock("new")));
        assert_eq!(store.package_lock(&person).await.unwrap(), None);
        assert!(store.forget_package_lock(&here).await.unwrap());
        assert!(!store.forget_package_lock(&here).await.unwrap());
        assert_eq!(store.package_lock(&here).await.unwrap(), None);
    });
}

#[test]
fn the_key_of_an_installation_is_made_once() {
    on_every_store(&async |store| {
        let first = store.installation_key().await.unwrap();
        let again = store.installation_key().await.unwrap();
        assert_eq!(first.as_bytes(), again.as_bytes());
        assert_ne!(first.as_bytes(), &[0; 32]);
    });
}
