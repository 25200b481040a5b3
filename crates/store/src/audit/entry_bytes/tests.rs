//! One entry, one spelling.

use super::super::chain::tests::entry;
use super::*;

fn full() -> AuditEntry {
    let text = |text: &str| Some(text.to_owned());
    AuditEntry {
        at: 1_700_000_000_000,
        kind: AuditKind::End,
        round: u32::MAX,
        client: text(""),
        role: text("é"),
        session: text("s"),
        workspace: text(&"/long".repeat(100)),
        server: text("files"),
        tool: text("read\0"),
        outcome: text("done"),
        code: text("x"),
        duration_us: Some(u64::MAX),
        body: "{}".repeat(9_000),
        ..entry()
    }
}

fn bytes(entry: &AuditEntry) -> Vec<u8> {
    let mut bytes = Vec::new();
    WrittenEntry::from(entry).write(&mut bytes);
    bytes
}

fn read_entry(bytes: &[u8]) -> Option<AuditEntry> {
    WrittenEntry::read(bytes).map(WrittenEntry::to_entry)
}

#[test]
fn an_entry_is_read_as_it_was_written() {
    for entry in [entry(), full()] {
        let bytes = bytes(&entry);
        assert_eq!(WrittenEntry::read(&bytes).map(|read| read.weight()), Some(entry.weight()));
        assert_eq!(WrittenEntry::from(&entry).to_entry(), entry);
        assert_eq!(read_entry(&bytes), Some(entry));
    }
}

#[test]
fn the_body_alone_is_found_without_the_rest() {
    for entry in [entry(), full()] {
        let whole = bytes(&entry);
        assert_eq!(body_of(&whole), Some(entry.body.as_str()));
        assert_eq!(body_of(&whole[..whole.len() - 1]), None);
    }
}

#[test]
fn nothing_that_is_cut_off_or_goes_on_is_an_entry() {
    let whole = bytes(&AuditEntry { body: "{}".into(), ..full() });
    for length in 0..whole.len() {
        assert_eq!(read_entry(&whole[..length]), None, "{length}");
    }
    assert_eq!(read_entry(&[&whole[..], &[0]].concat()), None);
}

/// Whatever other bytes are read as an entry, they are not this one's.
#[test]
fn a_changed_byte_is_another_entry_or_none() {
    let entry = AuditEntry { body: "{}".into(), ..full() };
    let whole = bytes(&entry);
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[place] ^= 1 << bit;
            if let Some(read) = read_entry(&changed) {
                assert_ne!(read, entry, "{place}");
                assert_eq!(bytes(&read), changed, "{place}");
            }
        }
    }
}

#[test]
fn a_number_has_one_spelling() {
    for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
        let mut bytes = Vec::new();
        write_number(number, &mut bytes);
        assert_eq!(EntryBytes(&bytes).number(), Some(number));
    }
    for other in [&[0x80, 0][..], &[0x81, 0x80, 0], &[0xff; 11], &[0x80]] {
        assert_eq!(EntryBytes(other).number(), None, "{other:?}");
    }
}
