//! The log file against a real folder.

use std::collections::BTreeSet;
use std::sync::Barrier;

use super::*;

/// Longer than any machine is busy with something else.
const FOR_LONG: Duration = Duration::from_secs(60);

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Every line of every file, the oldest first.
fn lines(folder: &Path) -> Vec<String> {
    let aside = (1..=KEPT).rev().map(|number| format!("{NAME}.{number}"));
    let files = aside.chain([NAME.to_owned()]).map(|name| folder.join(name));
    let texts = files.filter_map(|path| fs::read_to_string(path).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn full_files_are_put_aside_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    let file = LogFile::open_with(folder.path(), 100, FOR_LONG).unwrap();
    // Ten bytes each, so ten to a file.
    for number in 0..75 {
        file.append(format!("line {number:04}\n").as_bytes());
    }
    // Seven files were filled and an eighth begun: five are left, and thirty lines went.
    let kept: Vec<String> = (30..75).map(|number| format!("line {number:04}")).collect();
    assert_eq!(lines(folder.path()), kept);
    let files = names(folder.path()).into_iter().filter(|name| !name.ends_with(".lock"));
    assert_eq!(files.count(), 5);
    for name in names(folder.path()) {
        let size = fs::metadata(folder.path().join(&name)).unwrap().len();
        assert!(size <= 100, "{name}: {size}");
    }
    assert_eq!(file.lost(), 0);
}

#[test]
fn a_line_longer_than_a_file_has_one_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = LogFile::open_with(folder.path(), 20, FOR_LONG).unwrap();
    let long = "x".repeat(50);
    for line in ["short", &long, "short"] {
        file.append(format!("{line}\n").as_bytes());
    }
    assert_eq!(lines(folder.path()), ["short", &long, "short"]);
}

#[test]
fn two_writers_that_rotate_lose_no_line_and_mix_none() {
    const EACH: usize = 400;
    let folder = tempfile::tempdir().unwrap();
    // 800 lines of 20 bytes, in at most five files: whatever is missing was lost.
    let most = 4000;
    let together = Barrier::new(2);
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let (folder, together) = (folder.path(), &together);
            scope.spawn(move || {
                // Its own open files and locks, as another process has.
                let file = LogFile::open_with(folder, most, FOR_LONG).unwrap();
                together.wait();
                for number in 0..EACH {
                    file.append(format!("{writer} {number:017}\n").as_bytes());
                }
                assert_eq!(file.lost(), 0);
            });
        }
    });
    let found = lines(folder.path());
    for writer in ["a", "b"] {
        let own = found.iter().filter(|line| line.starts_with(writer)).cloned();
        let own: BTreeSet<String> = own.collect();
        let all: BTreeSet<String> =
            (0..EACH).map(|number| format!("{writer} {number:017}")).collect();
        assert_eq!(own, all);
    }
    assert_eq!(found.len(), 2 * EACH);
    for name in names(folder.path()) {
        let size = fs::metadata(folder.path().join(&name)).unwrap().len();
        assert!(size <= most, "{name}: {size}");
    }
}

#[test]
fn who_was_stopped_in_its_turn_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = LogFile::open_with(folder.path(), 10, Duration::ZERO).unwrap();
    let lock = open_append(&folder.path().join(format!("{NAME}.lock"))).unwrap();
    lock.lock().unwrap();
    for _ in 0..5 {
        file.append(b"12345678\n");
    }
    assert_eq!(fs::read_to_string(folder.path().join(NAME)).unwrap().lines().count(), 5);
    drop(lock);
    file.append(b"the next\n");
    assert_eq!(fs::read_to_string(folder.path().join(NAME)).unwrap(), "the next\n");
}

#[test]
fn a_log_that_somebody_removed_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = LogFile::open_with(folder.path(), 100, FOR_LONG).unwrap();
    file.append(b"one\n");
    fs::remove_file(folder.path().join(NAME)).unwrap();
    file.append(b"two\n");
    assert_eq!(lines(folder.path()), ["two"]);
}

#[test]
fn folder_and_files_are_for_their_owner_only_also_where_they_were_not() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("state/logs");
    let file = LogFile::open_with(&folder, 5, FOR_LONG).unwrap();
    file.append(b"one\n");
    file.append(b"two\n");
    assert_eq!(mode(&folder), 0o700);
    for name in [NAME, "toolgate.log.1", "toolgate.log.lock"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.join(NAME), Permissions::from_mode(0o644)).unwrap();
    LogFile::open(&folder).unwrap();
    assert_eq!((mode(&folder), mode(&folder.join(NAME))), (0o700, 0o600));
}

#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(NAME)).unwrap();
    assert!(LogFile::open(folder.path()).is_err());
    fs::remove_dir(folder.path().join(NAME)).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.path().join(NAME)).unwrap();
    assert!(LogFile::open(folder.path()).is_err());
}

#[test]
fn lines_that_cannot_be_written_are_counted() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("logs");
    let file = LogFile::open(&folder).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    file.append(b"one\n");
    file.append(b"two\n");
    assert_eq!(file.lost(), 2);
}
