//! What a tool's definition says now against what was accepted: each difference with its place, how
//! grave it is, and lines that a person can read.
//!
//! Only told here, not judged: whether a call may go on is decided elsewhere. Definitions may be
//! hostile, so that depth, time and what comes out of it are bounded; what is too deep or too much to
//! be taken apart counts as one change of the graver kind. Nothing is parsed into values: a number
//! that is spelled otherwise is another definition too.

mod excerpt;
mod hidden;
mod parts;
mod place;
mod walk;

use serde_json::value::RawValue;
use toolgate_types::Severity;

use walk::DriftWalk;

/// The most changes that are told one by one.
const MOST: usize = 40;

/// Where a change of nothing but white space, escapes or the order of keys is.
const FORMATTING: &str = "(formatting)";

/// How a definition differs from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionDrift {
    /// That of the gravest change.
    pub severity: Severity,
    /// The gravest first. None only where both are the same, byte for byte.
    pub changes: Vec<DefinitionChange>,
    /// How many more there are, none of them graver than those that are told.
    pub more: usize,
}

/// One difference. All texts can be shown as they are: what is hidden in them is written out, and
/// what is long is cut down to where it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionChange {
    /// As in `inputSchema.properties.path.type`.
    pub place: String,
    /// Nothing where it was not there.
    pub before: Option<String>,
    /// Nothing where it is no longer there.
    pub after: Option<String>,
    pub severity: Severity,
}

/// Holds what a server sends against what was accepted of it.
pub fn compare(accepted: &RawValue, live: &RawValue) -> DefinitionDrift {
    let mut walk = DriftWalk::default();
    if accepted.get() != live.get() {
        walk.definition(accepted, live);
        if walk.is_empty() {
            let place = FORMATTING.to_owned();
            walk.told(DefinitionChange {
                place,
                before: None,
                after: None,
                severity: Severity::Wording,
            });
        }
    }
    walk.drift()
}

impl DefinitionDrift {
    /// For a person: how grave it is, then each change with what was there and what is.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.severity.to_string()];
        for DefinitionChange { place, before, after, severity } in &self.changes {
            lines.push(format!("{place} ({severity})"));
            lines.extend(before.iter().map(|text| format!("- {text}")));
            lines.extend(after.iter().map(|text| format!("+ {text}")));
        }
        if self.more > 0 {
            lines.push(format!("and {} more", self.more));
        }
        lines
    }
}

#[cfg(test)]
mod tests;
