//! Somebody edits the journals, or a process dies over one: what is seen, what is told, and what is left alone.
//!
//! Another connection holds the database while that matters, so that nothing becomes a row meanwhile.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use toolgate_store::{
    AuditKind, AuditLog, AuditQuery, AuditVerdict, JournalTail, LogHead, SqliteStore,
};

use crate::{folder, index, opened, wait, whole_rows};

/// One row, and two entries that none has yet.
struct LateEntries {
    /// The first to go, so that the store can close in order.
    holder: Connection,
    store: SqliteStore,
    state: TempDir,
}

impl LateEntries {
    fn new() -> Self {
        let state = folder();
        let store = SqliteStore::open(state.path()).unwrap();
        wait(store.append_audit(&[opened("row", 1)])).unwrap();
        wait(index(&store));
        let holder = Connection::open(state.path().join("state.db")).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        for call in ["a", "b"] {
            wait(store.append_audit(&[opened(call, 2)])).unwrap();
        }
        Self { holder, store, state }
    }

    fn journal(&self) -> PathBuf {
        let [journal] = &journals(self.state.path())[..] else { panic!("one journal") };
        journal.clone()
    }

    /// The head that somebody keeps elsewhere.
    fn head(&self) -> LogHead {
        let (row, tails) = whole(&self.store, None);
        LogHead { row, journals: tails.into_iter().map(|tail| tail.head).collect() }
    }

    /// Others may write again.
    fn release(self) -> (TempDir, SqliteStore) {
        self.holder.execute_batch("COMMIT").unwrap();
        (self.state, self.store)
    }
}

fn journals(state: &Path) -> Vec<PathBuf> {
    fs::read_dir(state.join("journal")).unwrap().map(|file| file.unwrap().path()).collect()
}

fn whole(
    store: &SqliteStore,
    head: Option<LogHead>,
) -> (Option<toolgate_store::AuditHead>, Vec<JournalTail>) {
    match wait(store.verify_audit(head)).unwrap() {
        AuditVerdict::Whole { head, tails, .. } => (head, tails),
        broken @ AuditVerdict::Broken { .. } => panic!("{broken:?}"),
    }
}

fn broken(store: &SqliteStore, head: Option<LogHead>) -> String {
    match wait(store.verify_audit(head)).unwrap() {
        AuditVerdict::Broken { sequence: 2, why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn verifying_tells_what_no_row_has_and_changes_nothing() {
    let late = LateEntries::new();
    // Asked and not read: closing the file would let go of the lock that is held on it.
    let rows = || {
        let sql =
            "SELECT (SELECT count(*) FROM audit) || ':' || group_concat(read_to) FROM journal";
        late.holder.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
    };
    let files = || (rows(), fs::read(late.journal()).unwrap());
    let before = files();
    let (_, tails) = whole(&late.store, None);
    let [JournalTail { entries: 2, torn_bytes: 0, head, .. }] = &tails[..] else {
        panic!("{tails:?}");
    };
    // The first says which journal it is, the second is a row.
    assert_eq!(head.entry, 4);
    assert!(files() == before);
}

#[test]
fn a_journal_that_was_taken_away_is_missed() {
    let late = LateEntries::new();
    fs::remove_file(late.journal()).unwrap();
    assert!(broken(&late.store, None).contains("is not there, and it was never closed"));
}

#[test]
fn a_changed_entry_is_named_and_never_becomes_a_row() {
    let late = LateEntries::new();
    let path = late.journal();
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(4).rposition(|part| part == b"open").unwrap();
    bytes[place] = b'O';
    fs::write(&path, bytes).unwrap();
    assert!(broken(&late.store, None).starts_with("entry 4 of the journal"));
    let (state, store) = late.release();
    let calls = wait(store.audit(AuditQuery::default())).unwrap();
    let calls: Vec<_> = calls.iter().map(|row| row.entry.correlation.as_str()).collect();
    assert_eq!(calls, ["row", "a"]);
    drop(store);
    // Nobody holds it any more; it stays, as it is evidence.
    let store = SqliteStore::open(state.path()).unwrap();
    wait(index(&store));
    assert!(path.exists());
    assert!(matches!(wait(store.verify_audit(None)).unwrap(), AuditVerdict::Broken { .. }));
}

/// Whole entries that are cut off leave no trace in the chain: that is what a kept head is for.
#[test]
fn entries_cut_off_the_end_are_missed_against_a_head_from_before() {
    let late = LateEntries::new();
    let head = late.head();
    let path = late.journal();
    let whole_length = fs::metadata(&path).unwrap().len();
    assert_eq!(whole(&late.store, Some(head.clone())).1.len(), 1);
    let entry = (whole_length - first_entries(&path)) / 3;
    OpenOptions::new().write(true).open(&path).unwrap().set_len(whole_length - entry).unwrap();
    assert_eq!(whole(&late.store, None).1[0].entries, 1);
    let why = broken(&late.store, Some(head));
    assert!(why.contains("there were entries up to 4, and 3 are there"), "{why}");
}

/// The length of the first entry, which is another than that of the rest.
fn first_entries(path: &Path) -> u64 {
    let bytes = fs::read(path).unwrap();
    u64::from(u32::from_le_bytes(bytes[..4].try_into().unwrap())) + 37
}

#[test]
fn a_kept_head_fits_when_its_entries_became_rows_and_another_does_not() {
    let late = LateEntries::new();
    let head = late.head();
    let (state, store) = late.release();
    wait(index(&store));
    assert_eq!(whole(&store, Some(head.clone())).1, []);
    drop(store);
    assert_eq!(journals(state.path()), Vec::<PathBuf>::new());
    let store = SqliteStore::open(state.path()).unwrap();
    whole(&store, Some(head.clone()));
    let mut forged = head;
    forged.journals[0].hash = toolgate_types::Digest([1; 32]);
    let verdict = wait(store.verify_audit(Some(forged.clone()))).unwrap();
    assert!(matches!(verdict, AuditVerdict::Broken { sequence: 3, .. }), "{verdict:?}");
    forged.journals[0].entry = 99;
    let verdict = wait(store.verify_audit(Some(forged))).unwrap();
    assert!(matches!(verdict, AuditVerdict::Broken { .. }), "{verdict:?}");
}

#[test]
fn what_a_dying_process_left_half_written_is_told_by_a_row_of_its_own() {
    let late = LateEntries::new();
    let path = late.journal();
    let mut journal = OpenOptions::new().append(true).open(&path).unwrap();
    journal.write_all(b"\x40\0\0\0\0half").unwrap();
    // As long as its process lives, that may be what it writes just now.
    assert_eq!(whole(&late.store, None).1[0].torn_bytes, 0);
    let (state, store) = late.release();
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    let rows = wait(store.audit(AuditQuery::default())).unwrap();
    // Behind it the calls that its process can end no more.
    let kinds: Vec<_> = rows[3..].iter().map(|row| row.entry.kind).collect();
    assert_eq!(kinds, [AuditKind::Torn, AuditKind::End, AuditKind::End, AuditKind::End]);
    let torn = &rows[3];
    assert!(torn.entry.body.contains(r#""entries":4,"bytes":9"#), "{}", torn.entry.body);
    assert_eq!(whole_rows(&store), 7);
    assert!(!path.exists());
}

#[test]
fn a_file_that_never_became_a_journal_goes_and_one_with_records_stays() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.append_audit(&[opened("a", 1)])).unwrap();
    let own = journals(state.path()).remove(0);
    let bytes = fs::read(&own).unwrap();
    let stillborn = own.with_file_name("00000000000000aa.journal");
    let foreign = own.with_file_name("00000000000000bb.journal");
    fs::write(&stillborn, &bytes[..usize::try_from(first_entries(&own)).unwrap()]).unwrap();
    fs::write(&foreign, &bytes).unwrap();
    let another = SqliteStore::open(state.path()).unwrap();
    wait(another.append_audit(&[opened("b", 1)])).unwrap();
    assert!(!stillborn.exists() && foreign.exists());
    assert_eq!(whole_rows(&another), 2);
}
