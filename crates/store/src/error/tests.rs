//! The sentences a person reads.

use super::*;

#[test]
fn a_newer_file_names_both_versions() {
    let error = StoreError::Newer { found: 9, supported: 1 };
    let text = error.to_string();
    assert!(text.contains("version 9") && text.contains("up to 1"), "{text}");
    assert_eq!((error.fault(), error.may_retry()), (StoreFault::Person, false));
}

#[test]
fn only_a_busy_store_is_worth_another_try() {
    let path = Path::new("/state");
    assert!(StoreError::Busy.may_retry());
    for error in [
        StoreError::folder(path, "x"),
        StoreError::Foreign { path: path.into() },
        StoreError::corrupt(path, "x"),
        StoreError::Full,
        StoreError::ReadOnly,
    ] {
        assert!(!error.may_retry(), "{error}");
    }
}

#[test]
fn a_full_disk_is_not_blamed_on_the_folder() {
    let path = Path::new("/state");
    let full = io::Error::from(io::ErrorKind::StorageFull);
    assert_eq!(StoreError::io(path, &full), StoreError::Full);
    let denied = StoreError::io(path, &io::ErrorKind::PermissionDenied.into());
    assert_eq!(denied.to_string(), "cannot keep state in /state: permission denied");
}
