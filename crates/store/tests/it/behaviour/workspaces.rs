//! Workspaces in every store: one name for a folder, until it is forgotten.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use toolgate_store::{Workspace, WorkspaceId};

use super::on_every_store;
use crate::{folder, root};

#[test]
fn a_folder_has_one_name_and_is_found_by_it() {
    on_every_store(&async |store| {
        let home = folder();
        let [one, other] = ["one", "other"].map(|name| root(home.path().join(name)));
        let id = store.keep_workspace(&one, 1).await.unwrap();
        let beside = store.keep_workspace(&other, 2).await.unwrap();
        assert_ne!(id, beside);
        assert_eq!(store.keep_workspace(&one, 3).await.unwrap(), id);
        assert_eq!(store.workspace(&id).await.unwrap(), Some(one.clone()));
        assert_eq!(store.workspace(&WorkspaceId::parse("one").unwrap()).await.unwrap(), None);
        let all = [
            Workspace { id, root: one, created_at: 1 },
            Workspace { id: beside, root: other, created_at: 2 },
        ];
        assert_eq!(store.workspaces().await.unwrap(), all);
    });
}

#[test]
fn a_forgotten_name_leads_nowhere_and_is_not_given_again() {
    on_every_store(&async |store| {
        let (project, beside) = (folder(), folder());
        let here = root(project.path());
        let stays = store.keep_workspace(&root(beside.path()), 1).await.unwrap();
        let id = store.keep_workspace(&here, 1).await.unwrap();
        assert!(store.forget_workspace(&id).await.unwrap());
        assert!(!store.forget_workspace(&id).await.unwrap());
        assert_eq!(store.workspace(&id).await.unwrap(), None);
        assert!(store.workspace(&stays).await.unwrap().is_some());
        assert_ne!(store.keep_workspace(&here, u64::MAX).await.unwrap(), id);
    });
}

#[test]
fn workspaces_are_listed_by_path_also_where_it_is_not_text() {
    on_every_store(&async |store| {
        let home = folder();
        // By components and not by bytes, where `a-b` would come between `a` and `a/b`.
        let names: [&[u8]; 5] = [b"a", b"a/b", b"a-b", b"caf\xe8", b"caf\xe9"];
        let roots = names.map(|name| root(home.path().join(OsStr::from_bytes(name))));
        for root in roots.iter().rev() {
            store.keep_workspace(root, 1).await.unwrap();
        }
        let listed = store.workspaces().await.unwrap();
        assert_eq!(listed.into_iter().map(|found| found.root).collect::<Vec<_>>(), roots);
    });
}
