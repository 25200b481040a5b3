//! Who we are, as seen by the file system.

use super::*;

#[test]
fn we_are_the_owner_of_what_we_make() {
    let made = tempfile::tempdir().unwrap();
    assert_eq!(own_uid().unwrap(), fs::metadata(made.path()).unwrap().uid());
}
