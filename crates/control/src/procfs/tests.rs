//! What `/proc` may hold, odd things included, and our own process as it really is.

use super::*;

#[test]
fn the_start_is_found_whatever_the_program_calls_itself() {
    let after = "S 41 5 6 34816 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3\n";
    let process = ProcessIdentity { pid: 7, start: 98765 };
    let place = ProcessPlace { process, parent: 41, group: 5, session: 6, terminal: 34816 };
    for name in ["sh", "a b", "a) S 1 2 3 (b", ")))", "", "ü\n"] {
        let stat = format!("7 ({name}) {after}");
        assert_eq!(read_stat(7, stat.as_bytes()), Some(place), "{name}");
    }
    let bytes = [b"7 (\xFF\xFE) ", after.as_bytes()].concat();
    assert_eq!(read_stat(7, &bytes), Some(place));
}

#[test]
fn what_is_no_stat_is_nobody() {
    for odd in ["", ")", "7 (sh", "7 (sh) S", "7 (sh) S x", "7 (sh) S 41 7 7", "7 (sh) S -1"] {
        assert_eq!(read_stat(7, odd.as_bytes()), None, "{odd}");
    }
    let negative = "7 (sh) S 41 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 -3 1";
    assert_eq!(read_stat(7, negative.as_bytes()), None);
    assert_eq!(read_stat(7, b"7 (sh) \xFF\xFF"), None);
}

#[test]
fn variables_are_read_as_programs_read_them() {
    let read = read_environ(b"A=1\0B==x=\0A=2\0=odd\0no sign\0C=\0D=\xFF\0E=a\nb\0\0");
    let expected = [("A", "1"), ("B", "=x="), ("C", ""), ("E", "a\nb")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(read, Variables::from(expected));
    assert_eq!(read_environ(b""), Variables::new());
}

#[test]
fn this_process_is_seen_as_it_is() {
    let own = std::process::id();
    let place = place(own).unwrap();
    assert_eq!((place.process.pid, place.parent), (own, parent_id()));
    assert_eq!(process(own), Some(place.process));
    assert!(ParentProcess::of_this_process().unwrap().environ.is_some());
    assert!(of_this_user().any(|pid| pid == own));
    let program = std::env::current_exe().unwrap();
    assert_eq!(self::program(own).as_deref(), program.file_name().unwrap().to_str());
    let file = fs::metadata(&program).unwrap();
    assert_eq!(executable(own), Some((file.dev(), file.ino())));
    assert_eq!(arguments(own), std::env::args().collect::<Vec<_>>());
    assert_eq!((process(0), name(0), arguments(0)), (None, String::new(), vec![String::new()]));
}
