//! `toolgate audit verify`: whether the chain is whole, and its head to be kept elsewhere.

use serde::Serialize;
use toolgate_store::{AuditHead, AuditLog as _, AuditVerdict};
use toolgate_types::visible;

use super::row::shown_head;
use crate::failure::{Done, Exit, Failure};
use crate::output::{Output, counted};
use crate::surroundings::{Surroundings, wait};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    is_whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// The last row that was taken away as too old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pruned_to: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) fn run(
    expected: Option<AuditHead>,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let store = surroundings.store_to_read()?;
    match wait(store.verify_audit(expected))? {
        AuditVerdict::Whole { rows, head, from } => {
            let head = head.map(shown_head);
            let count = counted(usize::try_from(rows).unwrap_or(usize::MAX), "row");
            let end =
                head.as_deref().map_or_else(|| "no head".to_owned(), |head| format!("head {head}"));
            say(
                output,
                format!("whole: {count}, {end}"),
                Document {
                    is_whole: true,
                    rows: Some(rows),
                    head,
                    pruned_to: from,
                    broken_at: None,
                    why: None,
                },
            );
            match (expected, from) {
                // Whoever gave a head wants more than was shown.
                (Some((sequence, _)), Some(from)) if sequence < from => Err(Failure::new(format!(
                    "row {sequence} is too old to be kept, so the head you gave cannot be compared"
                ))),
                _ => Ok(Exit::Ok),
            }
        }
        AuditVerdict::Broken { sequence, why } => {
            say(
                output,
                format!("broken at row {sequence}: {}", visible(&why)),
                Document {
                    is_whole: false,
                    rows: None,
                    head: None,
                    pruned_to: None,
                    broken_at: Some(sequence),
                    why: Some(why),
                },
            );
            Ok(Exit::Error)
        }
    }
}

fn say(output: &mut Output, line: String, document: Document) {
    match output.json {
        true => output.document_of(&document),
        false => output.line(line),
    }
}
