//! When a file is read again, and when it need not be.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{FileHashes, FileState};

/// Writes until the system gives the change a time of its own.
fn change(path: &Path, text: &str) {
    let before = fs::metadata(path).map(|found| FileState::of(&found)).ok();
    loop {
        fs::write(path, text).unwrap();
        if Some(FileState::of(&fs::metadata(path).unwrap())) != before {
            return;
        }
    }
}

fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(10)
}

#[test]
fn one_file_is_read_once_under_all_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "one").unwrap();
    let hashes = FileHashes::default();
    for number in 0..20 {
        let name = folder.path().join(format!("name{number}"));
        fs::hard_link(&path, &name).unwrap();
    }
    // Each link changes the inode; from here on it stays as it is.
    let digest = hashes.content(&path, SystemTime::now()).unwrap();
    for number in 0..20 {
        let name = folder.path().join(format!("name{number}"));
        assert_eq!(hashes.content(&name, SystemTime::now()).unwrap(), digest);
    }
    assert_eq!(hashes.reads.get(), 1);
}

#[test]
fn a_settled_file_is_read_once_for_all_looks_and_a_fresh_one_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "one").unwrap();
    let looks = |now: SystemTime| {
        let hashes = FileHashes::default();
        hashes.content(&path, now).unwrap();
        hashes.reads.get()
    };
    let fresh = SystemTime::now();
    assert_eq!((looks(fresh), looks(fresh)), (1, 1));
    assert_eq!((looks(later()), looks(later())), (1, 0));
}

#[test]
fn another_content_is_noticed_though_its_size_and_its_time_of_modification_are_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "one").unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let before = FileHashes::default().content(&path, later()).unwrap();
    change(&path, "two");
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
    assert_ne!(FileHashes::default().content(&path, later()).unwrap(), before);
}
