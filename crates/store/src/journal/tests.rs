//! What is written is read again, and nothing else is: cut, changed, or written after a failure.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;

use toolgate_types::Digest;

use super::*;
use crate::audit::chain::tests::entry;
use crate::{AuditEntry, AuditHead, StoreError, WrittenEntry};

const FOLLOWS: AuditHead = (7, Digest([7; 32]));

fn about(call: &str) -> AuditEntry {
    AuditEntry { correlation: call.to_owned(), ..entry() }
}

fn begin() -> (tempfile::TempDir, JournalFolder, OwnedJournal) {
    let state = tempfile::tempdir().unwrap();
    let folder = JournalFolder::below(state.path());
    let journal = OwnedJournal::begin(&folder, FOLLOWS).unwrap();
    (state, folder, journal)
}

fn append(journal: &mut OwnedJournal, entries: &[AuditEntry]) -> Result<(), StoreError> {
    journal.append(&entries.iter().map(WrittenEntry::from).collect::<Vec<_>>())
}

/// The calls that are read, where that ends, and how.
fn read(file: &File) -> (Vec<String>, JournalPlace, JournalEnd) {
    let mut calls = Vec::new();
    let see = |frame: ReadFrame<'_>| match frame.content {
        JournalContent::First(first) => assert_eq!((frame.number, first.follows), (1, FOLLOWS)),
        JournalContent::Record(entry) => calls.push(entry.correlation.to_owned()),
    };
    let (place, end) = read_journal(file, JournalPlace::START, u64::MAX, see).unwrap();
    (calls, place, end)
}

#[test]
fn what_was_appended_is_read_in_its_order_from_any_place() {
    let (_state, folder, mut journal) = begin();
    append(&mut journal, &[about("a")]).unwrap();
    let between = journal.end();
    append(&mut journal, &[about("b"), about("c")]).unwrap();
    let long = AuditEntry { body: "x".repeat(3 << 20), ..about("d") };
    append(&mut journal, &[long, about("e")]).unwrap();
    let file = folder.open(journal.id()).unwrap().unwrap();
    let (calls, place, end) = read(&file);
    assert_eq!((calls.join(""), end), ("abcde".to_owned(), JournalEnd::Whole));
    assert_eq!(place, journal.end());
    let mut rest = Vec::new();
    let see = |frame: ReadFrame<'_>| rest.push(frame.number);
    assert_eq!(read_journal(&file, between, u64::MAX, see).unwrap(), (place, JournalEnd::Whole));
    assert_eq!(rest, [3, 4, 5, 6]);
    // As many as were wanted, and those that were written with the last of them.
    let mut some = 0;
    let (_, end) = read_journal(&file, between, 1, |_| some += 1).unwrap();
    assert!(some >= 2 && matches!(end, JournalEnd::More | JournalEnd::Whole), "{some} {end:?}");
}

/// The crash corpus: whatever is left of the last two entries, what is whole is read and nothing more.
#[test]
fn a_journal_that_is_cut_at_any_byte_of_its_last_two_entries_ends_with_the_last_whole_one() {
    let (_state, folder, mut journal) = begin();
    append(&mut journal, &[about("a")]).unwrap();
    let first = journal.end();
    append(&mut journal, &[about("b")]).unwrap();
    let second = journal.end();
    append(&mut journal, &[about("c")]).unwrap();
    let path = folder.path_of(journal.id());
    let whole = fs::read(&path).unwrap();
    let copy = path.with_extension("copy");
    for length in usize::try_from(first.offset).unwrap()..=whole.len() {
        // Zeros are where a power cut left room that was never written: some, and more than is read at once.
        for zeros in [0, 1, 100, 3 << 20] {
            if zeros > 100 && length % 50 > 0 {
                continue;
            }
            fs::write(&copy, [&whole[..length], &vec![0; zeros]].concat()).unwrap();
            let (calls, place, end) = read(&File::open(&copy).unwrap());
            let expected = match length as u64 {
                cut if cut < second.offset => ("a", first),
                cut if cut < journal.end().offset => ("ab", second),
                _ => ("abc", journal.end()),
            };
            assert_eq!((calls.join("").as_str(), place), expected, "{length}");
            let rest = (length + zeros) as u64 - place.offset;
            match end {
                JournalEnd::Whole => assert_eq!(rest, 0),
                JournalEnd::Torn { bytes } => assert_eq!((bytes, rest > 0), (rest, true)),
                other => panic!("{length} {zeros} {other:?}"),
            }
        }
    }
}

#[test]
fn of_entries_that_were_written_together_none_counts_without_the_last() {
    let (_state, folder, mut journal) = begin();
    let before = journal.end();
    append(&mut journal, &[about("a"), about("b")]).unwrap();
    let path = folder.path_of(journal.id());
    let whole = fs::read(&path).unwrap();
    for length in usize::try_from(before.offset).unwrap() + 1..whole.len() {
        fs::write(path.with_extension("copy"), &whole[..length]).unwrap();
        let (calls, place, end) = read(&File::open(path.with_extension("copy")).unwrap());
        assert_eq!((calls.len(), place), (0, before), "{length}");
        assert!(matches!(end, JournalEnd::Torn { .. }), "{length} {end:?}");
    }
}

#[test]
fn a_changed_byte_is_seen_wherever_it_is() {
    let (_state, folder, mut journal) = begin();
    for call in ["a", "b", "c"] {
        append(&mut journal, &[about(call)]).unwrap();
    }
    let path = folder.path_of(journal.id());
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x10;
        fs::write(path.with_extension("copy"), changed).unwrap();
        let (calls, _, end) = read(&File::open(path.with_extension("copy")).unwrap());
        assert!(calls.len() < 3 && "abc".starts_with(&calls.join("")), "{place}");
        assert_ne!(end, JournalEnd::Whole, "{place}");
    }
}

/// An entry that follows was written after this one was whole: so it was changed, whatever it looks like now.
#[test]
fn damage_before_a_whole_entry_is_never_taken_for_a_torn_end() {
    let (_state, folder, mut journal) = begin();
    append(&mut journal, &[about("a")]).unwrap();
    let before = journal.end();
    append(&mut journal, &[about("b")]).unwrap();
    let after = journal.end();
    append(&mut journal, &[about("c")]).unwrap();
    let path = folder.path_of(journal.id());
    let whole = fs::read(&path).unwrap();
    let [start, end] = [before, after].map(|place| usize::try_from(place.offset).unwrap());
    let changed = |from: usize, to: usize, byte: u8| {
        let mut changed = whole.clone();
        changed[from..to].fill(byte);
        fs::write(path.with_extension("copy"), changed).unwrap();
        read(&File::open(path.with_extension("copy")).unwrap())
    };
    // Its length says more than there is, it is zeros from some byte on, or all of it is.
    for (from, to, byte) in
        [(start + 1, start + 3, 0xff), (start + 9, end, 0), (start, end, 0), (end - 1, end, 0xaa)]
    {
        let (calls, place, end) = changed(from, to, byte);
        assert_eq!((calls.join(""), place), ("a".to_owned(), before));
        assert!(matches!(end, JournalEnd::Damaged { .. }), "{from} {end:?}");
    }
}

#[test]
fn a_journal_is_held_by_who_writes_it() {
    let (_state, folder, journal) = begin();
    let file = folder.open(journal.id()).unwrap().unwrap();
    assert!(file.try_lock().is_err());
    let id = journal.id().clone();
    drop(journal);
    assert!(file.try_lock().is_ok());
    assert_eq!(folder.all(), [id]);
}

/// A write that fails is taken back, whatever of it was there already.
#[test]
fn what_could_not_be_written_is_not_there_and_the_next_is() {
    let (_state, folder, mut journal) = begin();
    append(&mut journal, &[about("a")]).unwrap();
    let path = folder.path_of(journal.id());
    // What a failed write leaves behind the end, before it is cut.
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"half an entry").unwrap();
    journal.take_back().unwrap();
    append(&mut journal, &[about("b")]).unwrap();
    let (calls, _, end) = read(&File::open(&path).unwrap());
    assert_eq!((calls.join(""), end), ("ab".to_owned(), JournalEnd::Whole));
}

#[test]
fn a_name_of_a_journal_is_never_a_way_elsewhere() {
    for text in ["", "../../etc/passwd", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0"]
    {
        assert_eq!(JournalId::parse(text), None, "{text}");
    }
}

/// The format of the file: another program that hashes with SHA-256 comes to the same.
#[test]
fn the_hash_of_an_entry_is_over_the_hash_before_it_and_all_its_bytes() {
    use sha2::Digest as _;
    let (_state, folder, mut journal) = begin();
    let first = journal.end();
    append(&mut journal, &[about("a")]).unwrap();
    let bytes = fs::read(folder.path_of(journal.id())).unwrap();
    let entry = &bytes[usize::try_from(first.offset).unwrap()..];
    let (sealed, hash) = entry.split_at(entry.len() - 32);
    let expected = sha2::Sha256::new().chain_update(first.hash.0).chain_update(sealed).finalize();
    assert_eq!(hash, &expected[..]);
    assert_eq!(journal.end().hash.0[..], expected[..]);
}
