//! Every field is in the hash, no two rows look alike, and a walk sees what is wrong where.

use super::super::{AuditKind, AuditRow};
use super::*;
use crate::audit::entry_bytes::{WrittenEntry, write_number};

pub(crate) fn entry() -> AuditEntry {
    AuditEntry {
        at: 1,
        kind: AuditKind::Open,
        correlation: "c".into(),
        round: 0,
        principal: "p".into(),
        client: None,
        role: None,
        session: None,
        workspace: None,
        server: None,
        tool: None,
        outcome: None,
        code: None,
        duration_us: None,
        body: "{}".into(),
    }
}

fn chain(rows: u64) -> Vec<AuditRow> {
    let mut last = GENESIS.1;
    let next = |sequence| {
        last = link(last, sequence, &entry());
        AuditRow { sequence, entry: entry(), hash: last, was_opened: false, weight: 0 }
    };
    (1..=rows).map(next).collect()
}

fn verdict(rows: &[AuditRow], from: Option<AuditHead>, head: Option<AuditHead>) -> AuditVerdict {
    let mut walk = ChainWalk::begin(from, head);
    let step = |row: &AuditRow| {
        walk.step(row.sequence, row.hash, &RowContent::Own(Box::new(row.entry.clone())))
    };
    match rows.iter().try_for_each(step) {
        Ok(()) => walk.end(),
        Err(broken) => broken.into(),
    }
}

fn whole(rows: u64, head: Option<AuditHead>, from: Option<AuditHead>) -> AuditVerdict {
    AuditVerdict::Whole { rows, head, from, tails: Vec::new(), unshown: Vec::new() }
}

fn broken_at(verdict: AuditVerdict) -> u64 {
    match verdict {
        AuditVerdict::Broken { sequence, .. } => sequence,
        whole @ AuditVerdict::Whole { .. } => panic!("{whole:?}"),
    }
}

#[test]
fn every_field_is_in_the_hash() {
    let text = || Some("x".to_owned());
    let changes: [fn(&mut AuditEntry, Option<String>); 15] = [
        |entry, _| entry.at = 2,
        |entry, _| entry.kind = AuditKind::End,
        |entry, text| entry.correlation = text.unwrap(),
        |entry, _| entry.round = 1,
        |entry, text| entry.principal = text.unwrap(),
        |entry, text| entry.client = text,
        |entry, text| entry.role = text,
        |entry, text| entry.session = text,
        |entry, text| entry.workspace = text,
        |entry, text| entry.server = text,
        |entry, text| entry.tool = text,
        |entry, text| entry.outcome = text,
        |entry, text| entry.code = text,
        |entry, _| entry.duration_us = Some(0),
        |entry, text| entry.body = text.unwrap(),
    ];
    let zero = Digest([0; 32]);
    let mut seen = vec![link(zero, 1, &entry())];
    for change in changes {
        let mut changed = entry();
        change(&mut changed, text());
        seen.push(link(zero, 1, &changed));
    }
    seen.push(link(zero, 2, &entry()));
    seen.push(link(Digest([1; 32]), 1, &entry()));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 18);
}

#[test]
fn what_moves_from_one_field_to_the_next_is_seen() {
    let both = |server: Option<&str>, tool: Option<&str>| {
        let entry =
            AuditEntry { server: server.map(Into::into), tool: tool.map(Into::into), ..entry() };
        link(GENESIS.1, 1, &entry)
    };
    let all = [
        both(Some("ab"), Some("c")),
        both(Some("a"), Some("bc")),
        both(Some("abc"), None),
        both(None, Some("abc")),
        both(Some("abc"), Some("")),
        // With the mark of a field that is there in its midst.
        both(Some("a\u{1}b"), Some("c")),
        both(Some("a"), Some("b\u{1}c")),
    ];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[index + 1..].contains(one), "{index}");
    }
}

/// What is over the frames' own hashes is over their bytes too, since those are held against them.
#[test]
fn what_a_journal_had_is_in_the_hash_with_its_name_and_must_be_as_written() {
    let mut kept = Vec::new();
    for number in [2, 3] {
        let frame = sealed(&about("xy"), Digest([number; 32]));
        kept.push((u64::from(number), Digest([number; 32]), frame));
    }
    let journal = |letter: char| JournalId::parse(&letter.to_string().repeat(16)).unwrap();
    let frames = KeptFrames::read(kept_bytes(&kept)).unwrap();
    let row = |journal, frames: &KeptFrames| RowContent::Journalled(journal, frames.clone());
    let one = row(journal('a'), &frames);
    assert!(one.is_as_written());
    let mut renumbered = kept.clone();
    renumbered[0].0 = 4;
    let renumbered = KeptFrames::read(kept_bytes(&renumbered)).unwrap();
    let less = KeptFrames::read(kept_bytes(&kept[..1])).unwrap();
    let mut seen = vec![
        one.link(GENESIS.1, 1),
        one.link(GENESIS.1, 2),
        one.link(Digest([1; 32]), 1),
        row(journal('b'), &frames).link(GENESIS.1, 1),
        row(journal('a'), &renumbered).link(GENESIS.1, 1),
        row(journal('a'), &less).link(GENESIS.1, 1),
    ];
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 6);
}

/// Whatever is changed in what a row keeps of a journal, it is no frames, other frames, or not as written.
#[test]
fn a_changed_byte_of_what_a_row_keeps_is_seen() {
    let kept = [(2, Digest([2; 32]), sealed(&about("x"), Digest([2; 32])))];
    let bytes = kept_bytes(&kept);
    let journal = JournalId::parse(&"a".repeat(16)).unwrap();
    let hash = RowContent::Journalled(journal.clone(), KeptFrames::read(bytes.clone()).unwrap())
        .link(GENESIS.1, 1);
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 4;
        let Some(frames) = KeptFrames::read(changed) else { continue };
        let row = RowContent::Journalled(journal.clone(), frames);
        assert!(row.link(GENESIS.1, 1) != hash || !row.is_as_written(), "{place}");
    }
}

fn about(call: &str) -> AuditEntry {
    AuditEntry { correlation: call.to_owned(), ..entry() }
}

/// As a journal has it.
fn sealed(entry: &AuditEntry, previous: Digest) -> Vec<u8> {
    use sha2::Digest as _;
    let mut said = Vec::new();
    WrittenEntry::from(entry).write(&mut said);
    let mut frame = u32::try_from(said.len()).unwrap().to_le_bytes().to_vec();
    frame.push(0);
    frame.extend(said);
    let hash = sha2::Sha256::new().chain_update(previous.0).chain_update(&frame).finalize();
    frame.extend(hash);
    frame
}

/// As a row keeps them.
fn kept_bytes(frames: &[(u64, Digest, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, previous, frame) in frames {
        write_number(*number, &mut bytes);
        bytes.extend_from_slice(&previous.0);
        bytes.extend_from_slice(frame);
    }
    bytes
}

/// The order and the marks are the file's format: a program that hashes otherwise would call every
/// older log broken.
#[test]
fn the_hash_of_a_known_row_stays_the_same() {
    let entry = AuditEntry { server: Some("files".into()), duration_us: Some(5), ..entry() };
    let known = "4b3d638f23b2e92e3cb9f158197c3177b7053887149dffcc2ccd2fd5b9e14818";
    assert_eq!(link(GENESIS.1, 1, &entry).to_hex(), known);
}

#[test]
fn a_whole_chain_is_whole_also_from_a_checkpoint() {
    let rows = chain(5);
    let head = Some((5, rows[4].hash));
    let whole = |rows, from| whole(rows, head, from);
    assert_eq!(verdict(&rows, None, None), whole(5, None));
    let checkpoint = Some((2, rows[1].hash));
    assert_eq!(verdict(&rows[2..], checkpoint, head), whole(3, checkpoint));
    assert_eq!(verdict(&[], head, head), whole(0, head));
    assert_eq!(verdict(&[], None, None), self::whole(0, None, None));
}

#[test]
fn what_is_changed_missing_or_back_again_is_named() {
    let rows = chain(5);
    let mut edited = rows.clone();
    edited[2].entry.body.push(' ');
    assert_eq!(broken_at(verdict(&edited, None, None)), 3);
    let without = |index: usize| [&rows[..index], &rows[index + 1..]].concat();
    assert_eq!(broken_at(verdict(&without(0), None, None)), 1);
    assert_eq!(broken_at(verdict(&without(2), None, None)), 3);
    assert_eq!(broken_at(verdict(&rows, Some((2, rows[1].hash)), None)), 1);
}

#[test]
fn an_expected_head_shows_what_is_missing_at_the_end_or_was_written_anew() {
    let rows = chain(5);
    let head = (5, rows[4].hash);
    assert_eq!(broken_at(verdict(&rows[..3], None, Some(head))), 4);
    for place in [1, 3, 5] {
        let other = Some((place, Digest([9; 32])));
        assert_eq!(broken_at(verdict(&rows, None, other)), place);
    }
    // A head from before the checkpoint can say nothing; the checkpoint itself can.
    let checkpoint = Some((2, rows[1].hash));
    let other = Some((2, Digest([9; 32])));
    assert_eq!(broken_at(verdict(&rows[2..], checkpoint, other)), 2);
    let older = verdict(&rows[2..], checkpoint, Some((1, Digest([9; 32]))));
    assert_eq!(older, whole(3, Some(head), checkpoint));
}
