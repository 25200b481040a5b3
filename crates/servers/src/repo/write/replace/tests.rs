//! A file that changed between reading and writing stays as it is.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::repo::folder::ServedFolder;
use crate::repo::{PrivatePlaces, RepoBounds, ServedRepo};
use crate::work_turns::WorkTurns;

fn place(folder: &TempDir) -> ServedRepo {
    let root = folder.path().canonicalize().unwrap();
    ServedRepo {
        folder: ServedFolder::new(root, PrivatePlaces::default()),
        bounds: RepoBounds::default(),
    }
}

/// Replaces `f` after something was done to it meanwhile.
async fn replaced_after(meanwhile: fn(&std::path::Path)) -> (Result<(), RepoRefusal>, TempDir) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("f"), "old").unwrap();
    fs::set_permissions(folder.path().join("f"), fs::Permissions::from_mode(0o640)).unwrap();
    let place = place(&folder);
    let target = FilePlace::find(&place, "f", false).unwrap();
    let before = target.read().unwrap();
    meanwhile(folder.path());
    let turns = WorkTurns::new(1);
    let work = move |stop: &StopSignal| target.replace(before.as_ref(), b"new", stop);
    let done = turns.run(Duration::from_secs(30), work).await.unwrap();
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("toolgate-")), "{left:?}");
    (done, folder)
}

#[tokio::test]
async fn an_untouched_file_is_replaced_and_keeps_its_mode() {
    let (done, folder) = replaced_after(|_| {}).await;
    done.unwrap();
    let file = folder.path().join("f");
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[tokio::test]
async fn a_file_that_changed_went_or_became_a_link_is_left_alone() {
    let changes: [fn(&std::path::Path); 4] = [
        |folder| fs::write(folder.join("f"), "other").unwrap(),
        |folder| {
            // The same text in another file.
            fs::write(folder.join("g"), "old").unwrap();
            fs::rename(folder.join("g"), folder.join("f")).unwrap();
        },
        |folder| fs::remove_file(folder.join("f")).unwrap(),
        |folder| {
            fs::rename(folder.join("f"), folder.join("g")).unwrap();
            symlink("g", folder.join("f")).unwrap();
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let (done, folder) = replaced_after(change).await;
        assert!(done.is_err(), "{index}");
        for name in ["f", "g"] {
            let text = fs::read_to_string(folder.path().join(name)).unwrap_or_default();
            assert_ne!(text, "new", "{index}");
        }
    }
}

#[tokio::test]
async fn a_file_that_came_meanwhile_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let place = place(&folder);
    let target = FilePlace::find(&place, "f", true).unwrap();
    assert!(target.read().unwrap().is_none());
    fs::write(folder.path().join("f"), "theirs").unwrap();
    let work = move |stop: &StopSignal| target.replace(None, b"ours", stop);
    let done = WorkTurns::new(1).run(Duration::from_secs(30), work).await.unwrap();
    assert!(matches!(done, Err(RepoRefusal::Changed(_))), "{done:?}");
    assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
