//! Reading on while files are put aside.

use std::fs::OpenOptions;
use std::io::Write as _;

use super::*;

struct Log(tempfile::TempDir);

impl Log {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, text: &str) {
        let path = named(self.0.path(), 0);
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn rotate(&self) {
        for number in (0..LOGS_KEPT).rev() {
            let _ = fs::rename(named(self.0.path(), number), named(self.0.path(), number + 1));
        }
    }

    fn read(&self) -> LogFileReader {
        LogFileReader::open(self.0.path()).unwrap()
    }
}

#[test]
fn the_oldest_file_comes_first_and_what_is_not_there_has_no_lines() {
    let log = Log::new();
    assert_eq!(log.read().more(), [""; 0]);
    log.write("one\ntwo\n");
    log.rotate();
    log.write("three\n");
    log.rotate();
    log.write("four\n");
    assert_eq!(log.read().more(), ["one", "two", "three", "four"]);
}

#[test]
fn a_log_is_followed_from_before_its_first_line_over_any_number_of_rotations() {
    let log = Log::new();
    let mut files = log.read();
    assert_eq!(files.more(), [""; 0]);
    log.write("one\nhalf");
    assert_eq!(files.more(), ["one"]);
    log.write(" and half\n");
    assert_eq!(files.more(), ["half and half"]);
    assert_eq!(files.more(), [""; 0]);
    log.write("before\n");
    log.rotate();
    assert_eq!(files.more(), ["before"]);
    log.write("after\n");
    assert_eq!(files.more(), ["after"]);
    log.write("a\n");
    log.rotate();
    log.write("b\n");
    log.rotate();
    log.write("c\n");
    log.rotate();
    log.write("d\n");
    assert_eq!(files.more(), ["a", "b", "c", "d"]);
    // So many that the file being read is gone: what is still there is read.
    for number in 0..=LOGS_KEPT {
        log.write(&format!("{number}\n"));
        log.rotate();
    }
    log.write("last\n");
    assert_eq!(files.more(), ["0", "1", "2", "3", "4", "last"]);
}
