//! Real folders, prepared as somebody else would.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use tempfile::TempDir;

use super::*;

/// A user that owns nothing here.
const NOBODY: u32 = 65534;

/// A folder for `$XDG_RUNTIME_DIR`, and variables that say so.
fn runtime() -> (TempDir, Variables) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, Variables::from([("XDG_RUNTIME_DIR".to_owned(), path)]))
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn it_is_made_for_its_owner_alone_and_named_after_the_namespaces() {
    let (folder, variables) = runtime();
    assert!(RunFolder::find(&variables).unwrap().is_none());
    let opened = RunFolder::open(&variables).unwrap();
    let number = |name| fs::metadata(format!("/proc/self/ns/{name}")).unwrap().ino();
    let expected = folder.path().join(format!("toolgate/{}-{}", number("mnt"), number("user")));
    assert_eq!(opened.path(), expected);
    for made in [expected.parent().unwrap(), &expected] {
        assert_eq!(fs::metadata(made).unwrap().mode() & 0o7777, 0o700);
    }
    assert_eq!(RunFolder::find(&variables).unwrap().unwrap().path(), expected);
    assert_eq!(RunFolder::open(&variables).unwrap().path(), expected);
    let lock = opened.daemon_lock().unwrap();
    assert_eq!(lock.metadata().unwrap().mode() & 0o7777, 0o600);
}

/// What is wrong with a folder, and how it comes to be so.
type Prepared = (&'static str, fn(&Path));

#[test]
fn a_folder_that_others_could_have_prepared_is_refused_with_its_name_and_the_reason() {
    let prepared: [Prepared; 4] = [
        ("it is a link", |path| symlink("/tmp", path).unwrap()),
        ("it is no folder", |path| fs::write(path, "").unwrap()),
        ("others may write into it (mode 770)", |path| {
            fs::create_dir(path).unwrap();
            mode(path, 0o770);
        }),
        ("others may write into it (mode 702)", |path| {
            fs::create_dir(path).unwrap();
            mode(path, 0o702);
        }),
    ];
    for (reason, prepare) in prepared {
        for inner in [false, true] {
            let (folder, variables) = runtime();
            let outer = folder.path().join("toolgate");
            let squatted = match inner {
                false => outer,
                true => {
                    fs::create_dir(&outer).unwrap();
                    outer.join(namespaces().unwrap())
                }
            };
            prepare(&squatted);
            let failure = RunFolder::open(&variables).unwrap_err();
            let expected =
                format!("cannot use {} to reach the daemon: {reason}", squatted.display());
            assert_eq!(failure.message, expected);
            assert!(failure.hint.unwrap().contains("if somebody else made "));
            assert_eq!(RunFolder::find(&variables).unwrap_err().message, expected);
        }
    }
}

#[test]
fn a_folder_of_another_user_is_refused() {
    if current_uid() != 0 {
        eprintln!("NOT TESTED: only root can make a folder of another user");
        return;
    }
    let (folder, variables) = runtime();
    let outer = folder.path().join("toolgate");
    fs::create_dir(&outer).unwrap();
    chown(&outer, Some(NOBODY), None).unwrap();
    let failure = RunFolder::open(&variables).unwrap_err();
    let reason = "it belongs to user 65534 and you are user 0";
    assert!(failure.message.ends_with(reason), "{}", failure.message);
}

/// As it is after `sudo`, or where nobody made it.
#[test]
fn a_runtime_folder_that_is_not_ours_alone_does_not_count() {
    let home = TempDir::new().unwrap();
    let home_path = home.path().to_str().unwrap();
    let run = home.path().join(".local/state/toolgate/run");
    let opened = |runtime: Option<&str>| {
        let mut variables = Variables::from([("HOME".to_owned(), home_path.to_owned())]);
        variables.extend(runtime.map(|path| ("XDG_RUNTIME_DIR".to_owned(), path.to_owned())));
        RunFolder::open(&variables).unwrap().path().parent().unwrap().to_owned()
    };
    assert_eq!(opened(None), run);
    assert_eq!(fs::metadata(&run).unwrap().mode() & 0o7777, 0o700);
    for absent in ["", "relative", "/no/such/folder", "/dev/null"] {
        assert_eq!(opened(Some(absent)), run);
    }
    let (folder, _) = runtime();
    let path = folder.path().to_str().unwrap();
    assert_eq!(opened(Some(path)), folder.path().join("toolgate"));
    mode(folder.path(), 0o777);
    assert_eq!(opened(Some(path)), run);
    mode(folder.path(), 0o700);
    match current_uid() {
        0 => {
            chown(folder.path(), Some(NOBODY), None).unwrap();
            assert_eq!(opened(Some(path)), run);
        }
        _ => eprintln!("NOT TESTED: only root can make a folder of another user"),
    }
}

#[test]
fn a_state_folder_that_others_may_write_into_is_refused() {
    let home = TempDir::new().unwrap();
    let state = home.path().join(".local/state/toolgate");
    fs::create_dir_all(&state).unwrap();
    mode(&state, 0o777);
    let home = home.path().to_str().unwrap().to_owned();
    let failure = RunFolder::open(&Variables::from([("HOME".to_owned(), home)])).unwrap_err();
    assert!(failure.message.contains("others may write into it (mode 777)"), "{failure:?}");
    assert!(!failure.hint.unwrap().contains("remove"));
}

#[test]
fn a_path_that_no_socket_can_have_is_an_error_that_says_so() {
    let (folder, _) = runtime();
    let long = folder.path().join("x".repeat(LONGEST));
    fs::create_dir(&long).unwrap();
    mode(&long, 0o700);
    let long = long.to_str().unwrap().to_owned();
    let variables = Variables::from([("XDG_RUNTIME_DIR".to_owned(), long.clone())]);
    let failure = RunFolder::open(&variables).unwrap_err();
    assert!(failure.message.starts_with("the path of the daemon's socket is too long"));
    assert!(failure.message.contains(&long), "{}", failure.message);
    assert_eq!(fs::read_dir(long).unwrap().count(), 0);
}
