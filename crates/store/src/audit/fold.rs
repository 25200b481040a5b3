//! From entries to rows of the index: one for each call.
//!
//! A call has an entry when it begins and one when it ends, and the second says all that the first does.
//! Where both are at hand they are one row, at the place of the end; a call that still runs has a row for
//! its beginning, and one for its end later.

use std::collections::HashMap;

use super::{AuditEntry, AuditKind};

/// A row that is to be, with what it was made of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoldedRow<T> {
    /// What the row says.
    pub(crate) entry: AuditEntry,
    /// What all entries in it count for.
    pub(crate) weight: u64,
    /// In the order they were written.
    pub(crate) parts: Vec<T>,
}

pub(crate) fn fold_entries<T>(
    entries: impl IntoIterator<Item = (AuditEntry, T)>,
) -> Vec<FoldedRow<T>> {
    let mut rows: Vec<Option<FoldedRow<T>>> = Vec::new();
    let mut open: HashMap<(String, u32), usize> = HashMap::new();
    for (entry, part) in entries {
        let weight = entry.weight();
        let mut row = FoldedRow { entry, weight, parts: vec![part] };
        let call = || (row.entry.correlation.clone(), row.entry.round);
        match row.entry.kind {
            AuditKind::Open => {
                open.insert(call(), rows.len());
            }
            AuditKind::End => {
                let begun = open.remove(&call()).and_then(|place| rows[place].take());
                if let Some(begun) = begun {
                    row.weight = row.weight.saturating_add(begun.weight);
                    row.parts.splice(..0, begun.parts);
                }
            }
            AuditKind::Decision | AuditKind::Network | AuditKind::Pruning | AuditKind::Torn => {}
        }
        rows.push(Some(row));
    }
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::chain::tests::entry;
    use super::*;

    fn about(kind: AuditKind, call: &str, round: u32) -> AuditEntry {
        AuditEntry { kind, correlation: call.to_owned(), round, ..entry() }
    }

    #[test]
    fn a_call_that_began_and_ended_is_one_row_where_it_ended() {
        let entries = [
            about(AuditKind::Open, "a", 0),
            about(AuditKind::Open, "b", 0),
            about(AuditKind::Decision, "a", 0),
            about(AuditKind::End, "a", 0),
            about(AuditKind::Open, "a", 1),
            about(AuditKind::End, "c", 0),
            about(AuditKind::End, "b", 0),
            // Nobody ends twice; if somebody did, both would be told.
            about(AuditKind::End, "b", 0),
        ];
        let rows = fold_entries(entries.into_iter().zip(0..));
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.entry.correlation.as_str(), row.entry.round, row.parts.as_slice()))
            .collect();
        let expected: [(&str, u32, &[i32]); 6] = [
            ("a", 0, &[2]),
            ("a", 0, &[0, 3]),
            ("a", 1, &[4]),
            ("c", 0, &[5]),
            ("b", 0, &[1, 6]),
            ("b", 0, &[7]),
        ];
        assert_eq!(told, expected);
        assert_eq!(rows[1].entry.kind, AuditKind::End);
        assert_eq!(rows[1].weight, 2 * rows[0].weight);
    }
}
