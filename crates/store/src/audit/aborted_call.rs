//! The end of a call whose process is gone: what its beginning says, and that it was aborted.

use super::{AuditEntry, AuditKind};

/// The outcome of a call that nobody waits for any more.
const OUTCOME: &str = "aborted";

/// Said in the record, since no process wrote it that made the call.
const CONCLUDED: &str = r#""concluded":true}"#;

pub(crate) fn aborted_call(begun: AuditEntry) -> AuditEntry {
    let body = match begun.body.strip_suffix('}') {
        Some("{") => format!("{{{CONCLUDED}"),
        Some(members) if members.starts_with('{') => format!("{members},{CONCLUDED}"),
        _ => begun.body,
    };
    let outcome = Some(OUTCOME.to_owned());
    AuditEntry { kind: AuditKind::End, outcome, body, ..begun }
}

#[cfg(test)]
mod tests {
    use super::super::chain::tests::entry;
    use super::*;

    #[test]
    fn it_says_what_its_beginning_did_and_that_it_is_concluded() {
        for (body, expected) in [
            ("{}", r#"{"concluded":true}"#),
            (r#"{"word":"call"}"#, r#"{"word":"call","concluded":true}"#),
            ("no object", "no object"),
        ] {
            let begun = AuditEntry { body: body.to_owned(), ..entry() };
            let ended = aborted_call(begun.clone());
            assert_eq!(ended.body, expected);
            assert_eq!((ended.kind, ended.outcome.as_deref()), (AuditKind::End, Some("aborted")));
            assert_eq!((ended.correlation, ended.at), (begun.correlation, begun.at));
        }
    }
}
