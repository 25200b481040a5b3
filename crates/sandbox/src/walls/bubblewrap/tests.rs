//! Which files pass for a bwrap; none of them is run.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

fn installed(mode: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(NAME), "").unwrap();
    fs::set_permissions(folder.path().join(NAME), Permissions::from_mode(mode)).unwrap();
    folder
}

fn why(found: Result<PathBuf, WallError>) -> &'static str {
    match found {
        Err(WallError::UnfitBubblewrap { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_of_an_absolute_search_path_is_taken() {
    let folder = installed(0o755);
    let real = folder.path().canonicalize().unwrap();
    let search = format!(".::nowhere:/nowhere:{}", real.display());
    assert_eq!(find(Some(search.as_ref()), &[]).unwrap(), real.join(NAME));
    assert!(matches!(find(Some(".:".as_ref()), &[]), Err(WallError::NoBubblewrap)));
    assert!(matches!(find(None, &[]), Err(WallError::NoBubblewrap)));
}

#[test]
fn one_that_a_project_or_another_could_have_put_there_is_refused() {
    let folder = installed(0o755);
    let path = folder.path().as_os_str();
    assert_eq!(why(find(Some(path), &[folder.path()])), "lies in the workspace");
    assert_eq!(
        why(find(Some(installed(0o775).path().as_os_str()), &[])),
        "can be exchanged by others"
    );
    assert!(why(find(Some(installed(0o4755).path().as_os_str()), &[])).starts_with("is setuid"));
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    assert_eq!(why(find(Some(path), &[])), "can be exchanged by others");
    if geteuid().is_root() {
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::chown(folder.path().join(NAME), Some(65534), None).unwrap();
        assert_eq!(why(find(Some(path), &[])), "belongs to another");
    }
}
