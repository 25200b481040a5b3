//! What cannot be edited safely is refused with the path, and everything stays as it was.

use super::*;

/// The refusal of an edit, in a folder that stays as it was.
fn refusal(place: &Place, path: &Path) -> FileError {
    let before = place.content();
    let error = place.edit(path, "new").expect_err("must be refused");
    assert_eq!(place.content(), before);
    assert!(error.to_string().contains(&*path.file_name().unwrap().to_string_lossy()), "{error}");
    error
}

#[test]
fn a_failing_change_leaves_everything_as_it_was() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o640);
    let before = place.content();
    for path in [&path, &place.file("x/y.toml")] {
        let fail = |_: &str| Err::<String, Failure>("no".into());
        let error = edit_file(path, &place.locks(), BackupChoice::Beside, fail).unwrap_err();
        assert_eq!(error.to_string(), "no");
        assert_eq!(place.content(), before);
    }
}

#[test]
fn what_is_no_text_file_is_named() {
    let place = Place::new();
    let path = place.with("c.toml", b"ok \xff", 0o600);
    assert!(matches!(refusal(&place, &path), FileError::NotUtf8 { at: 3, .. }));
    assert!(matches!(refusal(&place, &place.file("")), FileError::Folder { .. }));
    let below = place.edit(&path.join("deep/x.toml"), "new").unwrap_err();
    assert!(matches!(&below, FileError::NotAFolder { path: file } if *file == path), "{below}");
    let _socket = std::os::unix::net::UnixListener::bind(place.file("socket")).unwrap();
    assert!(matches!(refusal(&place, &place.file("socket")), FileError::NotAFile { .. }));
}

#[test]
fn a_link_to_nothing_is_not_filled() {
    let place = Place::new();
    let link = place.file("link");
    symlink("nowhere", &link).unwrap();
    let error = refusal(&place, &link).to_string();
    assert!(
        error.ends_with(
            "is a link to nowhere, which does not exist; create that file or remove the link"
        ),
        "{error}"
    );
    let below = place.edit(&link.join("c.toml"), "new").unwrap_err();
    assert!(matches!(below, FileError::DanglingLink { .. }), "{below}");
    symlink("loop", place.file("loop")).unwrap();
    assert!(matches!(refusal(&place, &place.file("loop")), FileError::Read { .. }));
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o444);
    assert!(matches!(refusal(&place, &path), FileError::ReadOnly { .. }));
}

/// Root may write everywhere but in the folders of the kernel.
#[test]
fn a_folder_that_takes_no_files_is_named() {
    let place = Place::new();
    let error = place.edit(Path::new("/proc/toolgate.toml"), "new").unwrap_err();
    assert!(matches!(&error, FileError::WriteFolder { path, .. } if path == Path::new("/proc")));
    assert!(error.to_string().contains("/proc"), "{error}");
}

#[test]
fn a_backup_that_cannot_be_written_stops_the_edit() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o600);
    fs::create_dir(place.file("c.toml.toolgate-backup")).unwrap();
    let before = place.content();
    let new = |_: &str| Ok::<_, FileError>("new".to_owned());
    let error = edit_file(&path, &place.locks(), BackupChoice::Beside, new).unwrap_err();
    assert!(matches!(error, FileError::Write { .. }), "{error}");
    assert_eq!(place.content(), before);
}

#[test]
fn a_write_by_someone_without_the_lock_is_not_lost() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o600);
    let meddle = |_: &str| {
        fs::write(&path, "theirs").unwrap();
        Ok::<_, FileError>("ours".to_owned())
    };
    let error = edit_file(&path, &place.locks(), BackupChoice::None, meddle).unwrap_err();
    assert!(matches!(error, FileError::ChangedMeanwhile { .. }), "{error}");
    assert_eq!(place.content(), BTreeMap::from([(path.clone(), b"theirs".to_vec())]));
}

#[test]
fn a_lock_folder_open_to_others_is_refused() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o600);
    fs::create_dir(place.locks()).unwrap();
    fs::set_permissions(place.locks(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = place.edit(&path, "new").unwrap_err();
    assert!(matches!(error, FileError::UnsafeLockFolder { .. }), "{error}");
    fs::remove_dir(place.locks()).unwrap();
    symlink(place.file(""), place.locks()).unwrap();
    assert!(matches!(place.edit(&path, "new"), Err(FileError::UnsafeLockFolder { .. })));
    fs::remove_file(place.locks()).unwrap();
    place.edit(&path, "new").unwrap();
    assert_eq!(mode(&place.locks()), 0o700);
}
