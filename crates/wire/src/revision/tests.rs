//! Revisions in order.

use super::*;

#[test]
fn revisions_are_read_written_and_ordered() {
    assert!(ProtocolRevision::ALL.is_sorted());
    for revision in ProtocolRevision::ALL {
        assert_eq!(revision.to_string().parse(), Ok(revision));
    }
    assert_eq!("2025-11-26".parse::<ProtocolRevision>(), Err(UnknownRevision));
    assert_eq!(ProtocolRevision::NEWEST.era(), Era::Modern);
    assert_eq!(ProtocolRevision::NEWEST_LEGACY.era(), Era::Legacy);
}

#[test]
fn only_one_revision_has_batches() {
    let with: Vec<_> =
        ProtocolRevision::ALL.into_iter().filter(|revision| revision.has_batches()).collect();
    assert_eq!(with, [ProtocolRevision::V2025_03_26]);
}
