//! Words and weights.

use super::*;

#[test]
fn every_kind_is_found_by_its_word() {
    for kind in AuditKind::ALL {
        assert_eq!(AuditKind::parse(kind.as_str()), Some(kind));
    }
    assert_eq!(AuditKind::parse("Open"), None);
}

/// What bounds the bytes must not overlook a text that a caller can make long.
#[test]
fn every_text_has_its_weight() {
    let light = chain::tests::entry();
    let long = || Some("x".repeat(1000));
    let heavier = |change: fn(&mut AuditEntry, Option<String>)| {
        let mut heavy = light.clone();
        change(&mut heavy, long());
        heavy.weight()
    };
    let weights = [
        heavier(|entry, text| entry.correlation = text.unwrap()),
        heavier(|entry, text| entry.principal = text.unwrap()),
        heavier(|entry, text| entry.body = text.unwrap()),
        heavier(|entry, text| entry.client = text),
        heavier(|entry, text| entry.role = text),
        heavier(|entry, text| entry.session = text),
        heavier(|entry, text| entry.workspace = text),
        heavier(|entry, text| entry.server = text),
        heavier(|entry, text| entry.tool = text),
        heavier(|entry, text| entry.outcome = text),
        heavier(|entry, text| entry.code = text),
    ];
    assert_eq!(weights.map(|weight| weight > light.weight() + 900), [true; 11]);
}
