//! A root is the real folder, whatever it was called.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn every_way_to_a_folder_is_one_root() {
    let home = tempfile::tempdir().unwrap();
    let real = home.path().join("project");
    fs::create_dir(&real).unwrap();
    symlink(&real, home.path().join("link")).unwrap();
    let root = ProjectRoot::of(&real).unwrap();
    assert_eq!(ProjectRoot::of(&home.path().join("link")).unwrap(), root);
    assert_eq!(ProjectRoot::of(&real.join("../project/.")).unwrap(), root);
    assert_eq!(root.as_path(), fs::canonicalize(&real).unwrap());
}

#[test]
fn a_file_or_nothing_is_no_root() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(ProjectRoot::of(&file).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    let nothing = home.path().join("nothing");
    assert_eq!(ProjectRoot::of(&nothing).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_path_that_is_not_text_comes_back_as_it_was() {
    let name = OsString::from_vec(b"/srv/caf\xe9".to_vec());
    let root = ProjectRoot::recorded(name.as_bytes());
    assert_eq!(root.as_path().as_os_str(), name);
    assert_eq!(root.as_bytes(), b"/srv/caf\xe9");
}
