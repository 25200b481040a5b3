//! Revisions in order, and what a request says of its era.

use super::*;
use crate::{Message, MessageLimits};

fn era_of(json: &str) -> Option<Era> {
    match Message::parse(json.as_bytes(), &MessageLimits::DEFAULT).unwrap() {
        Message::Request(request) => request.era(),
        other => panic!("{other:?}"),
    }
}

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

#[test]
fn a_request_says_its_era_or_leaves_it_to_the_session() {
    let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    assert_eq!(era_of(modern), Some(Era::Modern));
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    assert_eq!(era_of(initialize), Some(Era::Legacy));
    for open in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#,
    ] {
        assert_eq!(era_of(open), None, "{open}");
    }
}
